//! What can be shown without a compiler; `tests/` at the workspace's root runs the real thing.

use std::collections::BTreeSet;
use std::io;

use camino::Utf8Path;

use super::commits::Commits;
use super::diagnose::diagnose;
use super::*;
use crate::toolchain::{Finished, Invocation, Runner};

/// Answers every invocation with the same end.
struct Always(Finished);

impl Runner for Always {
    fn run(&self, _: &Invocation) -> io::Result<Finished> {
        Ok(self.0.clone())
    }
}

fn prints(output: &str) -> Always {
    Always(Finished {
        code: Some(0),
        too_long: false,
        output: output.into(),
        errors: String::new(),
    })
}

fn scenario(text: &str) -> Scenario {
    read_scenarios("test.jsonl", text).unwrap().remove(0)
}

const BUDGET: &str = r#"{"scenario":"budget","why":"w","expect":{"default":"2, rest 1","raised":"rest 3"}}
{"step":"op","times":3}
{"step":"flush"}
{"step":"phase","name":"raised"}
{"step":"override","mb":1000,"reads":1000}
{"step":"op","times":3}
{"step":"flush"}"#;

const DEVICE: &str = r#"{"device":{"backend":"host-metal","architecture":"applegpu_g16s","override":true,"check":"CommandEncoder::needs_commit"}}"#;

const AS_EXPECTED: &str = r#"{"scenario":"budget"}
{"commit":{"phase":"default","on":"main","ops":[1,2],"why":"asked","seen":[1,2]}}
{"commit":{"phase":"default","on":"main","ops":[3,3],"why":"flush","seen":[3,3]}}
{"override":1000}
{"commit":{"phase":"raised","on":"main","ops":[4,6],"why":"flush","seen":[4,6]}}
{"end":"budget"}
"#;

fn outcome(lines: &str) -> Outcome {
    let scenario = scenario(BUDGET);
    let runner = prints(&format!("{DEVICE}\n{lines}"));
    let observed = drive(
        Utf8Path::new("driver"),
        std::slice::from_ref(&scenario),
        &runner,
    )
    .unwrap();
    judge(&scenario, &observed[0])
}

