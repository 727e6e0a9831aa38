//! `status`: what a repository's own files say, and where they disagree.

use std::fs;

use crate::support::files::Snapshot;
use crate::support::outcome::Outcome;
use crate::support::pinned::{OVERLAY, pinned};
use crate::support::scratch::Scratch;

fn facts(status: &Outcome, name: &str) -> Vec<String> {
    let json = status.json();
    let steps = json["steps"].as_array().unwrap().iter();
    let named = steps.filter(|step| step["name"] == name);
    named
        .map(|step| step["what"].as_str().unwrap().to_owned())
        .collect()
}

fn edit(scratch: &Scratch, file: &str, from: &str, to: &str) {
    let text = scratch.read(file);
    assert!(text.contains(from), "{file} lacks {from}");
    scratch.write(file, text.replace(from, to));
}

/// What `status --check` finds, which plain `status` finds too and ends with 0 all the same.
fn disagreements(scratch: &Scratch) -> Vec<String> {
    let shown = scratch.run("status");
    assert_eq!(shown.code, Some(0), "{shown}");
    let check = scratch.run("status --check");
    assert_eq!(check.findings(), shown.findings());
    assert_eq!(check.json()["ok"], check.code.is_some_and(|code| code == 0));
    match check.code {
        Some(1) => check.codes().into_iter().collect(),
        other => panic!("ended with {other:?}: {check}"),
    }
}

#[test]
fn repository_in_order_is_told_by_its_files() {
    let scratch = pinned();
    let before = Snapshot::of(&scratch.root());
    let status = scratch.run_with("--offline status --check", |command| {
        command.env("PATH", "");
    });
    assert_eq!(status.code, Some(0), "{status}");
    assert_eq!(before.differences(&Snapshot::of(&scratch.root())), [""; 0]);
    assert_eq!(status.findings(), [serde_json::Value::Null; 0]);

    let overlay = &facts(&status, "overlay")[0];
    assert!(overlay.starts_with("budget: 1 hunk, digest "), "{overlay}");
    assert!(
        overlay.ends_with(", as locked for 1.0.0, 1.1.0"),
        "{overlay}"
    );
    assert!(facts(&status, "current")[0].starts_with("1.1.0 ("));
    assert_eq!(facts(&status, "reviewed"), ["1 shape"]);
    let proven = facts(&status, "proven");
    assert_eq!(proven.len(), 2);
    assert!(proven[0].starts_with("1.1.0: structure on "), "{proven:?}");
    let json = status.json();
    let releases: Vec<_> = json["results"].as_array().unwrap().iter().collect();
    assert_eq!(
        releases[0]["release"], "1.1.0",
        "the current one comes first"
    );
    assert_eq!(releases[1]["release"], "1.0.0");
    assert_eq!(releases[0]["status"], "passed");
    assert_eq!(releases[0]["level"], "structure");
}

#[test]
fn a_repository_without_pins_is_in_order_too() {
    let scratch = Scratch::new();
    let status = scratch.run("status --check");
    assert_eq!(status.code, Some(0), "{status}");
    assert_eq!(facts(&status, "current"), ["nothing is pinned yet"]);
    assert_eq!(facts(&status, "overlay"), ["none in overlays"]);
}

#[test]
fn changed_overlay_disagrees_with_every_pin() {
    let scratch = pinned();
    edit(
        &scratch,
        "overlays/budget.yaml",
        "int budget();",
        "int budget(int);",
    );
    assert_eq!(disagreements(&scratch), ["lock-mismatch"]);
    let status = scratch.run("status");
    let overlay = &facts(&status, "overlay")[0];
    assert!(
        overlay.ends_with(", changed since it was locked for 1.0.0, 1.1.0"),
        "{overlay}"
    );
    assert!(!overlay.contains(", as locked for"), "{overlay}");
    assert_eq!(
        facts(&status, "reviewed"),
        ["1 shape, 1 of edits that are no longer there"]
    );
    let next = ["patchctl bump --all-pins"];
    assert_eq!(status.json()["next"], serde_json::json!(next));
}

#[test]
fn overlays_that_came_or_went_since_disagree() {
    let scratch = pinned();
    let other = OVERLAY.replace("budget", "other");
    scratch.write("overlays/other.yaml", &other);
    assert_eq!(disagreements(&scratch), ["lock-mismatch"]);
    // One that claims the older pin's release alone is a matter of that one.
    scratch.write("overlays/other.yaml", other.replace(">=1.0.0", "<1.1.0"));
    let next = ["patchctl bump --mlx 1.0.0 --keep-current"];
    assert_eq!(
        scratch.run("status").json()["next"],
        serde_json::json!(next)
    );
    // One that claims no pinned release is nothing to them.
    scratch.write("overlays/other.yaml", other.replace(">=1.0.0", ">=2.0.0"));
    assert_eq!(scratch.run("status --check").code, Some(0));
    fs::remove_file(scratch.path("overlays/other.yaml")).unwrap();
    fs::remove_file(scratch.path("overlays/budget.yaml")).unwrap();
    assert_eq!(disagreements(&scratch), ["lock-mismatch"]);
}

