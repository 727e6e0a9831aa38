//! Upstream's files that are made to be read slowly or deeply: each command ends with status 1, and says which limit the
//! file exceeds.

use std::time::Instant;

use crate::support::quill;
use crate::support::upstream::Tags;

const FILE: &str = "quill/gpu/recorder.cpp";

/// Bumps to a release whose file is `text`; five times the time that is wanted of a release build.
fn refused(text: &str, limit: &str) {
    let mut quill = quill::pinned();
    let mut files = quill.files_of("1.1.0").clone();
    files.insert(FILE.to_owned(), text.as_bytes().to_vec());
    quill.upstream.commit("1.2.0", "A large file", &files);
    quill.upstream.tag("1.2.0", "v1.2.0", Tags::Lightweight);
    let before = quill.scratch.snapshot();
    let begun = Instant::now();
    let outcome = quill.scratch.run("bump --mlx 1.2.0");
    assert_eq!(outcome.code, Some(1), "{outcome}");
    let shown = outcome.shown();
    assert!(shown.contains("anchor-untrusted"), "{outcome}");
    assert!(shown.contains(limit), "{outcome}");
    assert!(begun.elapsed().as_secs() < 60, "{:?}", begun.elapsed());
    let differences = before.differences(&quill.scratch.snapshot());
    assert!(differences.is_empty(), "{differences:?}\n{outcome}");
}

#[test]
fn nested_classes_are_too_deep() {
    refused(&"struct a{\n".repeat(1280), "256 deep (line 257)");
}

#[test]
fn a_long_chain_of_elif_is_read() {
    let chain = format!("#if 0\n{}#endif\n", "#elif a\n".repeat(2560));
    let mut quill = quill::pinned();
    let mut files = quill.files_of("1.1.0").clone();
    files
        .entry(FILE.to_owned())
        .and_modify(|text| text.extend(chain.bytes()));
    quill.upstream.commit("1.2.0", "A long chain", &files);
    quill.upstream.tag("1.2.0", "v1.2.0", Tags::Lightweight);
    let outcome = quill.scratch.run("bump --mlx 1.2.0");
    assert_eq!(outcome.code, Some(0), "{outcome}");
}

#[test]
fn open_template_brackets_are_too_deep() {
    refused(&"a<".repeat(150_000), "256 deep (line 1)");
}

#[test]
fn a_statement_without_end_is_too_long() {
    let text = format!("int x = 1{};\n", "+1".repeat(5000));
    refused(&text, "a statement has more than 2048 tokens");
}

#[test]
fn too_many_tokens_are_not_read() {
    refused(&"int f() {}\n".repeat(60_000), "more than 250000 tokens");
}
