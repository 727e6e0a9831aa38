//! Levels `compile` and `run` on real MLX, as the commands tell them: each fault passes level `structure`, as nothing
//! about its place is wrong.
//!
//! Ignored by default: they take clang 19 and packages from crates.io. `ci/test` installs it and runs them.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::outcome::Outcome;
use crate::support::scratch::Scratch;

/// The repository's overlay with `old`, which stands in it `times` times, replaced by `new`.
fn repository(old: &str, new: &str, times: usize) -> Scratch {
    let mut scratch = Scratch::new();
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../overlays/mlx");
    let overlay = fs::read_to_string(own.join("decode-input-budget.yaml")).unwrap();
    assert_eq!(overlay.matches(old).count(), times, "{old}");
    scratch.write(
        "overlays/decode-input-budget.yaml",
        overlay.replace(old, new),
    );
    scratch.set_cache(PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("crates"));
    scratch.set_source(Some("crates".to_owned()));
    scratch
}

/// Bumps to the newest pin's release, with every hunk said to be right where it lands.
fn bump(scratch: &Scratch, level: &str) -> Outcome {
    let hunks =
        ["include", "commit-check", "entry-points"].map(|hunk| format!("--reviewed {hunk}"));
    scratch.run(&format!("bump --mlx 0.32.2 {level} {}", hunks.join(" ")))
}

/// The bump is refused for `code`, writes nothing, and would have passed at level `structure`.
fn is_refused(scratch: &Scratch, code: &str) -> Value {
    let before = scratch.snapshot();
    let refused = bump(scratch, "");
    assert_eq!(refused.code, Some(1), "{refused}");
    let findings = refused.findings();
    assert_eq!(findings.len(), 1, "{refused}");
    assert_eq!(findings[0]["code"], code, "{refused}");
    let differences = before.differences(&scratch.snapshot());
    assert_eq!(differences, Vec::<String>::new());
    let structure = bump(scratch, "--level structure");
    assert_eq!(structure.code, Some(0), "{structure}");
    findings[0].clone()
}

#[test]
#[ignore = "needs clang 19 and crates.io"]
fn a_bump_proves_the_encoder_and_the_lock_says_so() {
    let scratch = repository("schema: 1\n", "schema: 1\n", 1);
    let outcome = bump(&scratch, "--level run");
    assert_eq!(outcome.code, Some(0), "{outcome}");
    assert_eq!(outcome.json()["results"][0]["level"], "run", "{outcome}");
    let lock: Value = serde_yaml::from_str(&scratch.read("overlays/lock.yaml")).unwrap();
    let proven = lock["pins"][0]["proven"].as_array().unwrap();
    let levels: Vec<&str> = proven
        .iter()
        .map(|one| one["level"].as_str().unwrap())
        .collect();
    assert_eq!(levels, ["structure", "compile", "run"]);
    let built = scratch.run("build --backend host-metal");
    let next = built.json()["next"][0].as_str().unwrap().to_owned();
    let library = next
        .split(' ')
        .find_map(|word| word.strip_prefix("MLX_BRIDGE_LIB="));
    let archive = fs::read(library.unwrap()).unwrap();
    assert!(archive.starts_with(b"!<arch>\n"), "{next}");
    let tested = scratch.run("test --level run");
    assert_eq!(tested.code, Some(0), "{tested}");
    let verified = scratch.run("verify --level compile");
    assert_eq!(
        verified.json()["results"][0]["level"],
        "compile",
        "{verified}"
    );
}

#[test]
#[ignore = "needs clang 19 and crates.io"]
fn a_read_that_is_lost_is_found_by_the_encoders_behaviour() {
    let scratch = repository("max_mb = budget;", "(void)budget;", 1);
    let finding = is_refused(&scratch, "behaviour-differs");
    let message = finding["message"].as_str().unwrap();
    assert!(
        message.contains("the override is set and read back, and command buffers do not end by it"),
        "{message}"
    );
    let excerpt = finding["excerpt"].as_str().unwrap();
    assert!(
        excerpt.contains("up-and-down: at 1000: expected command buffers of rest 20 ops"),
        "{excerpt}"
    );
}

#[test]
#[ignore = "needs clang 19 and crates.io"]
fn an_include_that_upstreams_headers_would_hide_is_missed_by_the_overlays_own_compile() {
    let scratch = repository("          #include <atomic>\n", "          // none\n", 1);
    let finding = is_refused(&scratch, "own-code-incomplete");
    let excerpt = finding["excerpt"].as_str().unwrap();
    assert!(
        excerpt.contains("no member named 'atomic'") || excerpt.contains("'std'"),
        "{excerpt}"
    );
}

#[test]
#[ignore = "needs clang 19 and crates.io"]
fn an_entry_point_that_nobody_outside_can_call_is_not_provided() {
    let scratch = repository(
        "__attribute__((visibility(\"default\"))) int mb_per_buffer_override",
        "int mb_per_buffer_override",
        1,
    );
    let finding = is_refused(&scratch, "not-provided");
    let message = finding["message"].as_str().unwrap();
    assert!(
        message.contains("mb_per_buffer_override() is defined and hidden"),
        "{message}"
    );
}

#[test]
#[ignore = "needs clang 19 and crates.io"]
fn code_that_does_not_compile_is_shown_with_what_the_compiler_said() {
    let scratch = repository("max_mb = budget;", "max_mb = budgets;", 1);
    let finding = is_refused(&scratch, "compile-failed");
    assert_eq!(finding["file"], "mlx/backend/metal/device.cpp");
    let excerpt = finding["excerpt"].as_str().unwrap();
    assert!(
        excerpt.contains("use of undeclared identifier 'budgets'"),
        "{excerpt}"
    );
}