#[test]
fn pins_and_lock_that_do_not_list_the_same_disagree() {
    let scratch = pinned();
    let pins = scratch.read("overlays/pins.yaml");
    let first = pins.find("- release: 1.0.0").unwrap();
    let second = pins.find("- release: 1.1.0").unwrap();
    let without_the_old = format!("{}{}", &pins[..first], &pins[second..]);
    scratch.write("overlays/pins.yaml", without_the_old);
    assert_eq!(disagreements(&scratch), ["lock-mismatch"]);
    scratch.write("overlays/pins.yaml", &pins);
    let lock = scratch.read("overlays/lock.yaml");
    scratch.write("overlays/lock.yaml", "schema: 1\npins: []\n");
    // Nor does the lock then have what the snapshots are of.
    let both = ["lock-mismatch", "snapshot-unused"];
    assert_eq!(disagreements(&scratch), both);
    scratch.write("overlays/lock.yaml", &lock);
    let commit = pins[second..].split("revision: ").nth(1).unwrap();
    let commit = commit.lines().next().unwrap();
    let other = pins.replace(commit, &"a".repeat(40));
    scratch.write("overlays/pins.yaml", other);
    assert_eq!(disagreements(&scratch), ["lock-mismatch"]);
    let json = scratch.run("status").json();
    assert_eq!(json["results"][0]["status"], "failed");
    assert_eq!(json["results"][1]["status"], "passed");
}

#[test]
fn place_of_another_pin_disagrees() {
    let scratch = pinned();
    let config = scratch.read("patchctl.yaml");
    let place = "{ file: VERSION, regex: '^(v.+)$', form: tag }";
    scratch.write("VERSION", "v1.0.0\n");
    scratch.write(
        "patchctl.yaml",
        format!("{config}pin:\n  authority: {place}\n"),
    );
    assert_eq!(disagreements(&scratch), ["pin-authority-differs"]);
    let verify = scratch.run("verify --level structure");
    assert_eq!(verify.code, Some(1), "{verify}");
    assert!(verify.codes().contains("pin-authority-differs"), "{verify}");
    let status = scratch.run("status");
    assert_eq!(
        facts(&status, "authority"),
        ["VERSION:1: regular expression `^(v.+)$`: v1.0.0"]
    );

    scratch.write(
        "patchctl.yaml",
        format!("{config}pin:\n  follows: [{place}]\n"),
    );
    let check = scratch.run("status --check");
    assert_eq!(check.code, Some(0), "{check}");
    assert_eq!(check.findings()[0]["code"], "pin-follower-differs");
    assert_eq!(check.findings()[0]["severity"], "warning");

    scratch.write("VERSION", "v1.1.0\n");
    assert_eq!(
        scratch.run("status --check").findings(),
        [serde_json::Value::Null; 0]
    );
    fs::remove_file(scratch.path("VERSION")).unwrap();
    assert!(facts(&scratch.run("status"), "follows")[0].ends_with(": not found"));
}

#[test]
fn killed_bump_is_told_and_not_repaired() {
    let scratch = pinned();
    edit(
        &scratch,
        "overlays/budget.yaml",
        "int budget();",
        "int budget(int);",
    );
    // Late enough for the journal to be there, and too early for all files to be.
    let killed = scratch.run_with("bump --mlx 1.1.0 --reviewed read", |command| {
        command.env("PATCHCTL_TEST_ABORT_AT", "8");
    });
    assert_eq!(killed.code, None, "{killed}");
    let before = Snapshot::of(&scratch.root());
    let codes = disagreements(&scratch);
    assert!(
        codes.contains(&"pending-transaction".to_owned()),
        "{codes:?}"
    );
    assert_eq!(before.differences(&Snapshot::of(&scratch.root())), [""; 0]);
    let shown = scratch.run("status").shown();
    assert!(
        shown.contains("`patchctl bump --mlx 1.1.0` was interrupted"),
        "{shown}"
    );
    assert!(
        shown.contains("it first undoes the interrupted one"),
        "{shown}"
    );

    // Held by a process, it is at work and not interrupted.
    let lock = fs::File::open(scratch.path(".patchctl/lock")).unwrap();
    lock.lock().unwrap();
    let status = scratch.run("status");
    assert!(!status.codes().contains("pending-transaction"), "{status}");
    let running = |it: &serde_json::Value| it["code"] == "command-running";
    assert!(status.findings().iter().any(running), "{status}");
}

#[test]
fn pin_past_its_evidence_is_noted() {
    let scratch = pinned();
    let evidence = "evidence:\n  - { record: docs/m.md#m3, mlx: 1.0.0, what: tokens/s on an M3 }\n";
    scratch.write("overlays/budget.yaml", format!("{OVERLAY}{evidence}"));
    let check = scratch.run("status --check");
    assert_eq!(check.code, Some(0), "the lock holds it still: {check}");
    assert_eq!(
        facts(&check, "evidence"),
        ["budget: docs/m.md#m3, on 1.0.0: tokens/s on an M3"]
    );
    let codes: Vec<_> = check
        .findings()
        .iter()
        .map(|it| it["code"].clone())
        .collect();
    assert_eq!(codes, ["evidence-missing", "evidence-behind"]);
    let behind = &check.findings()[1];
    assert_eq!(behind["severity"], "note");
    let message = behind["message"].as_str().unwrap();
    assert!(
        message.ends_with("on 1.0.0 (docs/m.md#m3); the current pin is 1.1.0"),
        "{message}"
    );

    scratch.write("docs/m.md", "# M3\n");
    edit(&scratch, "overlays/budget.yaml", "mlx: 1.0.0", "mlx: 1.1.0");
    assert_eq!(
        scratch.run("status --check").findings(),
        [serde_json::Value::Null; 0]
    );
}
