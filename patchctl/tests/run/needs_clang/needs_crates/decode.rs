//! Decode models through MLX's own encoder, on each pin: what the overlay is for, counted.

use camino::Utf8Path;
use patchctl::verify::decode::{Budget, Measured, Model, Phase, compare, load, measure};

use super::PINS;
use crate::bench::{Bench, Files, Tree, altered};

fn model(name: &str) -> Model {
    let folder = Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/examples/decode");
    load(&folder.join(name)).unwrap()
}

fn measured(bench: &Bench, tree: &Tree, files: &Files, model: &Model) -> Vec<Measured> {
    let built = bench.build(tree, files).unwrap();
    measure(model, &built.program, &bench.runner).unwrap()
}

/// Command buffers for each pass, and the peak in MiB.
fn found(all: &[Measured], max_ops: u32, budget: Budget, phase: Phase) -> (u64, u64) {
    let one = all
        .iter()
        .find(|it| (it.setting.max_ops, it.setting.budget, it.phase) == (max_ops, budget, phase));
    let one = one.unwrap();
    assert_eq!(one.buffers % one.passes, 0, "{one:?}: tokens differ");
    (one.buffers / one.passes, one.peak >> 20)
}

#[test]
#[ignore = "not run: needs clang 19 and the registry"]
fn command_r7b_has_the_macs_buffer_counts() {
    let bench = Bench::new();
    let model = model("command-r7b.yaml");
    for release in PINS {
        let tree = bench.pin(release);
        let all = measured(&bench, &tree, &tree.patched, &model);
        assert_eq!(compare(&model, &all), [], "{release}");
        let buffers = |ops, budget, phase| found(&all, ops, budget, phase).0;
        // Counted on an M1 Ultra: 21 to 23 a token at the device's budget, 2 with the budget and 1000 ops, 10 with 50.
        for phase in [Phase::Pipelined, Phase::Synchronous] {
            let default = buffers(1000, Budget::Device, phase);
            assert!((21..=23).contains(&default), "{release}: {default}");
        }
        assert_eq!(
            buffers(1000, Budget::Guarded, Phase::Pipelined),
            2,
            "{release}"
        );
        let with_50 = buffers(50, Budget::Guarded, Phase::Pipelined);
        assert!((9..=11).contains(&with_50), "{release}: {with_50}");
        // The whole point: prefill keeps its command buffers and its memory, which the budget everywhere takes.
        let prefill = |budget| found(&all, 1000, budget, Phase::Prefill);
        assert_eq!(
            prefill(Budget::Guarded),
            prefill(Budget::Device),
            "{release}"
        );
        let (device, everywhere) = (prefill(Budget::Device), prefill(Budget::Everywhere));
        assert!(
            everywhere.0 * 5 < device.0,
            "{release}: {device:?}, {everywhere:?}"
        );
        assert!(
            everywhere.1 > device.1 * 3 / 2,
            "{release}: {device:?}, {everywhere:?}"
        );
    }
}

#[test]
#[ignore = "not run: needs clang 19 and the registry"]
fn tiny_kernels_are_cut_by_the_ops_limit() {
    let bench = Bench::new();
    let model = model("tiny-kernels.yaml");
    for release in PINS {
        let tree = bench.pin(release);
        let all = measured(&bench, &tree, &tree.patched, &model);
        assert_eq!(compare(&model, &all), [], "{release}");
        for one in &all {
            // The check says yes once a buffer has more ops than the limit.
            let expected = 3200_u64.div_ceil(u64::from(one.setting.max_ops) + 1);
            assert_eq!(one.buffers, expected * one.passes, "{release}: {one:?}");
        }
    }
}

#[test]
#[ignore = "not run: needs clang 19 and the registry"]
fn a_lost_read_and_a_kept_one_are_found() {
    let bench = Bench::new();
    let model = model("command-r7b.yaml");
    let tree = bench.pin(crate::NEWEST);
    let codes = |files: &Files| -> Vec<(&'static str, bool)> {
        let all = measured(&bench, &tree, files, &model);
        let findings = compare(&model, &all).into_iter();
        findings
            .map(|it| {
                let pipelined = it.message().starts_with(Phase::Pipelined.name());
                (it.code(), pipelined)
            })
            .collect()
    };
    let lost = codes(&altered(&tree.patched, "max_mb = budget;", ""));
    assert_eq!(lost, vec![("guard-does-not-reach", true); 2]);
    // The guard's end is ignored.
    let kept = altered(
        &tree.patched,
        "budget > 0 ? budget : 0,",
        "budget > 0 ? budget : mb_per_buffer_override_slot.load(),",
    );
    assert_eq!(codes(&kept), vec![("guard-reaches-too-far", false); 2]);
}