#[test]
#[ignore = "needs clang 19 and crates.io"]
fn an_override_that_is_in_force_though_it_is_0_is_found() {
    let scratch = repository("budget > 0) {", "budget >= 0) {", 1);
    is_refused(&scratch, "behaviour-differs");
}

#[test]
#[ignore = "needs clang 19 and crates.io"]
fn a_decode_model_is_a_table_for_a_person_and_numbers_for_a_program() {
    let scratch = repository("schema: 1\n", "schema: 1\n", 1);
    let outcome = bump(&scratch, "--level structure");
    assert_eq!(outcome.code, Some(0), "{outcome}");
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/examples/decode");
    let line = format!("test --decode {}/command-r7b.yaml", example.display());
    let tested = scratch.run(&line);
    assert_eq!(tested.code, Some(0), "{tested}");
    let json = tested.json();
    let measured = json["results"][0]["measured"].as_array().unwrap();
    // Six settings, three phases, two numbers.
    assert_eq!(measured.len(), 36, "{tested}");
    let is_guarded = |one: &&Value| {
        one["under"] == "1000 ops, 1000 around pipelined decode"
            && one["phase"] == "pipelined decode"
            && one["what"] == "command buffers"
    };
    let guarded: Vec<&Value> = measured.iter().filter(is_guarded).collect();
    assert_eq!(guarded[0]["value"], 2, "{tested}");
    let table = scratch.run(&format!("{line} --format human")).stdout;
    let row = table
        .lines()
        .find(|row| row.contains("1000 ops, 1000 around pipelined decode"));
    assert!(row.is_some_and(|row| row.contains("  2, ")), "{table}");
    let lost = repository("max_mb = budget;", "(void)budget;", 1);
    assert_eq!(bump(&lost, "--level structure").code, Some(0));
    let tested = lost.run(&line);
    assert_eq!(tested.code, Some(1), "{tested}");
    let codes: Vec<String> = tested.codes().into_iter().collect();
    assert_eq!(codes, ["guard-does-not-reach"], "{tested}");
    let message = tested.findings()[0]["message"].to_string();
    // 22 for each of 8 tokens.
    assert!(
        message.contains("pipelined decode takes 176 command buffers"),
        "{message}"
    );
}

#[test]
#[ignore = "needs clang 19 and crates.io"]
fn a_fault_that_nothing_notices_fails_and_is_shown() {
    let mut scratch = Scratch::new();
    scratch.write(
        "overlays/count.yaml",
        "schema: 1\noverlay: count\ntitle: Counts what nobody reads\nwhy: a test\n\
         file: mlx/backend/metal/device.cpp\nreleases: '>=0.31.2'\nhunks:\n  - id: count\n    edits:\n      \
         - at: { function: 'CommandEncoder::needs_commit', position: begin }\n        \
         insert: |2\n            [[maybe_unused]] int count = 7;\n",
    );
    scratch.set_cache(PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("crates"));
    scratch.set_source(Some("crates".to_owned()));
    let bumped = scratch.run("bump --mlx 0.32.2 --reviewed count --level structure");
    assert_eq!(bumped.code, Some(0), "{bumped}");
    let verified = scratch.run("verify --mutants");
    assert_eq!(verified.code, Some(1), "{verified}");
    let json = verified.json();
    assert_eq!(json["results"][0]["level"], "mutants", "{verified}");
    let rows = json["mutants"].as_array().unwrap();
    let faults: Vec<&str> = rows.iter().map(|it| it["what"].as_str().unwrap()).collect();
    assert_eq!(
        faults,
        [
            "the edit is left out",
            "`count = 7` became `count = 8`",
            "`count = 7` became `count = 0`"
        ]
    );
    assert!(rows.iter().all(|row| row.get("killer").is_none()));
    assert!(json.get("proven").is_none(), "{verified}");
    let findings = verified.findings();
    assert_eq!(findings.len(), 3, "{verified}");
    assert_eq!(findings[1]["code"], "mutant-survived");
    assert_eq!(findings[1]["hunk"], "count/count.1");
    assert_eq!(
        findings[1]["excerpt"],
        "-   [[maybe_unused]] int count = 7;\n+   [[maybe_unused]] int count = 8;"
    );
}

/// Compiled on Linux, the code is there; for the Mac it is not.
#[test]
#[ignore = "needs zig, clang 19 and crates.io"]
fn needs_zig_what_linux_alone_has_is_missed_in_the_object_for_the_mac() {
    let lines = [
        "__attribute__((visibility(\"default\"))) int mb_per_buffer_override() {",
        "  return mb_per_buffer_override_slot.load(std::memory_order_relaxed);",
        "}",
    ];
    let getter: String = lines.map(|line| format!("          {line}\n")).concat();
    let on_linux = format!("          #ifdef __linux__\n{getter}          #endif\n");
    let finding = is_refused(&repository(&getter, &on_linux, 1), "mac-object-wrong");
    assert_eq!(
        finding["message"],
        "compiled for macOS on Apple silicon, mlx::core::metal::mb_per_buffer_override() is not defined"
    );
    let scratch = repository("schema: 1\n", "schema: 1\n", 1);
    let proven = bump(&scratch, "--level compile");
    let shown = proven.json()["results"][0]["shown"].to_string();
    assert!(
        shown.contains(
            "macOS on Apple silicon: mlx/backend/metal/device.cpp, bridge/native/cpp/metal.cc compiled"
        ),
        "{proven}"
    );
}
