//! `patchctl retire`: an overlay leaves the pins, whole or from a release on.

use crate::support::files::Files;
use crate::support::pinned::{OVERLAY, pinned};
use crate::support::scratch::Scratch;
use crate::support::upstream::Tags;

const TREE: &str = "tree/quill/gpu.cpp";

/// Upstream's file of a release.
fn upstream(release: &str) -> String {
    format!("// {release}\nint limit() {{\n  return 50;\n}}\n")
}

/// Runs `line`, which is to end with 0.
fn ran(scratch: &Scratch, line: &str) {
    let outcome = scratch.run(line);
    assert_eq!(outcome.code, Some(0), "{line}: {outcome}");
}

fn snapshots(scratch: &Scratch) -> Vec<String> {
    let Ok(folder) = std::fs::read_dir(scratch.path("tests/snapshots")) else {
        return Vec::new();
    };
    let names = folder.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.collect()
}

#[test]
fn last_overlay_is_taken_out_of_every_pin() {
    let scratch = pinned();
    scratch.write(TREE, upstream("1.1.0"));
    ran(&scratch, "apply tree");
    assert_ne!(scratch.read(TREE), upstream("1.1.0"));
    let retired = scratch.run("retire budget");
    assert_eq!(retired.code, Some(0), "{retired}");
    assert!(!scratch.path("overlays/budget.yaml").exists(), "{retired}");
    assert!(!scratch.read("overlays/lock.yaml").contains("budget"));
    assert_eq!(snapshots(&scratch), Vec::<String>::new());
    for line in [
        "status --check",
        "verify --all-pins --level structure",
        "bump --all-pins --level structure",
        "test",
        "apply tree",
    ] {
        ran(&scratch, line);
    }
    assert_eq!(scratch.read(TREE), upstream("1.1.0"));
    assert_eq!(
        scratch
            .read("overlays/pins.yaml")
            .matches("- release")
            .count(),
        2
    );
}

#[test]
fn older_pins_keep_it() {
    let scratch = pinned();
    let retired = scratch.run("retire budget --since v1.1.0");
    assert_eq!(retired.code, Some(0), "{retired}");
    assert!(
        retired
            .to_string()
            .contains("ends before 1.1.0; 1.0.0 keeps it"),
        "{retired}"
    );
    let narrowed = OVERLAY.replace("'>=1.0.0'", "'>=1.0.0, <1.1.0'");
    assert_eq!(scratch.read("overlays/budget.yaml"), narrowed);
    assert_eq!(snapshots(&scratch).len(), 1);
    ran(&scratch, "status --check");
    scratch.write(TREE, upstream("1.0.0"));
    ran(&scratch, "apply tree --mlx 1.0.0");
    assert!(scratch.read(TREE).contains("int budget();"));
    // The last pin that needs it goes, and the file with it.
    ran(&scratch, "retire budget --since 1.0.0");
    assert!(!scratch.path("overlays/budget.yaml").exists());
    ran(&scratch, "status --check");
}

#[test]
fn overlay_without_releases_gets_them() {
    let scratch = pinned();
    let text = OVERLAY
        .replace("releases: '>=1.0.0'\n", "")
        .replace('\n', "\r\n");
    scratch.write("overlays/budget.yaml", &text);
    ran(&scratch, "bump --all-pins");
    ran(&scratch, "retire budget --since 1.1.0");
    let expected = text.replace(
        "overlay: budget\r\n",
        "overlay: budget\r\nreleases: '<1.1.0'\r\n",
    );
    assert_eq!(scratch.read("overlays/budget.yaml"), expected);
}

#[test]
fn release_without_overlays_is_pinned_when_asked() {
    let mut scratch = Scratch::new();
    let mut upstream = scratch.upstream();
    for (release, limit) in [("1.0.0", 50), ("1.2.0", 51)] {
        let text = format!("int limit() {{\n  return {limit};\n}}\n").into_bytes();
        let files = Files::from([("quill/gpu.cpp".to_owned(), text)]);
        upstream.commit(release, "Release", &files);
        upstream.tag(release, &format!("v{release}"), Tags::Lightweight);
    }
    let landed = "landed:\n  - { in: { function: limit }, tokens: 'return 51 ;' }\n";
    scratch.write("overlays/budget.yaml", format!("{OVERLAY}{landed}"));
    ran(&scratch, "bump --mlx 1.0.0 --reviewed read");
    let landed = scratch.run("bump --mlx 1.2.0");
    assert_eq!(landed.code, Some(1), "{landed}");
    let next = "patchctl retire budget --since 1.2.0";
    assert!(
        landed.json()["next"]
            .as_array()
            .unwrap()
            .iter()
            .any(|it| it == next),
        "{landed}"
    );
    ran(&scratch, "retire budget --since 1.2.0");
    let before = scratch.snapshot();
    let unclaimed = scratch.run("bump --mlx 1.2.0");
    assert_eq!(unclaimed.code, Some(2), "{unclaimed}");
    assert!(
        unclaimed.to_string().contains("--without-overlays"),
        "{unclaimed}"
    );
    assert!(before.differences(&scratch.snapshot()).is_empty());
    ran(&scratch, "bump --mlx 1.2.0 --without-overlays");
    assert!(
        scratch
            .read("overlays/pins.yaml")
            .contains("current: 1.2.0")
    );
    for line in [
        "status --check",
        "verify",
        "verify --all-pins",
        "test --all-pins",
    ] {
        ran(&scratch, line);
    }
}

#[test]
fn pending_snapshot_goes_with_it() {
    let scratch = pinned();
    scratch.write(
        "overlays/budget.yaml",
        OVERLAY.replace("int budget();", "long budget();"),
    );
    let waits = scratch.run("bump --all-pins");
    assert_eq!(waits.code, Some(1), "{waits}");
    assert!(
        snapshots(&scratch)
            .iter()
            .any(|it| it.ends_with(".snap.new"))
    );
    ran(&scratch, "retire budget");
    assert_eq!(snapshots(&scratch), Vec::<String>::new());
}

#[test]
fn dry_run_writes_nothing() {
    let scratch = pinned();
    let before = scratch.snapshot();
    let outcome = scratch.run("retire budget --dry-run");
    assert_eq!(outcome.code, Some(0), "{outcome}");
    assert!(
        outcome.to_string().contains("overlays/budget.yaml"),
        "{outcome}"
    );
    assert!(before.differences(&scratch.snapshot()).is_empty());
}

#[test]
fn overlay_that_cannot_go_is_named() {
    let scratch = pinned();
    let later = OVERLAY
        .replace("overlay: budget", "overlay: later")
        .replace("int budget();", "int later();")
        .replace("hunks:", "after: [budget]\nhunks:");
    scratch.write("overlays/later.yaml", later);
    for (line, shows) in [
        ("retire bugdet", "did you mean `budget`?"),
        (
            "retire budget",
            "there is no overlay `budget` to come after",
        ),
        (
            "retire budget --since latest",
            "expected a release such as 0.33.0",
        ),
    ] {
        let before = scratch.snapshot();
        let outcome = scratch.run(line);
        assert_eq!(outcome.code, Some(2), "{outcome}");
        assert!(outcome.shown().contains(shows), "{outcome}");
        assert!(before.differences(&scratch.snapshot()).is_empty());
    }
}
