//! Overlays and locks that are wrong: each ends with its status, names its place, and changes no file.

use std::fs::File;

use crate::support::quill::{self, refused};

const OVERLAY: &str = "overlays/flush-budget.yaml";

/// Every command that reads overlays refuses this one with status 2.
fn refused_overlay(text: impl AsRef<[u8]>, shows: &[&str]) {
    let quill = quill::pinned();
    quill.scratch.write(OVERLAY, text);
    for line in ["bump --mlx 1.1.0", "verify", "status"] {
        refused(&quill, line, 2, shows);
    }
}

fn overlay() -> String {
    quill::fresh().scratch.read(OVERLAY)
}

#[test]
fn unknown_key_is_refused_with_the_likeliest() {
    let text = overlay().replace("    edits:", "    edtis:");
    refused_overlay(text, &["overlays/flush-budget.yaml:9", "edtis", "edits"]);
}

#[test]
fn value_of_the_wrong_type_is_refused() {
    let text = overlay().replace("hunks:\n", "hunks: 7\nx:\n");
    refused_overlay(text, &["overlays/flush-budget.yaml:7", "7"]);
}

#[test]
fn duplicate_key_is_refused_with_both_places() {
    let text = overlay().replace("file: quill", "title: again\nfile: quill");
    refused_overlay(text, &["overlays/flush-budget.yaml:5", "title", "line 3"]);
}

#[test]
fn an_empty_file_is_refused() {
    refused_overlay("", &[OVERLAY, "empty"]);
}

#[test]
fn a_file_that_is_no_text_is_refused() {
    refused_overlay(b"schema: 1\noverlay: \xff\xfe\n", &[OVERLAY]);
}

#[test]
fn file_of_100_megabytes_is_refused_unread() {
    let quill = quill::pinned();
    let file = File::create(quill.scratch.path(OVERLAY)).unwrap();
    file.set_len(100 << 20).unwrap();
    for line in ["bump --mlx 1.1.0", "verify", "status"] {
        let outcome = quill.scratch.run(line);
        assert_eq!(outcome.code, Some(2), "{outcome}");
        assert!(outcome.shown().contains(OVERLAY), "{outcome}");
    }
    assert_eq!(file.metadata().unwrap().len(), 100 << 20);
}

#[test]
fn aliases_that_multiply_are_refused() {
    let mut bomb = overlay() + "x0: &x0 [a, a, a, a, a, a, a, a, a]\n";
    for level in 1..12 {
        let alias = format!("*x{}", level - 1);
        let aliases = [alias.as_str(); 9].join(", ");
        bomb += &format!("x{level}: &x{level} [{aliases}]\n");
    }
    refused_overlay(bomb, &[OVERLAY, "alias"]);
}

#[test]
fn wrong_regular_expression_is_refused() {
    let condition = "    expect:\n      - { in: { function: Recorder::wants_flush }, matches: '(' }\n  - id: declare";
    let text = overlay().replace("  - id: declare", condition);
    refused_overlay(text, &["overlays/flush-budget.yaml:19", "("]);
}

#[test]
fn a_path_that_leaves_the_tree_is_refused() {
    for path in [
        "../recorder.cpp",
        "/etc/passwd",
        "quill/../../x.cpp",
        "C:\\x.cpp",
    ] {
        let text = overlay().replace("file: quill/gpu/recorder.cpp", &format!("file: '{path}'"));
        refused_overlay(text, &[OVERLAY, path]);
    }
}

#[test]
fn overlay_for_a_file_that_is_gone_fails() {
    let quill = quill::pinned();
    let text = overlay().replace(
        "file: quill/gpu/recorder.cpp",
        "file: quill/gpu/recorder.mm",
    );
    quill.scratch.write(OVERLAY, text);
    let outcome = refused(&quill, "bump --mlx 1.1.0", 1, &["quill/gpu/recorder.mm"]);
    assert!(outcome.codes().contains("file-gone"), "{outcome}");
}

#[test]
fn lock_path_that_leaves_the_tree_is_refused() {
    let quill = quill::with_tree();
    let lock = quill.scratch.read("overlays/lock.yaml");
    for path in ["../outside.cpp", "/outside.cpp", "a/../../outside.cpp"] {
        quill.scratch.write(
            "overlays/lock.yaml",
            lock.replace("quill/gpu/recorder.cpp", path),
        );
        refused(&quill, "apply tree", 2, &["lock.yaml", path]);
    }
}

#[test]
fn lock_of_a_newer_schema_is_refused() {
    let quill = quill::with_tree();
    let lock = quill.scratch.read("overlays/lock.yaml");
    quill.scratch.write(
        "overlays/lock.yaml",
        lock.replacen("schema: 3", "schema: 4", 1),
    );
    for line in ["apply tree", "bump --mlx 1.1.0", "verify", "status"] {
        refused(&quill, line, 2, &["lock.yaml", "schema"]);
    }
}
