//! Places and the current pin.

use camino::Utf8Path;

use super::super::place_disagreements;
use super::*;
use crate::report::{Code, Finding, Severity};

fn disagree(pin: &str, current: &str, files: &[(&str, &str)]) -> Vec<Finding> {
    let root = tempfile::tempdir().unwrap();
    let root = Utf8Path::from_path(root.path()).unwrap();
    for (file, text) in files {
        std::fs::write(root.join(file), text).unwrap();
    }
    place_disagreements(root, &places(pin), &super::pin(current))
}

const ALL: &str = "  authority: { file: a, yaml: a, form: tag }\n  write: [{ file: b, yaml: a, form: release }]\n  follows: [{ file: c, yaml: a, form: tag }]\n";

#[test]
fn places_that_hold_the_current_pin_say_nothing() {
    let files = [("a", "a: v0.32.2"), ("b", "a: 0.32.2"), ("c", "a: v0.32.2")];
    assert_eq!(disagree(ALL, "0.32.2", &files), []);
    assert_eq!(disagree("  write: []\n", "0.32.2", &[]), []);
}

#[test]
fn a_place_with_another_pin_is_named_with_advice() {
    let files = [
        ("a", "\na: v0.32.4"),
        ("b", "a: 0.31.2"),
        ("c", "a:  'v0.31.2'"),
    ];
    let findings = disagree(ALL, "0.32.2", &files);
    let shown: Vec<String> = findings
        .iter()
        .map(|one| {
            let place = (
                one.file.as_deref().unwrap(),
                one.line.unwrap(),
                one.column.unwrap(),
            );
            format!(
                "{place:?} {:?} {}: {} -- {}",
                one.severity,
                one.code,
                one.message,
                one.help.as_deref().unwrap()
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            "(\"a\", 2, 4) Error pin-authority-differs: the pin here is `v0.32.4`, ahead of the current pin `v0.32.2` -- run `patchctl bump --mlx 0.32.4` to follow it, or set it to `v0.32.2`",
            "(\"b\", 1, 4) Error pin-place-differs: the pin here is `0.31.2`, behind the current pin `0.32.2` -- run `patchctl bump --mlx 0.32.2` to rewrite it, or set it to `0.32.2`",
            "(\"c\", 1, 6) Warning pin-follower-differs: the pin here is `v0.31.2`, behind the current pin `v0.32.2` -- set it to `v0.32.2` when its time has come; patchctl does not write it",
        ]
    );
}

#[test]
fn a_follower_that_is_not_found_is_a_warning() {
    let findings = disagree(ALL, "0.32.2", &[("b", "b: 0.32.2")]);
    let shown: Vec<(&str, Code, Severity)> = findings
        .iter()
        .map(|one| (one.file.as_deref().unwrap(), one.code, one.severity))
        .collect();
    assert_eq!(
        shown,
        [
            ("a", Code::FileUnreadable, Severity::Error),
            ("b", Code::PlaceNotThere, Severity::Error),
            ("c", Code::FileUnreadable, Severity::Warning),
        ]
    );
}

#[test]
fn a_commit_as_pin_agrees_with_commits_only() {
    let pin = "  write: [{ file: a, yaml: a, form: tag }, { file: a, yaml: b, form: commit }]\n";
    let text = "a: v0.32.1\nb: 1f8e74e3f12f31365464a6867c6579f0e9b29d85\n";
    let findings = disagree(pin, "v0.32.1-26-g846d176", &[("a", text)]);
    assert_eq!(findings.len(), 1);
    assert_eq!(
        findings[0].message,
        "the pin here is `v0.32.1`, behind the current pin `v0.32.1-26-g846d176`"
    );
    assert_eq!(
        findings[0].help.as_deref(),
        Some("the current pin is no release: write `form: commit` in patchctl.yaml")
    );
}

#[test]
fn places_come_in_the_configurations_order() {
    let findings = disagree(ALL, "0.32.2", &[]);
    let found = findings.iter();
    let found: Vec<_> = found.map(|it| (it.file.as_deref(), it.severity)).collect();
    let expected = [
        (Some("a"), Severity::Error),
        (Some("b"), Severity::Error),
        (Some("c"), Severity::Warning),
    ];
    assert_eq!(found, expected);
}
