//! The forms of a report, and the file that it is written to besides.

use std::fs;

use crate::support::files::{Files, Snapshot};
use crate::support::pinned::{OVERLAY, pinned};
use crate::support::scratch::Scratch;
use crate::support::upstream::{Tags, Upstream};

const MARKDOWN: &str = "--format markdown";
const GITHUB: &str = "--format github";

const GPU: &str = "quill/gpu.cpp";

/// 1.0.0 pinned; up to 1.1.0 there are three commits, of which one changes the file of the overlay.
fn behind() -> (Scratch, Upstream) {
    let mut scratch = Scratch::new();
    let mut upstream = scratch.upstream();
    let files = |gpu: &str, other: &str| {
        let file = |name: &str, text: &str| (name.to_owned(), text.as_bytes().to_vec());
        Files::from([file(GPU, gpu), file("other.cpp", other)])
    };
    let old = "int limit() {\n  return 50;\n}\n";
    let new = "// Limits.\n\nint limit() {\n  return 50;\n}\n";
    upstream.commit("old", "Release", &files(old, "a"));
    upstream.tag("old", "v1.0.0", Tags::Lightweight);
    upstream.commit("one", "Other", &files(old, "b"));
    upstream.commit(
        "two",
        "Say what it is | @everyone `x` (#12)",
        &files(new, "b"),
    );
    upstream.commit("new", "Release", &files(new, "c"));
    upstream.tag("new", "v1.1.0", Tags::Lightweight);
    scratch.write("overlays/budget.yaml", OVERLAY);
    let bump = scratch.run("bump --mlx 1.0.0 --reviewed read");
    assert_eq!(bump.code, Some(0), "{bump}");
    (scratch, upstream)
}

#[test]
fn report_of_a_bump_is_complete() {
    let (scratch, upstream) = behind();
    let bump = scratch.run("bump --mlx 1.1.0 --report bump.md");
    assert_eq!(bump.code, Some(0), "{bump}");
    let text = scratch.read("bump.md");
    for part in [
        "## patchctl bump: 1.0.0 → 1.1.0\n\n**passed**: 1 release: 1 passed",
        &format!("| old | 1.0.0 | `{}` |\n", upstream.id("old")),
        &format!("| new | 1.1.0 | `{}` |\n", upstream.id("new")),
        "Between them: 3 commits and 2 changed files.\n",
        "| `quill/gpu.cpp` | changed | 1 | 1 |\n",
        &format!("| `{}` | v1.0.0-2-g", &upstream.id("two")[..12]),
        "<code>Say what it is &#124; @everyone &#96;x&#96; (#12)</code>",
        "### Proven\n\n| release | level | host | by |\n| --- | --- | --- | --- |\n| 1.1.0 | structure | ",
        "### Not run\n",
        "### What to do\n",
        "- written: `overlays/lock.yaml`\n",
    ] {
        assert!(text.contains(part), "no {part:?} in {text}");
    }
    let json = bump.json();
    assert_eq!(json["bump"]["range"]["commits"], 3);
    assert_eq!(
        json["bump"]["upstream_commits"][0]["revision"],
        *upstream.id("two")
    );
    assert_eq!(json["proven"][0]["release"], "1.1.0");
}

#[test]
fn json_report_is_the_terminals_document() {
    let scratch = pinned();
    let status = scratch.run("status --report out.json");
    assert_eq!(scratch.read("out.json"), status.stdout);
    let markdown = scratch.run(&format!("{MARKDOWN} status --report out.md"));
    assert_eq!(scratch.read("out.md"), markdown.stdout);
    assert!(
        markdown
            .stdout
            .starts_with("## patchctl status\n\n**passed**"),
        "{markdown}"
    );
    let diff = scratch.run("diff --report diff.md");
    assert_eq!(diff.code, Some(0), "{diff}");
    let text = scratch.read("diff.md");
    assert!(text.starts_with("## patchctl diff\n\n```diff\n"), "{text}");
    assert!(text.contains("+int budget();\n"), "{text}");
}

#[test]
fn error_replaces_an_older_report() {
    let scratch = pinned();
    scratch.write("out.md", "old\n");
    scratch.write("overlays/budget.yaml", format!("{OVERLAY}nonsense: 1\n"));
    let verify = scratch.run("verify --report out.md");
    assert_eq!(verify.code, Some(2), "{verify}");
    let text = scratch.read("out.md");
    assert!(
        text.starts_with("## patchctl verify\n\n**failed**\n"),
        "{text}"
    );
    assert!(
        text.contains("**error** `yaml-unknown-key`, `overlays/budget.yaml:"),
        "{text}"
    );
}

#[test]
fn unwritable_report_stops_the_command_early() {
    let (scratch, _upstream) = behind();
    fs::create_dir(scratch.path("overlays.json")).unwrap();
    let before = Snapshot::of(&scratch.root());
    for file in ["absent/bump.md", "overlays.json"] {
        let bump = scratch.run(&format!("bump --mlx 1.1.0 --report {file}"));
        assert_eq!(bump.code, Some(3), "{bump}");
        assert_eq!(bump.codes().into_iter().collect::<Vec<_>>(), ["io"]);
        assert!(bump.stderr.contains(file), "{bump}");
    }
    assert_eq!(before.differences(&Snapshot::of(&scratch.root())), [""; 0]);
    let wrong = scratch.run("status --report bump.txt");
    assert_eq!(wrong.code, Some(2), "{wrong}");
}

#[test]
fn github_gets_annotations_and_a_summary() {
    let scratch = pinned();
    scratch.write("overlays/budget.yaml", format!("{OVERLAY}nonsense: 1\n"));
    scratch.write("summary.md", "before\n");
    let line = 1 + OVERLAY.lines().count();
    let verify = scratch.run_with(&format!("{GITHUB} verify"), |command| {
        command.env("GITHUB_STEP_SUMMARY", scratch.path("summary.md"));
        command.env("GITHUB_WORKSPACE", scratch.root().parent().unwrap());
    });
    assert_eq!(
        (verify.code, verify.stderr.as_str()),
        (Some(2), ""),
        "{verify}"
    );
    let lines: Vec<&str> = verify.stdout.lines().collect();
    assert_eq!(lines[..2], ["patchctl verify: failed", "1 error"]);
    let place = format!(
        "::error file=repository/overlays/budget.yaml,line={line},col=1,title=yaml-unknown-key::"
    );
    assert!(lines[2].starts_with(&place), "{verify}");
    let summary = scratch.read("summary.md");
    assert!(
        summary.starts_with("before\n## patchctl verify\n"),
        "{summary}"
    );
}

#[test]
fn upstream_place_is_in_the_annotation() {
    let (scratch, mut upstream) = behind();
    let renamed = "int bound() {\n  return 50;\n}\n";
    upstream.commit(
        "later",
        "Rename",
        &Files::from([(GPU.to_owned(), renamed.into())]),
    );
    upstream.tag("later", "v1.2.0", Tags::Lightweight);
    let bump = scratch.run(&format!("{GITHUB} bump --mlx 1.2.0"));
    assert_eq!(bump.code, Some(1), "{bump}");
    let annotation = bump.stdout.lines().find(|line| line.starts_with("::error"));
    let annotation = annotation.unwrap();
    assert!(
        annotation.starts_with("::error title=anchor-not-found::quill/gpu.cpp:"),
        "{annotation}"
    );
    assert!(
        bump.stdout
            .contains("\n::group::the whole report\n::stop-commands::"),
        "{bump}"
    );
}
