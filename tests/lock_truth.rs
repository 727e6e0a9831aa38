//! What the lock says is true, stays, and is told apart from what the overlays say.

use std::fs;

use serde_json::Value;

use crate::support::files::Files;
use crate::support::locked::as_schema_1;
use crate::support::outcome::Outcome;
use crate::support::pinned::{OVERLAY, pinned};
use crate::support::scratch::Scratch;
use crate::support::upstream::{Tags, Upstream};

const LOCK: &str = "overlays/lock.yaml";
const FILE: &str = "quill/gpu.cpp";

/// Rewrites the lock in schema 1, whose entries can be edited.
fn edit_lock(scratch: &Scratch, from: &str, to: &str) {
    let lock = as_schema_1(&scratch.read(LOCK));
    let edited = lock.replace(from, to);
    assert_ne!(lock, edited, "{from}");
    scratch.write(LOCK, edited);
}

fn messages(outcome: &Outcome, code: &str) -> Vec<String> {
    let of_code = |finding: &Value| finding["code"] == code;
    let all = outcome.findings().into_iter().filter(of_code);
    all.map(|finding| finding["message"].as_str().unwrap().to_owned())
        .collect()
}

/// A pin whose lock says that level run was shown.
fn proven_to_run() -> Scratch {
    let scratch = pinned();
    let structure = "  - level: structure\n";
    let run = "  - level: run\n    host: linux-x86_64\n    by: patchctl 0.1.0\n";
    edit_lock(&scratch, structure, &format!("{run}{structure}"));
    scratch
}

/// Case 43: a name that YAML takes for a number was written without quotes, and no command could read the file again.
#[test]
fn names_that_look_like_numbers_are_read_back() {
    let scratch = pinned();
    scratch.write(
        "overlays/budget.yaml",
        OVERLAY.replace("id: read", "id: '1e999'"),
    );
    let bump = scratch.run("bump --mlx 1.1.0 --reviewed budget/1e999");
    assert_eq!(bump.code, Some(0), "{bump}");
    let bump = scratch.run("bump --all-pins");
    assert_eq!(bump.code, Some(0), "{bump}");
    let status = scratch.run("status --check");
    assert_eq!(status.code, Some(0), "{status}");
}

/// Case 44: a bump to a lower level took the proofs of the same bytes out of the lock.
#[test]
fn lower_level_keeps_proofs_of_the_same_bytes() {
    let scratch = proven_to_run();
    let bump = scratch.run("bump --mlx 1.1.0 --level structure");
    assert_eq!(bump.code, Some(0), "{bump}");
    assert_eq!(scratch.read(LOCK).matches("level: run").count(), 2);
    // No suite is known of it, so it is not this one.
    let proven = bump.json()["proven"].as_array().unwrap().clone();
    let run = proven.iter().find(|proof| proof["level"] == "run");
    assert_eq!(run.unwrap()["older_suite"], true, "{proven:?}");
    let status = scratch.run("status --format human");
    let line = "1.1.0: run (by an older suite) on linux-x86_64";
    assert!(status.stdout.contains(line), "{status}");
}

/// Case 44: nor was it said that a lower level replaced a higher one.
#[test]
fn lowered_level_is_told_until_it_is_reached_again() {
    let scratch = proven_to_run();
    scratch.write(
        "overlays/budget.yaml",
        OVERLAY.replace("budget();", "other();"),
    );
    let told = |line: &str| {
        let outcome = scratch.run(line);
        assert_eq!(outcome.code, Some(0), "{outcome}");
        messages(&outcome, "proof-lowered")
    };
    let message = |release: &str| {
        format!(
            "{release} was locked at level run; what is locked now is proven to level structure"
        )
    };
    let bumped = told("bump --all-pins --reviewed read");
    assert_eq!(bumped, [message("1.0.0"), message("1.1.0")]);
    assert_eq!(told("bump --mlx 1.1.0"), [message("1.1.0")]);
    assert_eq!(told("status --check"), [message("1.1.0"), message("1.0.0")]);
}

/// An upstream with these releases.
fn upstream(scratch: &Scratch, name: &str, releases: &[&str]) -> Upstream {
    let mut upstream = Upstream::new(&scratch.beside(name));
    for release in releases {
        let text = format!("// {release}\nint limit() {{\n  return 50;\n}}\n");
        let files = Files::from([(FILE.to_owned(), text.into_bytes())]);
        upstream.commit(release, "Release", &files);
        upstream.tag(release, &format!("v{release}"), Tags::Lightweight);
    }
    upstream
}

