use camino::Utf8Path;
use serde_json::{Value, json};

use super::load::parse;
use super::measure::of_observed;
use super::passes::Passes;
use super::scenario::{Setting, scenario, settings};
use super::*;
use crate::report::Code;
use crate::verify::run::{Device, Ended, Observed, Seen, SeenCommit, SeenPeak, Why};
use crate::yaml::Faults;

const FILE: &str = "model.yaml";

fn parsed(text: &str) -> Result<Model, Faults> {
    parse(Utf8Path::new(FILE), text.as_bytes())
}

fn with_layers(layers: &str) -> String {
    format!("schema: 1\nmodel: m\nwhy: w\ntokens: {{ prompt: 100, decode: 2 }}\nlayers:\n{layers}")
}

fn model(layers: &str) -> Model {
    parsed(&with_layers(layers)).unwrap()
}

/// Each fault as `line:column code`.
fn faults(text: &str) -> Vec<String> {
    let faults = parsed(text).unwrap_err().0;
    let each = faults
        .iter()
        .map(|fault| match fault.line.zip(fault.column) {
            Some((line, column)) => format!("{line}:{column} {}", fault.code),
            None => fault.code.to_string(),
        });
    each.collect()
}

fn values(steps: Vec<serde_json::Map<String, Value>>) -> Vec<Value> {
    steps.into_iter().map(Value::Object).collect()
}

const SMALL: &str = "\
- name: block
  times: 2
  ops:
  - { name: norm, out: 8 }
  - { name: q, quantized: { rows: 64, columns: 128, bits: 4, group: 32 }, out: 64 }
  - { name: cache, from: [q], weights: [{ elements: 9, dtype: float32 }], in_place: true }
  - { name: add, from: [cache, input], shares: [cache], out: 3, dispatches: 2 }
- name: head
  ops:
  - { name: logits, out: 5, dtype: float32, decode_only: true }
";

#[test]
fn a_quantized_matrix_is_three_arrays() {
    let model = model(SMALL);
    let passes = Passes::of(&model);
    let weights = values(passes.weights().take(4).collect());
    let array = |name: &str, elements: u64, dtype: &str| json!({"step": "array", "name": name, "elements": elements, "dtype": dtype, "weight": true});
    let expected = [
        array("w0", 64 * 128 * 4 / 32, "uint32"),
        array("w1", 64 * 128 / 32, "float16"),
        array("w2", 64 * 128 / 32, "float16"),
        array("w3", 9, "float32"),
    ];
    assert_eq!(weights, expected);
    assert_eq!(passes.weights().count(), 8);
}

#[test]
fn ops_read_what_they_name() {
    let token = values(Passes::of(&model(SMALL)).token());
    let expected = [
        json!({"step": "array", "name": "tokens", "elements": 1, "dtype": "uint32"}),
        json!({"step": "op", "use": ["tokens"], "out": 8, "dtype": "float16", "keep": "a0"}),
        json!({"step": "op", "use": ["a0", "w0", "w1", "w2"], "out": 64, "dtype": "float16", "keep": "a1"}),
        // In place: the output is what it reads, under the same name.
        json!({"step": "op", "use": ["a1", "w3"]}),
        json!({"step": "op", "use": ["a1", "tokens", "w3"], "out": 3, "dtype": "float16", "keep": "a3", "dispatches": 2}),
        json!({"step": "op", "use": ["a3"], "out": 8, "dtype": "float16", "keep": "a4"}),
        json!({"step": "op", "use": ["a4", "w4", "w5", "w6"], "out": 64, "dtype": "float16", "keep": "a5"}),
        json!({"step": "op", "use": ["a5", "w7"]}),
        json!({"step": "op", "use": ["a5", "a3", "w7"], "out": 3, "dtype": "float16", "keep": "a7", "dispatches": 2}),
        json!({"step": "op", "use": ["a7"], "out": 5, "dtype": "float32", "keep": "a8"}),
    ];
    assert_eq!(token, expected);
}

#[test]
fn prefill_leaves_the_head_out() {
    let prefill = values(Passes::of(&model(SMALL)).prefill(100));
    assert_eq!(prefill.len(), 9);
    assert_eq!(prefill[0]["elements"], 100);
    assert_eq!(prefill[1]["out"], 800);
    assert_eq!(prefill[8]["keep"], "a7");
}

#[test]
fn a_repeated_op_reads_its_own_output() {
    let chain = model("- name: chain\n  ops:\n  - { name: k, out: 1, times: 3200 }\n");
    let passes = Passes::of(&chain);
    let expected = [
        json!({"step": "op", "use": ["tokens"], "out": 1, "dtype": "float16", "keep": "a0"}),
        json!({"step": "op", "use": ["a0"], "out": 1, "dtype": "float16", "keep": "a0", "times": 3199}),
    ];
    assert_eq!(values(passes.token())[1..], expected);
    let weighted = "- name: l\n  ops:\n  - { name: k, out: 1, times: 3, weights: [{ elements: 2, dtype: int8 }] }\n";
    let token = values(Passes::of(&model(weighted)).token());
    let uses: Vec<&Value> = token[1..].iter().map(|step| &step["use"]).collect();
    assert_eq!(
        uses,
        [
            &json!(["tokens", "w0"]),
            &json!(["a0", "w1"]),
            &json!(["a0", "w2"])
        ]
    );
}

