//! `test --decode`: descriptions that are wrong, and a machine without clang. What needs clang is in `needs_clang`.

use std::fs;
use std::path::Path;

use crate::program::{patchctl, ran, run};
use crate::support::locked::Repository;

const EXAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/examples/decode");

#[test]
fn a_description_that_is_wrong_is_a_usage_error_at_its_place() {
    let repository = Repository::new();
    let example = fs::read_to_string(Path::new(EXAMPLES).join("command-r7b.yaml")).unwrap();
    let wrong = example.replacen("in_place: true", "in_place: true, weight: 1", 1);
    fs::write(repository.path("model.yaml"), wrong).unwrap();
    let refused = repository.run("test --decode model.yaml --format json");
    assert_eq!(refused.status, 2, "{refused:?}");
    let document = refused.json();
    let finding = &document["findings"][0];
    assert_eq!(finding["code"], "yaml-unknown-key", "{document}");
    assert_eq!(finding["file"], "model.yaml");
    let line = example
        .lines()
        .position(|line| line.contains("in_place: true"))
        .map(|index| index as u64 + 1);
    assert_eq!(finding["line"].as_u64(), line);
    let shown = repository.run("test --decode model.yaml");
    assert!(
        shown.stderr.contains("did you mean `weights`?"),
        "{shown:?}"
    );
    let missing = repository.run("test --decode nowhere.yaml");
    assert_eq!(missing.status, 3, "{missing:?}");
}

#[cfg(not(target_os = "macos"))]
#[test]
fn without_clang_it_is_not_run_and_never_passed() {
    let repository = Repository::new();
    let without_clang = |line: &str| {
        let nothing = tempfile::tempdir().unwrap();
        let mut command = repository.command();
        ran(command
            .env("PATH", nothing.path())
            .args(line.split_whitespace()))
    };
    let line = format!("test --decode {EXAMPLES}/tiny-kernels.yaml --format json");
    let tested = without_clang(&line);
    assert_eq!(tested.status, 0, "{tested:?}");
    let document = tested.json();
    assert_eq!(document["results"][0]["status"], "not-run", "{document}");
    let finding = &document["results"][0]["findings"][0];
    assert_eq!(finding["code"], "no-real-backend");
    // The stub has no command buffers.
    assert!(document["checks"].is_null(), "{document}");
    assert_eq!(without_clang(&format!("{line} --level run")).status, 3);
}

#[test]
fn its_schema_is_printed() {
    let folder = tempfile::tempdir().unwrap();
    let schema = run(folder.path(), "schema decode").json();
    let quantized = &schema["definitions"]["op"]["properties"]["quantized"];
    assert!(quantized.is_object(), "{schema}");
    let help = ran(patchctl(folder.path()).args(["schema", "--help"]));
    assert!(help.stdout.contains("decode"), "{help:?}");
}
