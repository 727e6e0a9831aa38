//! The snapshot files themselves: what is in them, and what keeps them in step with pins and lock.

use std::fs;
use std::path::Path;

use insta::Snapshot;
use patchctl::workspace::snapshots::Front;

use crate::support::case::Case;
use crate::support::pinned;
use crate::support::play::Player;
use crate::support::reviewing::{BUMP, edit, ends, snapshots, unknown_shape, waiting, wrong};

#[test]
fn insta_reads_a_snapshot_and_would_write_the_same_bytes() {
    let Player { scratch, .. } = &waiting();
    for (name, line) in [
        ("flush-budget@1.0.0.snap", None),
        ("flush-budget@1.1.0.snap.new", Some(8)),
    ] {
        let path = scratch.path("tests/snapshots").join(name);
        let snapshot = Snapshot::from_file(&path).unwrap();
        let metadata = snapshot.metadata();
        assert_eq!(metadata.source(), Some("overlays/flush-budget.yaml"));
        assert_eq!(metadata.assertion_line(), line);
        let description = line.map(|_| "to be reviewed: read.1");
        assert_eq!(metadata.description(), description);
        let bytes = fs::read_to_string(&path).unwrap();
        let contents = snapshot.as_text().unwrap().to_string();
        assert!(bytes.ends_with(&format!("---\n{contents}\n")), "{bytes}");
        let again = scratch.beside("again.snap");
        snapshot.save(&again).unwrap();
        let kept = bytes.replace("assertion_line: 8\n", "");
        assert_eq!(fs::read_to_string(again).unwrap(), kept);
    }
}

#[test]
fn snapshots_that_are_missing_or_changed_disagree_and_a_bump_of_all_pins_mends_them() {
    let scratch = pinned::pinned();
    let file = "tests/snapshots/budget@1.0.0.snap";
    let good = scratch.read(file);
    for (from, to, code) in [
        ("+int budget();", "+int budget(int);", "snapshot-damaged"),
        ("line     1", "line     2", "snapshot-differs"),
        ("---\nsource", "--\nsource", "snapshot-damaged"),
        (" on 1.0.0\ncommit", " on 1.1.0\ncommit", "snapshot-damaged"),
        ("\ncommit ", "\ncommit a", "snapshot-differs"),
    ] {
        edit(&scratch, file, from, to);
        assert_eq!(wrong(&scratch), [code], "{from}");
        ends(&scratch, "bump --all-pins", 0);
        assert_eq!(scratch.read(file), good);
    }
    fs::remove_file(scratch.path(file)).unwrap();
    assert_eq!(wrong(&scratch), ["snapshot-missing"]);
    let next = ends(&scratch, "status", 0).json()["next"].clone();
    let mends = serde_json::json!(["patchctl bump --mlx 1.0.0 --keep-current"]);
    assert_eq!(next, mends);
    ends(&scratch, "bump --all-pins", 0);
    // Line ends that git changed on the way change nothing.
    scratch.write(file, good.replace('\n', "\r\n"));
    assert_eq!(wrong(&scratch), [""; 0]);
}

#[test]
fn a_snapshot_that_names_another_scope_is_found_where_the_source_is() {
    let scratch = pinned::pinned();
    let file = "tests/snapshots/budget@1.1.0.snap";
    let (front, text) = Front::split(&scratch.read(file)).unwrap();
    let mut snapshot = patchctl::workspace::snapshots::Snapshot::parse(&text).unwrap();
    assert_eq!(scratch.run("verify --all-pins").code, Some(0));
    let place = snapshot.parts[0].place.as_mut().unwrap();
    place.scope = "another()".to_owned();
    scratch.write(file, front.to_text() + &snapshot.to_text());
    // Nothing in the repository's own files contradicts it.
    assert_eq!(wrong(&scratch), [""; 0]);
    let verify = ends(&scratch, "verify --all-pins", 1);
    assert_eq!(verify.codes(), ["snapshot-differs".to_owned()].into());
}