#[test]
fn weights_are_shared_across_single_layers() {
    let tied = "\
- name: embedding
  ops:
  - { name: words, out: 1, weights: [{ elements: 7, dtype: uint32 }] }
- name: head
  ops:
  - { name: logits, out: 1, shares: [words] }
";
    let model = model(tied);
    let passes = Passes::of(&model);
    assert_eq!(passes.weights().count(), 1);
    assert_eq!(values(passes.token())[2]["use"], json!(["a0", "w0"]));
    let repeated = tied.replacen("ops:", "times: 2\n  ops:", 1);
    assert_eq!(faults(&with_layers(&repeated)), ["12:38 decode-unknown-op"]);
}

#[test]
fn all_mistakes_are_found_at_once() {
    let text = with_layers(
        "\
- name: l
  ops:
  - { name: a, out: 1 }
  - { name: a, out: 1 }
  - { name: b }
  - { name: c, out: 1, in_place: true }
  - { name: d, in_place: true, dtype: int8 }
  - { name: e, from: [aa], out: 1 }
  - { name: f, from: [], out: 30000000 }
  - { name: g, quantized: { rows: 3, columns: 10, bits: 3, group: 4 }, out: 1 }
- name: empty
  ops: []
",
    );
    let text = text.replace("why: w", "why: w\narchitecture: applegpu_g16");
    let expected = [
        "4:15 decode-bad-architecture",
        "10:13 decode-op-twice",
        "11:5 decode-keys-clash",
        "12:5 decode-keys-clash",
        "13:5 decode-keys-clash",
        "14:23 decode-unknown-op",
        "15:22 decode-nothing-there",
        "15:31 decode-bad-size",
        "16:57 decode-bad-size",
        "16:67 decode-bad-size",
        "18:8 decode-nothing-there",
    ];
    assert_eq!(faults(&text), expected);
    let fault = &parsed(&text).unwrap_err().0[5];
    assert_eq!(fault.help.as_deref(), Some("did you mean `a`?"));
}

#[test]
fn the_form_is_checked_before_its_meaning() {
    let text = with_layers(SMALL).replace("dispatches: 2", "dispatch: 2");
    let fault = parsed(&text).unwrap_err().0.remove(0);
    assert_eq!(
        fault.with_place(),
        "model.yaml:12:65: unknown key `dispatch` in an op"
    );
    assert_eq!(fault.help.as_deref(), Some("did you mean `dispatches`?"));
    let text = with_layers(SMALL).replace("decode: 2 ", "decode: 0 ");
    let fault = parsed(&text).unwrap_err().0.remove(0);
    assert_eq!(
        fault.message,
        "expected a whole number from 1 to 1000, found the number 0"
    );
    let text = with_layers(SMALL).replace("schema: 1", "schema: 2");
    assert_eq!(faults(&text), ["1:9 schema-unsupported"]);
}

#[test]
fn a_model_that_would_take_hours_is_refused() {
    let text = "- name: l\n  times: 100000\n  ops:\n  - { name: k, out: 1, times: 100000 }\n";
    assert_eq!(faults(&with_layers(text)), ["6:3 decode-bad-size"]);
}

#[test]
fn the_examples_are_models() {
    let folder = Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/examples/decode");
    let command = load(&folder.join("command-r7b.yaml")).unwrap();
    // 15.5 ops a layer, four for the embedding, six for the head.
    assert_eq!(Passes::of(&command).token().len(), 1 + 32 * 31 / 2 + 4 + 6);
    let chain = load(&folder.join("tiny-kernels.yaml")).unwrap();
    assert_eq!(Passes::of(&chain).token().len(), 3);
}

#[test]
fn each_setting_is_a_process() {
    let model = model(SMALL);
    let settings = settings();
    assert_eq!(settings.len(), 6);
    for setting in settings {
        let scenario = scenario(&model, setting);
        let environment: Vec<(&str, &str)> = scenario
            .environment
            .iter()
            .map(|(name, value)| (&**name, &**value))
            .collect();
        let ops = setting.max_ops.to_string();
        let mut expected = vec![("MLX_MAX_OPS_PER_BUFFER", &*ops)];
        if setting.budget == Budget::Everywhere {
            expected.insert(0, ("MLX_MAX_MB_PER_BUFFER", "1000"));
        }
        assert_eq!(environment, expected);
        assert!(scenario.through.is_some());
        assert_eq!(scenario.sets_override(), setting.budget == Budget::Guarded);
        let kinds: Vec<&str> = scenario
            .steps
            .iter()
            .filter_map(|step| {
                step["step"]
                    .as_str()
                    .filter(|kind| !["op", "array"].contains(kind))
            })
            .collect();
        let mut expected = vec![
            "lag",
            "phase",
            "synchronize",
            "peak",
            "phase",
            "flush",
            "flush",
            "synchronize",
            "peak",
            "phase",
            "synchronize",
            "synchronize",
            "peak",
        ];
        if setting.budget == Budget::Guarded {
            expected.insert(5, "guard");
            expected.insert(8, "unguard");
        }
        assert_eq!(kinds, expected);
    }
}