/// Case 45: the first source that answered decided what is the latest release.
#[test]
fn latest_is_the_newest_of_all_sources() {
    let mut scratch = pinned();
    let older = upstream(&scratch, "older.git", &["1.0.0"]);
    let newer = upstream(&scratch, "newer.git", &["1.0.0", "1.2.0"]);
    scratch.set_source(None);
    let sources = format!("--source {} --source {}", older.source(), newer.source());
    let bump = scratch.run(&format!("{sources} bump --mlx latest"));
    assert_eq!(bump.code, Some(0), "{bump}");
    assert!(
        scratch
            .read("overlays/pins.yaml")
            .contains("current: 1.2.0")
    );
}

/// Case 45: `latest` took the current pin back to an older release.
#[test]
fn latest_never_goes_back_unasked() {
    let mut scratch = pinned();
    let older = upstream(&scratch, "older.git", &["1.0.0"]);
    scratch.set_source(Some(older.source()));
    let pins = scratch.read("overlays/pins.yaml");
    let bump = scratch.run("bump --mlx latest");
    assert_eq!(messages(&bump, "downgrade").len(), 1, "{bump}");
    assert_eq!(bump.code, Some(2), "{bump}");
    assert_eq!(scratch.read("overlays/pins.yaml"), pins);
    let asked = scratch.run("bump --mlx latest --allow-downgrade");
    assert_eq!(asked.code, Some(0), "{asked}");
    assert!(asked.stdout.contains("1.1.0 -> 1.0.0 (down)"), "{asked}");
}

/// Case 46: none of these was noticed.
#[test]
fn locks_that_no_bump_writes_are_refused() {
    for (from, to) in [
        ("path: quill/gpu.cpp", "path: quill/other.cpp"),
        ("edit: budget/read.1", "edit: budget/other.1"),
        ("length: 0", "length: 3"),
        ("int budget();", "int other();"),
        ("level: structure", "level: perfect"),
        (
            "by: patchctl 0.1.0",
            "by: \"patchctl 0.1.0\\nproven  everything\"",
        ),
    ] {
        let scratch = pinned();
        edit_lock(&scratch, from, to);
        let status = scratch.run("status --check");
        assert!(matches!(status.code, Some(1 | 2)), "{to}: {status}");
    }
}

/// Case 46: `apply` goes by the lock, and says where the overlays at hand differ from it.
#[test]
fn apply_names_edits_that_differ_from_the_overlays() {
    let scratch = pinned();
    let text = "// 1.1.0\nint limit() {\n  return 50;\n}\n";
    scratch.write("tree/quill/gpu.cpp", text);
    assert_eq!(
        messages(&scratch.run("apply tree"), "lock-mismatch"),
        [""; 0]
    );
    let patched = scratch.read("tree/quill/gpu.cpp");
    scratch.write(
        "overlays/budget.yaml",
        OVERLAY.replace("budget();", "other();"),
    );
    for line in ["apply tree", "apply tree --check"] {
        let apply = scratch.run(line);
        assert_eq!(apply.code, Some(0), "{apply}");
        let differences: Vec<Value> = apply.findings();
        assert_eq!(differences.len(), 2, "{apply}");
        for finding in &differences {
            assert_eq!(
                (&finding["code"], &finding["severity"]),
                (&"lock-mismatch".into(), &"warning".into())
            );
        }
        let all = messages(&apply, "lock-mismatch").join("\n");
        assert!(
            all.contains("overlay `budget`, which has changed since"),
            "{all}"
        );
        assert!(
            all.contains("the marker of budget/read.1 is not the edit's"),
            "{all}"
        );
        assert_eq!(scratch.read("tree/quill/gpu.cpp"), patched);
    }
    scratch.write("overlays/budget.yaml", "overlay: [\n");
    let apply = scratch.run("apply tree --check");
    assert_eq!(apply.code, Some(0), "{apply}");
    assert_eq!(apply.findings()[0]["severity"], "warning");
    fs::remove_file(scratch.path("overlays/budget.yaml")).unwrap();
    assert_eq!(
        scratch.run("apply tree --check").findings(),
        [Value::Null; 0]
    );
}

/// `merge=union` makes one entry of two; the attributes in docs/architecture.md keep the files out of it.
#[test]
fn merge_driver_of_the_lock_is_warned_of() {
    let scratch = pinned();
    git2::Repository::init(scratch.root()).unwrap();
    scratch.write(".gitattributes", "*.yaml merge=union\n*.snap merge=union\n");
    let status = scratch.run("status --check");
    assert_eq!(status.code, Some(0), "{status}");
    assert_eq!(messages(&status, "merge-driver").len(), 5, "{status}");
    let advice = "overlays/*.yaml merge -text\ntests/snapshots/*.snap merge -text\n";
    scratch.write(
        ".gitattributes",
        format!("*.yaml merge=union\n*.snap merge=union\n{advice}"),
    );
    let status = scratch.run("status --check");
    assert_eq!(messages(&status, "merge-driver"), [""; 0], "{status}");
}
