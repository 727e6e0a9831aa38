//! The pins, from the crates that carry them.

use patchctl::verify::run::{Diagnosis, Differential};

use super::PINS;
use crate::NEWEST;
use crate::bench::{Bench, Files, altered};

#[test]
#[ignore = "not run: needs clang 19 and the registry"]
fn every_scenario_passes_on_each_pin() {
    let bench = Bench::new();
    for release in PINS {
        let tree = bench.pin(release);
        let built = bench.build(&tree, &tree.patched).unwrap();
        assert_eq!(
            bench.complaints(&built.program),
            (vec![], None),
            "{release}"
        );
    }
}

#[test]
#[ignore = "not run: needs clang 19 and the registry"]
fn upstream_alone_skips_override_scenarios() {
    let bench = Bench::new();
    let tree = bench.pin(NEWEST);
    let built = bench.build(&tree, &Files::new()).unwrap();
    let (complaints, diagnosis) = bench.complaints(&built.program);
    assert_eq!(diagnosis, None);
    let setting = bench
        .scenarios
        .iter()
        .filter(|scenario| scenario.sets_override());
    assert_eq!(complaints.len(), setting.count());
    for line in complaints {
        assert!(
            line.ends_with("not run: this tree has no override"),
            "{line}"
        );
    }
}

#[test]
#[ignore = "not run: needs clang 19 and the registry"]
fn random_sequences_commit_as_upstream() {
    let bench = Bench::new();
    for release in PINS {
        let tree = bench.pin(release);
        let difference = Differential {
            upstream: &bench.build(&tree, &Files::new()).unwrap().program,
            patched: &bench.build(&tree, &tree.patched).unwrap().program,
            has_override: true,
            runner: &bench.runner,
            seed: 1,
            sequences: 1000,
        }
        .compare()
        .unwrap();
        assert!(difference.is_none(), "{release}: {difference:#?}");
    }
}

#[test]
#[ignore = "not run: needs clang 19 and the registry"]
fn without_the_read_raised_budgets_fail() {
    let bench = Bench::new();
    let tree = bench.pin(NEWEST);
    let files = altered(&tree.patched, "max_mb = budget;", "");
    let (complaints, diagnosis) = bench.complaints(&bench.build(&tree, &files).unwrap().program);
    assert_eq!(diagnosis, Some(Diagnosis::NotUsed));
    assert!(
        complaints.contains(
            &"budget-bound: at 1000: expected command buffers of 51 x7, rest 43 ops, saw 13 x30, rest 10".to_owned()
        ),
        "{complaints:#?}"
    );
}

#[test]
#[ignore = "not run: needs clang 19 and the registry"]
fn counting_bytes_fails_the_element_scenario() {
    let bench = Bench::new();
    let tree = bench.pin(NEWEST);
    let files = altered(
        &tree.patched,
        "buffer_sizes_ += a.data_size();",
        "buffer_sizes_ += a.data_size() * a.itemsize();",
    );
    let (complaints, diagnosis) = bench.complaints(&bench.build(&tree, &files).unwrap().program);
    assert_eq!(diagnosis, Some(Diagnosis::OtherRule));
    assert!(!complaints.is_empty());
    for line in complaints {
        assert!(line.starts_with("elements-not-bytes: int64"), "{line}");
    }
}

#[test]
#[ignore = "not run: needs clang 19 and the registry"]
fn counting_outputs_twice_is_another_rule() {
    let bench = Bench::new();
    let tree = bench.pin(NEWEST);
    let files = altered(
        &tree.patched,
        "all_outputs_.insert(a.buffer().ptr());",
        "all_outputs_.insert(a.buffer().ptr());\n  buffer_sizes_ += a.data_size();",
    );
    let (complaints, diagnosis) = bench.complaints(&bench.build(&tree, &files).unwrap().program);
    assert_eq!(diagnosis, Some(Diagnosis::OtherRule));
    assert!(
        complaints.contains(
            &"outputs-count: default: expected command buffers of 3 x3, rest 1 ops, saw 2 x5"
                .to_owned()
        ),
        "{complaints:#?}"
    );
}

#[test]
#[ignore = "not run: needs clang 19 and the registry"]
fn a_commit_inside_a_dispatch_is_told() {
    let bench = Bench::new();
    let tree = bench.pin(NEWEST);
    let files = altered(
        &tree.patched,
        "get_command_encoder()->dispatchThreads(grid_dims, group_dims);",
        "get_command_encoder()->dispatchThreads(grid_dims, group_dims);\n  if (needs_commit()) {\n    end_encoding();\n    commit();\n  }",
    );
    let (complaints, diagnosis) = bench.complaints(&bench.build(&tree, &files).unwrap().program);
    assert_eq!(diagnosis, Some(Diagnosis::OwnPlace));
    assert!(
        complaints.contains(
            &"architecture-s: command buffers committed although the check had not said so: 4, the first of ops 1 to 51".to_owned()
        ),
        "{complaints:#?}"
    );
}

#[test]
#[ignore = "not run: needs clang 19 and the registry"]
fn a_selector_that_host_metal_lacks_is_named() {
    let bench = Bench::new();
    let tree = bench.pin(NEWEST);
    let files = altered(
        &tree.patched,
        "max_ops_per_buffer_ = env::",
        "device_->hasUnifiedMemory();\n  max_ops_per_buffer_ = env::",
    );
    let (complaints, diagnosis) = bench.complaints(&bench.build(&tree, &files).unwrap().program);
    assert!(matches!(diagnosis, Some(Diagnosis::Dies(_))));
    assert!(
        complaints[0]
            .contains("host-metal: unknown selector 'hasUnifiedMemory', sent to MTLDevice"),
        "{complaints:#?}"
    );
}

#[test]
#[ignore = "not run: needs clang 19 and the registry"]
fn a_file_that_the_encoder_newly_needs_is_named() {
    let bench = Bench::new();
    let tree = bench.pin(NEWEST);
    let files = altered(
        &tree.patched,
        "bool CommandEncoder::needs_commit() const {",
        "bool CommandEncoder::needs_commit() const { set_compile_mode(CompileMode::disabled);",
    );
    let files = altered(
        &files,
        "#include \"mlx/utils.h\"",
        "#include \"mlx/compile.h\"\n#include \"mlx/utils.h\"",
    );
    match bench.build(&tree, &files) {
        Err(error) if error.code() == "link-failed" => {
            let help = error.advice().unwrap();
            assert!(
                help.contains(
                    "set_compile_mode(mlx::core::CompileMode): add mlx/compile.cpp to the list"
                ),
                "{help}"
            );
        }
        other => panic!("{other:?}"),
    }
}

#[test]
#[ignore = "not run: needs clang 19 and the registry"]
fn an_overlays_print_is_no_drivers_line() {
    let bench = Bench::new();
    let tree = bench.pin(NEWEST);
    let asked = "bool CommandEncoder::needs_commit() const {";
    let printing = format!("{asked}\n  std::printf(\"asked\");");
    let patched = altered(&tree.patched, asked, &printing);
    let built = bench.build(&tree, &patched).unwrap();
    assert_eq!(bench.complaints(&built.program), (vec![], None));
}