/// What a driver would say: `buffers` and `peak` for each phase.
fn observed(phases: [(u64, u64); 3]) -> Observed {
    let mut seen = Seen {
        scenario: "decode".to_owned(),
        ended: true,
        ..Seen::default()
    };
    for (phase, (buffers, bytes)) in Phase::ALL.iter().zip(phases) {
        let commit = SeenCommit {
            phase: phase.name().to_owned(),
            on: "main".to_owned(),
            ops: (1, 1),
            why: Why::Eval,
            seen: None,
        };
        seen.commits
            .extend(std::iter::repeat_n(commit, buffers as usize));
        seen.peaks.push(SeenPeak {
            phase: phase.name().to_owned(),
            bytes,
        });
    }
    Observed {
        device: Some(Device {
            backend: "host-metal".to_owned(),
            architecture: "applegpu_g13d".to_owned(),
            has_override: true,
            check: String::new(),
        }),
        seen: Some(seen),
        ended_by: None,
        ended: Ended::Well,
    }
}

fn measured(model: &Model, of: impl Fn(Setting) -> [(u64, u64); 3]) -> Vec<Measured> {
    let all = settings().into_iter();
    all.flat_map(|setting| of_observed(model, setting, &observed(of(setting))).unwrap())
        .collect()
}

#[test]
fn buffers_are_counted_for_each_token() {
    let model = model(SMALL);
    let all = measured(&model, |_| [(7, 1000), (44, 200), (45, 300)]);
    let rows: Vec<Value> = all[..3]
        .iter()
        .flat_map(|one| one.reported(&model))
        .map(|row| json!([row.what, row.phase, row.under, row.value, row.unit]))
        .collect();
    let under = "50 ops, the device's budget";
    let expected = [
        json!(["command buffers", "prefill", under, 7, "a prompt"]),
        json!(["peak in flight", "prefill", under, 1000, "bytes"]),
        json!(["command buffers", "pipelined decode", under, 22, "a token"]),
        json!(["peak in flight", "pipelined decode", under, 200, "bytes"]),
        json!([
            "command buffers",
            "synchronous decode",
            under,
            22.5,
            "a token"
        ]),
        json!(["peak in flight", "synchronous decode", under, 300, "bytes"]),
    ];
    assert_eq!(rows, expected);
}

#[test]
fn a_guard_of_the_wrong_reach_is_found() {
    let model = model(SMALL);
    let right = |setting: Setting| match setting.budget {
        Budget::Device => [(7, 1000), (44, 200), (44, 200)],
        Budget::Guarded => [(7, 1000), (4, 900), (44, 200)],
        Budget::Everywhere => [(1, 9000), (4, 900), (4, 300)],
    };
    assert_eq!(compare(&model, &measured(&model, right)), []);
    let found = |prefill, pipelined, synchronous| {
        let all = measured(&model, |setting| match setting {
            Setting {
                max_ops: 1000,
                budget: Budget::Guarded,
            } => [prefill, pipelined, synchronous],
            other => right(other),
        });
        let findings = compare(&model, &all);
        findings.into_iter().map(|it| it.code).collect::<Vec<_>>()
    };
    assert_eq!(
        found((1, 1000), (4, 900), (44, 200)),
        [Code::GuardReachesTooFar]
    );
    assert_eq!(
        found((7, 1001), (4, 900), (44, 200)),
        [Code::GuardReachesTooFar]
    );
    assert_eq!(
        found((7, 1000), (4, 900), (4, 200)),
        [Code::GuardReachesTooFar]
    );
    assert_eq!(
        found((7, 1000), (44, 200), (44, 200)),
        [Code::GuardDoesNotReach]
    );
}

#[test]
fn a_stopped_process_gives_no_numbers() {
    let model = model(SMALL);
    let setting = settings()[0];
    let good = observed([(1, 1); 3]);
    let mut unpatched = good.clone();
    if let Some(device) = &mut unpatched.device {
        device.has_override = false;
    }
    let error = of_observed(&model, setting, &unpatched).unwrap_err();
    assert!(error.is_not_run(), "{error}");
    let mut cut = good.clone();
    cut.ended = Ended::Badly {
        how: "status 1: MLX: no".to_owned(),
        said: "MLX: no".to_owned(),
    };
    let error = of_observed(&model, setting, &cut).unwrap_err();
    assert!(error.finding.code == Code::RunFailed && !error.is_not_run());
    assert_eq!(error.output_text(), "MLX: no");
    let mut without_peaks = good;
    if let Some(seen) = &mut without_peaks.seen {
        seen.peaks.clear();
    }
    assert!(of_observed(&model, setting, &without_peaks).is_err());
}