fn said(lines: &str) -> Vec<String> {
    match outcome(lines) {
        Outcome::Failed(mismatches) => mismatches.iter().map(ToString::to_string).collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn expected_commits_pass() {
    assert_eq!(outcome(AS_EXPECTED), Outcome::Passed);
}

#[test]
fn a_moved_command_buffer_shows_both_sizes() {
    let lines = AS_EXPECTED.replace(
        r#""ops":[4,6],"why":"flush","seen":[4,6]"#,
        r#""ops":[4,5],"why":"asked","seen":[4,5]"#,
    );
    assert_eq!(
        said(&lines),
        ["raised: expected command buffers of rest 3 ops, saw 2"]
    );
}

#[test]
fn a_rest_that_the_check_committed_is_no_rest() {
    let lines = AS_EXPECTED.replace(r#"[3,3],"why":"flush""#, r#"[3,3],"why":"asked""#);
    assert_eq!(
        said(&lines),
        ["default: expected command buffers of 2, rest 1 ops, saw 2, 1"]
    );
}

#[test]
fn a_wrong_read_back_is_a_mismatch() {
    let lines = AS_EXPECTED.replace(r#"{"override":1000}"#, r#"{"override":7}"#);
    assert_eq!(
        said(&lines),
        ["after setting it for the 1. time, the override must read 1000, and reads 7"]
    );
}

#[test]
fn a_buffer_with_other_ops_is_a_mismatch() {
    let lines = AS_EXPECTED.replace(
        r#""ops":[4,6],"why":"flush","seen":[4,6]"#,
        r#""ops":[4,6],"why":"flush","seen":[4,5]"#,
    );
    assert_eq!(
        said(&lines),
        [
            "command buffers that hold other ops than were encoded: 1, the first 4 to 5 in the place of 4 to 6"
        ]
    );
}

#[test]
fn a_dying_program_fails_its_scenario() {
    let scenario = scenario(BUDGET);
    let runner = Always(Finished {
        code: None,
        too_long: false,
        output: format!("{DEVICE}\n{{\"scenario\":\"budget\"}}\n{{\"over").into(),
        errors: "host-metal: unknown selector 'newThing'\n".to_owned(),
    });
    let observed = drive(
        Utf8Path::new("driver"),
        std::slice::from_ref(&scenario),
        &runner,
    )
    .unwrap();
    let Outcome::Failed(mismatches) = judge(&scenario, &observed[0]) else {
        panic!("{observed:?}");
    };
    assert_eq!(
        mismatches[0].to_string(),
        "the program did not end well: killed by a signal: host-metal: unknown selector 'newThing'"
    );
    let group = [scenario.clone(), scenario.clone()];
    let observed = drive(Utf8Path::new("driver"), &group, &runner).unwrap();
    assert_eq!(
        judge(&scenario, &observed[1]),
        Outcome::NotRun("'budget' was the end of the program".to_owned())
    );
}

#[test]
fn dying_at_the_end_fails_the_last_scenario() {
    let scenario = scenario(BUDGET);
    let runner = Always(Finished {
        code: Some(66),
        too_long: false,
        output: format!("{DEVICE}\n{AS_EXPECTED}{AS_EXPECTED}").into(),
        errors: "ThreadSanitizer: reported 1 warnings\n".to_owned(),
    });
    let group = [scenario.clone(), scenario.clone()];
    let observed = drive(Utf8Path::new("driver"), &group, &runner).unwrap();
    let outcomes = observed.iter().map(|one| judge(&scenario, one));
    let died = Mismatch::Ended {
        how: "status 66: ThreadSanitizer: reported 1 warnings".to_owned(),
    };
    assert_eq!(
        outcomes.collect::<Vec<_>>(),
        [Outcome::Passed, Outcome::Failed(vec![died])]
    );
}

#[test]
fn a_scenario_of_another_gpu_is_not_run() {
    let lines = AS_EXPECTED.to_owned();
    let scenario = scenario(&BUDGET.replace(
        r#""why":"w""#,
        r#""why":"w","architecture":"applegpu_g16p""#,
    ));
    let runner = prints(&format!("{DEVICE}\n{lines}"));
    let observed = drive(
        Utf8Path::new("driver"),
        std::slice::from_ref(&scenario),
        &runner,
    )
    .unwrap();
    assert!(
        matches!(judge(&scenario, &observed[0]), Outcome::NotRun(why) if why.contains("applegpu_g16p"))
    );
}

#[test]
fn upstream_alone_runs_no_override_scenario() {
    let scenario = scenario(BUDGET);
    let runner = prints(&(DEVICE.replace(r#""override":true"#, r#""override":false"#) + "\n"));
    let observed = drive(
        Utf8Path::new("driver"),
        std::slice::from_ref(&scenario),
        &runner,
    )
    .unwrap();
    assert!(matches!(judge(&scenario, &observed[0]), Outcome::NotRun(_)));
}

#[test]
fn a_line_that_is_not_the_drivers_is_an_error() {
    let scenario = scenario(BUDGET);
    let observed = drive(
        Utf8Path::new("driver"),
        &[scenario],
        &prints("Metal device found\n"),
    );
    assert_eq!(
        observed.unwrap_err().message,
        "the driver printed 'Metal device found', which is no line of its own"
    );
}

#[test]
fn one_process_serves_one_environment() {
    struct Counts(std::sync::Mutex<Vec<Invocation>>);
    impl Runner for Counts {
        fn run(&self, invocation: &Invocation) -> io::Result<Finished> {
            self.0.lock().unwrap().push(invocation.clone());
            prints("").run(invocation)
        }
    }
    let plain = |name: &str, more: &str| {
        scenario(&format!(
            r#"{{"scenario":"{name}","why":"w","expect":{{}}{more}}}"#
        ))
    };
    let scenarios = [
        plain("a", ""),
        plain("b", ""),
        plain("c", r#","env":{"MLX_MAX_OPS_PER_BUFFER":"10"}"#),
        plain("d", r#","architecture":"applegpu_g16p""#),
    ];
    let counts = Counts(std::sync::Mutex::default());
    drive(Utf8Path::new("driver"), &scenarios, &counts).unwrap();
    let calls = counts.0.into_inner().unwrap();
    let inputs: Vec<_> = calls
        .iter()
        .map(|call| String::from_utf8_lossy(&call.input).into_owned())
        .collect();
    assert_eq!(
        inputs,
        [
            "{\"scenario\":\"a\"}\n{\"scenario\":\"b\"}\n",
            "{\"scenario\":\"c\"}\n",
            "{\"scenario\":\"d\"}\n"
        ]
    );
    assert!(
        calls[1]
            .environment
            .contains(&("MLX_MAX_OPS_PER_BUFFER".to_owned(), "10".to_owned()))
    );
    assert!(
        calls[2]
            .environment
            .contains(&("MLX_METAL_GPU_ARCH".to_owned(), "applegpu_g16p".to_owned()))
    );
}

#[test]
fn the_driver_does_not_see_expectations() {
    assert_eq!(
        scenario(BUDGET).input().lines().nth(4),
        Some(r#"{"step":"override","mb":1000}"#)
    );
}

#[test]
fn a_step_that_sets_says_what_is_read_back() {
    let error = read_scenarios("f.jsonl", &BUDGET.replace(r#","reads":1000"#, "")).unwrap_err();
    assert_eq!(
        error.to_string(),
        r#"f.jsonl:5: a step that sets the override says what is read back: "reads": 0"#
    );
}

#[test]
fn an_unknown_field_of_a_scenario_is_an_error() {
    let error =
        read_scenarios("f.jsonl", r#"{"scenario":"a","why":"w","expects":{}}"#).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("f.jsonl:1: unknown field `expects`"),
        "{error}"
    );
}

#[test]
fn commits_read_and_write_the_same() {
    for text in [
        "51 x7, rest 43",
        "11, 10, rest 9, 11, 10, rest 9",
        "rest 30 x3",
        "1",
    ] {
        assert_eq!(text.parse::<Commits>().unwrap().to_string(), text);
    }
    for text in ["", "51,", "x7", "rest", "51 x", "-1"] {
        assert!(text.parse::<Commits>().is_err(), "{text}");
    }
}

#[test]
fn suite_is_well_formed() {
    let mut names = BTreeSet::new();
    for scenario in suite().unwrap() {
        let name = scenario.name;
        assert!(
            !scenario.why.is_empty() && !scenario.expect.is_empty(),
            "{name}"
        );
        assert!(names.insert(name.clone()), "{name} twice");
    }
    assert!(names.len() > 20, "{names:?}");
}

#[test]
fn an_open_symbol_names_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let tree = Utf8Path::from_path(folder.path()).unwrap();
    let write = |path: &str, text: &str| {
        let path = tree.join(path);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, text).unwrap();
    };
    write(
        "mlx/backend/no_gpu/encoder.cpp",
        "void Encoder::pause(int) {}\n",
    );
    write(
        "mlx/backend/metal/encoder.cpp",
        "void Encoder::pause(int level) {\n}\n",
    );
    write(
        "mlx/backend/metal/caller.cpp",
        "void f() {\n  e.pause(1);\n}\nvoid pause(int);\n",
    );
    let output = "x.o: in function `f':\nx.cpp:(.text+0x1): undefined reference to `mlx::core::Encoder::pause(int)'\n";
    let error = linker::complaint(output, tree);
    assert_eq!(
        error.message,
        "a symbol stay open: mlx::core::Encoder::pause(int)"
    );
    assert_eq!(
        error.help.as_deref(),
        Some(
            "mlx::core::Encoder::pause(int): add mlx/backend/metal/encoder.cpp to the list in patchctl/src/verify/run/sources.rs"
        )
    );
}

#[test]
fn another_linker_error_is_passed_on() {
    let output = "ld: cannot find -lm\n";
    let error = linker::complaint(output, Utf8Path::new("."));
    assert_eq!(error.message, "the linker failed");
    assert_eq!(error.output.as_deref(), Some(output));
}

fn diagnosis(lines: &str) -> Option<Diagnosis> {
    diagnose(&[scenario(BUDGET)], &[outcome(lines)])
}

#[test]
fn failures_under_the_override_mean_not_used() {
    assert_eq!(diagnosis(AS_EXPECTED), None);
    let raised = AS_EXPECTED.replace(
        r#"[4,6],"why":"flush","seen":[4,6]"#,
        r#"[4,5],"why":"asked","seen":[4,5]"#,
    );
    assert_eq!(diagnosis(&raised), Some(Diagnosis::NotUsed));
}

#[test]
fn a_failure_without_override_means_another_rule() {
    let all = AS_EXPECTED
        .replace(
            r#""ops":[1,2],"why":"asked","seen":[1,2]"#,
            r#""ops":[1,1],"why":"asked","seen":[1,1]"#,
        )
        .replace(r#"{"override":1000}"#, r#"{"override":7}"#);
    assert_eq!(diagnosis(&all), Some(Diagnosis::OtherRule));
}

#[test]
fn threads_share_the_override() {
    let of = |set: &str| {
        let lines = format!(
            "{{\"scenario\":\"s\",\"why\":\"w\",\"expect\":{{\"default@second\":\"rest 9\"}}}}\n\
             {{\"step\":\"op\",\"on\":\"second\",\"meanwhile\":true,\"times\":9}}\n{set}"
        );
        let scenarios = read_scenarios("s.jsonl", &lines).unwrap();
        let moved = Mismatch::Commits {
            phase: "default@second".to_owned(),
            expected: "rest 9".parse().unwrap(),
            seen: "4, rest 5".parse().unwrap(),
        };
        diagnose(&scenarios, &[Outcome::Failed(vec![moved])])
    };
    let sets = "{\"step\":\"override\",\"mb\":1000,\"reads\":1000}\n";
    assert_eq!(of(sets), Some(Diagnosis::NotUsed));
    assert_eq!(of(""), Some(Diagnosis::OtherRule));
}

#[test]
fn an_unasked_commit_means_own_place() {
    let own = AS_EXPECTED.replace(r#"[1,2],"why":"asked""#, r#"[1,2],"why":"elsewhere""#);
    assert_eq!(diagnosis(&own), Some(Diagnosis::OwnPlace));
}

#[test]
fn a_wrong_read_back_means_not_kept() {
    let lost = AS_EXPECTED.replace(r#"{"override":1000}"#, r#"{"override":0}"#);
    assert_eq!(diagnosis(&lost), Some(Diagnosis::NotKept));
}

/// Upstream commits after each op; the patched program does not after an op with an output.
struct Toy;

impl Runner for Toy {
    fn run(&self, invocation: &Invocation) -> io::Result<Finished> {
        let mut output = String::new();
        let mut op = 0;
        for line in String::from_utf8_lossy(&invocation.input).lines() {
            let step: serde_json::Value = serde_json::from_str(line).unwrap();
            if let Some(name) = step.get("scenario") {
                output += &format!("{{\"scenario\":{name}}}\n");
                op = 0;
            } else if step["step"] == "op" {
                op += 1;
                if invocation.program == "upstream" || step.get("out").is_none() {
                    output += &format!(
                        r#"{{"commit":{{"phase":"default","on":"main","ops":[{op},{op}],"why":"asked"}}}}"#
                    );
                    output.push('\n');
                }
            }
        }
        prints(&output).run(invocation)
    }
}

#[test]
fn a_difference_is_cut_down_to_its_step() {
    let toy = |patched| Differential {
        upstream: Utf8Path::new("upstream"),
        patched: Utf8Path::new(patched),
        has_override: true,
        runner: &Toy,
        seed: 7,
        sequences: 20,
    };
    assert_eq!(toy("upstream").compare(), Ok(None));
    let difference = toy("patched").compare().unwrap().unwrap();
    assert_eq!(difference.steps.len(), 1, "{:?}", difference.steps);
    assert!(difference.steps[0].contains_key("out"));
    assert_eq!(difference.upstream.commits, [((1, 1), Why::Asked)]);
    assert!(difference.patched.commits.is_empty());
}

/// A program that ends at the first override, as the driver does where there is none to set.
struct WithoutOverride;

impl Runner for WithoutOverride {
    fn run(&self, invocation: &Invocation) -> io::Result<Finished> {
        let input = String::from_utf8_lossy(&invocation.input);
        assert!(!input.contains("\"override\""), "{input}");
        let settings = &invocation.environment;
        let budget = settings
            .iter()
            .any(|(name, _)| *name == "MLX_MAX_MB_PER_BUFFER");
        assert!(!budget, "there is nothing to compare it with");
        Toy.run(invocation)
    }
}

#[test]
fn a_tree_without_override_has_no_budgets() {
    let differential = Differential {
        upstream: Utf8Path::new("upstream"),
        patched: Utf8Path::new("patched"),
        has_override: false,
        runner: &WithoutOverride,
        seed: 7,
        sequences: 20,
    };
    assert!(differential.compare().unwrap().is_some());
}

#[test]
fn the_same_seed_makes_the_same_sequences() {
    let make = |seed| sequence::sequence(&mut sequence::Random::new(seed));
    assert_eq!(make(1), make(1));
    assert_ne!(make(1), make(2));
}