/// The snapshot of a case after its last bump, and the case's last release.
fn of_case(case: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/corpus/working");
    let case = Case::read(&folder.join(case)).unwrap();
    let steps = case.steps.clone();
    let mut player = Player::new(case);
    player.steps(&steps).unwrap();
    let names = snapshots(&player.scratch);
    let path = format!("tests/snapshots/{}", names.last().unwrap());
    player.scratch.read(&path)
}

#[test]
fn line_ends_the_files_end_and_upstreams_lines_that_go_are_visible() {
    let feeds = |text: &str| text.lines().filter(|line| line.starts_with('+')).count();
    let crlf = of_case("crlf");
    assert!(feeds(&crlf) > 2, "{crlf}");
    assert_eq!(crlf.matches("␍␊\n").count(), feeds(&crlf), "{crlf}");

    let replaced = of_case("replaced-line-is-listed");
    assert!(
        replaced.contains("\nupstream lines removed or altered: 1, by "),
        "{replaced}"
    );
    let gone = replaced.lines().filter(|line| line.starts_with('-'));
    assert_eq!(gone.filter(|line| *line != "---").count(), 1, "{replaced}");
    assert!(
        replaced.contains("+#if 0 // patchctl:was␊\n-"),
        "{replaced}"
    );

    let unended = of_case("insert-after-an-unended-last-line");
    let last = unended.lines().rev().nth(1).unwrap();
    assert!(last.starts_with("+// patchctl:end"), "{unended}");
    assert!(!last.ends_with('␊'), "{unended}");
    assert!(unended.ends_with("\n[end of file]\n"), "{unended}");
    assert!(unended.contains("\n+␊\n+// patchctl:begin"), "{unended}");

    let needless = of_case("include-there-already");
    assert!(
        needless.contains("\nnot needed here: upstream has it\n"),
        "{needless}"
    );
}

#[test]
fn snapshots_of_pins_and_overlays_that_are_gone_go_with_the_next_bump_and_strangers_stay() {
    let scratch = pinned::pinned();
    let other = pinned::OVERLAY.replace("budget", "other");
    let other = other
        .replace("    edits:", "    edits: # second\n")
        .replace("overlay: other", "overlay: other\nafter: [budget]");
    scratch.write("overlays/other.yaml", other);
    ends(&scratch, "bump --all-pins --reviewed other/read", 0);
    let stranger = "---\nsource: tests/other.rs\nexpression: x\n---\n1\n";
    for name in [
        "theirs.snap",
        "budget@1.0.0-beta.snap",
        "other@2.0.0.snap.new",
    ] {
        scratch.write(&format!("tests/snapshots/{name}"), stranger);
    }
    fs::remove_file(scratch.path("overlays/other.yaml")).unwrap();
    let pins = scratch.read("overlays/pins.yaml");
    let (first, second) = (pins.find("- release: 1.0.0"), pins.find("- release: 1.1.0"));
    let without = format!("{}{}", &pins[..first.unwrap()], &pins[second.unwrap()..]);
    scratch.write("overlays/pins.yaml", without);
    ends(&scratch, "bump --all-pins", 0);
    assert_eq!(
        snapshots(&scratch),
        [
            "budget@1.0.0-beta.snap",
            "budget@1.1.0.snap",
            "other@2.0.0.snap.new",
            "theirs.snap"
        ]
    );
    assert_eq!(wrong(&scratch), [""; 0]);
}

#[test]
fn the_folder_is_the_configurations() {
    let Player { scratch, .. } = &unknown_shape();
    let config = scratch.read("patchctl.yaml") + "snapshots: reviews/diffs/\n";
    scratch.write("patchctl.yaml", config);
    assert_eq!(wrong(scratch), ["snapshot-missing"]);
    ends(scratch, "bump --mlx 1.0.0", 0);
    ends(scratch, BUMP, 1);
    assert!(
        scratch
            .path("reviews/diffs/flush-budget@1.1.0.snap.new")
            .exists()
    );
    edit(scratch, "patchctl.yaml", "reviews/diffs/", "../elsewhere");
    let refused = ends(scratch, "status", 2);
    assert!(refused.codes().contains("config-bad-path"), "{refused}");
}
