//! Level run on real MLX: not run without clang 19 and the registry that the pins' crates come from.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking, in the functions that it calls too"
)]

mod bench;

use bench::{Bench, Files, altered};
use camino::Utf8Path;
use patchctl::verify::run::{Diagnosis, Differential, Ended, RunError, exercise};

const PINS: [&str; 3] = ["0.31.2", "0.32.0", "0.32.2"];
const NEWEST: &str = "0.32.2";

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
fn upstream_alone_passes_what_sets_no_override_and_the_rest_is_not_run() {
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
            line.ends_with("not run: this tree has no override: it is not patched"),
            "{line}"
        );
    }
}

#[test]
#[ignore = "not run: needs clang 19 and the registry"]
fn random_sequences_commit_where_upstream_does_with_the_same_budget() {
    let bench = Bench::new();
    for release in PINS {
        let tree = bench.pin(release);
        let difference = Differential {
            upstream: &bench.build(&tree, &Files::new()).unwrap().program,
            patched: &bench.build(&tree, &tree.patched).unwrap().program,
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
fn without_the_read_the_scenarios_that_raise_the_budget_fail_and_say_so() {
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
fn a_fork_that_counts_bytes_fails_only_the_scenario_about_elements() {
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
fn a_fork_that_counts_outputs_a_second_time_is_told_that_its_rule_is_another() {
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
fn a_fork_that_commits_inside_a_dispatch_is_told_which_ops_nobody_asked_about() {
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
        Err(error @ RunError::OpenSymbols { .. }) => {
            let help = error.help().unwrap();
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
#[ignore = "not run: needs clang 19 and PATCHCTL_TEST_MLX_GIT"]
fn every_scenario_passes_on_the_forms_that_releases_had_before() {
    let bench = Bench::new();
    for release in ["0.29.4", "0.30.0", "0.30.6", "0.31.1"] {
        let tree = bench.tag(release);
        let built = bench.build(&tree, &tree.patched).unwrap();
        assert_eq!(
            bench.complaints(&built.program),
            (vec![], None),
            "{}",
            tree.release
        );
    }
}

#[test]
#[ignore = "not run: needs clang 19 and PATCHCTL_TEST_MLX_GIT"]
fn a_release_that_wants_older_headers_is_not_run_and_says_why() {
    let bench = Bench::new();
    for release in ["0.23.0", "0.26.5", "0.29.3"] {
        let tree = bench.tag(release);
        let error = bench.build(&tree, &tree.patched).unwrap_err();
        assert!(error.is_not_run(), "{error}");
        assert!(error.to_string().contains("metal-cpp"), "{error}");
    }
}

/// `PATCHCTL_TEST_SEQUENCES` says how many; the nightly job asks for 10,000.
fn sequences() -> usize {
    let wanted = std::env::var("PATCHCTL_TEST_SEQUENCES");
    wanted.map_or(200, |text| text.parse().expect("a number"))
}

fn has_no_finding(flags: &[&str], options: (&str, &str)) {
    let bench = Bench::new();
    let tree = bench.pin(NEWEST);
    let flags: Vec<String> = flags.iter().map(ToString::to_string).collect();
    let built = bench.build_with(&flags, &tree, &tree.patched).unwrap();
    let environment = [(options.0.to_owned(), options.1.to_owned())].into();
    let ended = exercise(&built.program, 1, sequences(), &environment, &bench.runner).unwrap();
    if let Some(Ended::Badly { how, said }) = &ended {
        panic!("{how}\n{said}");
    }
    assert_eq!(ended, None);
}

#[test]
#[ignore = "not run: needs clang 19 with its runtime libraries, and minutes"]
fn the_address_and_undefined_behaviour_sanitizers_have_no_finding() {
    let ignored =
        Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("../bridge/host-metal/sanitizers.txt");
    let flags = [
        &*format!("-fsanitize-ignorelist={ignored}"),
        "-fsanitize=address,undefined",
        "-fno-sanitize-recover=all",
        "-gline-tables-only",
    ];
    has_no_finding(&flags, ("ASAN_OPTIONS", "detect_stack_use_after_return=1"));
}

#[test]
#[ignore = "not run: needs clang 19 with its runtime libraries, and minutes"]
fn the_thread_sanitizer_has_no_finding() {
    let flags = ["-fsanitize=thread", "-gline-tables-only"];
    has_no_finding(
        &flags,
        ("TSAN_OPTIONS", "halt_on_error=1:second_deadlock_stack=1"),
    );
}
