//! Reviewed diffs: a bump that needs a person's word leaves one pending snapshot, and accepting it is the review.

use std::fs;
use std::path::Path;

use insta::Snapshot;

use crate::support::case::Case;
use crate::support::pinned;
use crate::support::play::Player;
use crate::support::reviewing::{
    ACCEPTED, BUMP, PENDING, edit, ends, only_what_waits, player, snapshots, unknown_shape,
    waiting, wrong,
};
use crate::support::scratch::Scratch;

/// What `cargo insta accept` does with a pending snapshot: reads it, writes it without the assertion's line.
fn accept_with_insta(scratch: &Scratch) {
    let pending = scratch.path(PENDING);
    let snapshot = Snapshot::from_file(&pending).unwrap();
    snapshot.save(&scratch.path(ACCEPTED)).unwrap();
    fs::remove_file(pending).unwrap();
}

#[test]
fn accepted_snapshot_lets_the_bump_through() {
    let Player { scratch, .. } = &unknown_shape();
    assert_eq!(wrong(scratch), [""; 0]);
    let before = scratch.snapshot();
    let bump = ends(scratch, BUMP, 1);
    only_what_waits(&before, &scratch.snapshot()).unwrap();
    assert_eq!(bump.json()["changed"], serde_json::json!([PENDING]));
    assert_eq!(
        snapshots(scratch),
        ["flush-budget@1.0.0.snap", "flush-budget@1.1.0.snap.new"]
    );
    assert_eq!(wrong(scratch), ["snapshot-pending"]);
    // Asked again, it says the same and writes nothing more.
    let before = scratch.snapshot();
    ends(scratch, BUMP, 1);
    assert_eq!(before.differences(&scratch.snapshot()), [""; 0]);

    let accept = ends(scratch, "review --accept", 0);
    let next = serde_json::json!(["patchctl bump --mlx 1.1.0"]);
    assert_eq!(accept.json()["next"], next);
    let reviewed = scratch.read("overlays/reviewed.yaml");
    assert!(reviewed.contains("seen: 1.1.0"), "{reviewed}");
    assert_eq!(wrong(scratch), ["snapshot-accepted"]);
    let pins = scratch.read("overlays/pins.yaml");
    assert!(!pins.contains("1.1.0"), "accepting is no bump");

    ends(scratch, BUMP, 0);
    assert_eq!(wrong(scratch), [""; 0]);
    assert_eq!(reviewed, scratch.read("overlays/reviewed.yaml"));
    assert_eq!(
        snapshots(scratch),
        ["flush-budget@1.0.0.snap", "flush-budget@1.1.0.snap"]
    );
    assert!(!scratch.read(ACCEPTED).contains("to be reviewed"));
}

#[test]
fn insta_acceptance_is_a_review() {
    let Player { scratch, .. } = &waiting();
    accept_with_insta(scratch);
    assert_eq!(wrong(scratch), ["snapshot-accepted"]);
    let by_insta = scratch.read(ACCEPTED);
    ends(scratch, BUMP, 0);
    assert!(
        scratch
            .read("overlays/reviewed.yaml")
            .contains("seen: 1.1.0")
    );
    assert_eq!(wrong(scratch), [""; 0]);

    // patchctl accepts in the same bytes; and renaming the file by hand is enough.
    let Player { scratch, .. } = &waiting();
    ends(scratch, "review --accept", 0);
    assert_eq!(scratch.read(ACCEPTED), by_insta);
    let Player { scratch, .. } = &waiting();
    fs::rename(scratch.path(PENDING), scratch.path(ACCEPTED)).unwrap();
    ends(scratch, BUMP, 0);
    assert_eq!(wrong(scratch), [""; 0]);
}

#[test]
fn disagreeing_locators_are_asked_about_again() {
    let Player { scratch, .. } = &player("locators-disagree");
    let bump = ends(scratch, BUMP, 1);
    assert!(bump.codes().contains("locators-disagree"), "{bump}");
    ends(scratch, "review --accept log-trace/trace", 0);
    ends(scratch, BUMP, 0);
    // The review is taken in; another bump finds the lock, and the merge that still says otherwise.
    assert_eq!(wrong(scratch), [""; 0]);
    let again = ends(scratch, BUMP, 1);
    assert!(again.codes().contains("locators-disagree"), "{again}");
}

#[test]
fn accepted_snapshot_of_other_code_is_no_review() {
    let Player { scratch, .. } = &waiting();
    fs::rename(scratch.path(PENDING), scratch.path(ACCEPTED)).unwrap();
    let overlay = "overlays/flush-budget.yaml";
    edit(
        scratch,
        overlay,
        "max_mb = budget_override;",
        "max_mb = 2 * budget_override;",
    );
    let bump = ends(scratch, BUMP, 1);
    assert!(bump.shown().contains("snapshot-stale"), "{bump}");
    assert!(scratch.path(PENDING).exists());

    // One that was changed by hand is damaged, and no review either.
    let Player { scratch, .. } = &waiting();
    fs::rename(scratch.path(PENDING), scratch.path(ACCEPTED)).unwrap();
    edit(
        scratch,
        ACCEPTED,
        "budget_override > 0",
        "budget_override > 1",
    );
    assert_eq!(wrong(scratch), ["snapshot-damaged"]);
    ends(scratch, BUMP, 1);
    assert!(scratch.path(PENDING).exists());
}

#[test]
fn changed_overlay_is_carried_before_acceptance() {
    let Player { scratch, .. } = &waiting();
    let overlay = "overlays/flush-budget.yaml";
    edit(
        scratch,
        overlay,
        "max_mb = budget_override;",
        "max_mb = 2 * budget_override;",
    );
    let before = scratch.snapshot();
    let accept = ends(scratch, "review --accept", 1);
    assert!(accept.codes().contains("snapshot-stale"), "{accept}");
    assert_eq!(before.differences(&scratch.snapshot()), [""; 0]);
    ends(scratch, BUMP, 1);
    ends(scratch, "review --accept", 0);
    ends(scratch, BUMP, 0);
}

#[test]
fn pending_hunks_are_shown_with_upstream_code() {
    let Player { scratch, .. } = &waiting();
    let before = scratch.snapshot();
    let review = ends(scratch, "review", 1);
    assert_eq!(before.differences(&scratch.snapshot()), [""; 0]);
    assert_eq!(review.statuses(), ["needs-review".to_owned()].into());
    let shown = review.shown();
    for text in [
        "quill/gpu/recorder.cpp:26: review-place: flush-budget/read.1",
        "auto [max_ops, max_mb] = device_.limits(stream_);",
        "against 1.0.0",
        " line     26",
        "-shape    ",
        "+shape    ",
    ] {
        assert!(shown.contains(text), "{text} is not shown\n{review}");
    }
    // Upstream's code is for the eye alone.
    assert!(!scratch.read(PENDING).contains("device_.limits"));

    // Without the source the rest is still shown.
    let pending = scratch.run_with("review --offline", |command| {
        let nowhere = scratch.beside("nowhere");
        command.args(["--source", &format!("git:{}", nowhere.display())]);
        command.env("PATCHCTL_CACHE", scratch.beside("empty"));
    });
    assert_eq!(pending.code, Some(1), "{pending}");

    let nothing = ends(&pinned::pinned(), "review", 0);
    let says = "nothing waits to be reviewed";
    assert_eq!(nothing.json()["steps"][0]["what"], says, "{nothing}");
}

#[test]
fn unknown_hunk_names_those_that_wait() {
    let Player { scratch, .. } = &waiting();
    let before = scratch.snapshot();
    for wrong in ["raed", "flush-budget/raed", "other/read"] {
        let outcome = ends(scratch, &format!("review --accept {wrong}"), 2);
        assert!(outcome.shown().contains("flush-budget/read"), "{outcome}");
    }
    ends(scratch, "review --accept --reject", 2);
    assert_eq!(before.differences(&scratch.snapshot()), [""; 0]);
    ends(scratch, "review --accept --mlx 1.1.0 --dry-run", 0);
    ends(scratch, "review --reject --dry-run", 0);
    assert_eq!(before.differences(&scratch.snapshot()), [""; 0]);
    let nothing = ends(&pinned::pinned(), "review --accept read", 2);
    assert!(nothing.shown().contains("nothing waits"), "{nothing}");
}

#[test]
fn rejected_snapshot_is_gone() {
    let player = unknown_shape();
    let scratch = &player.scratch;
    let before = scratch.snapshot();
    ends(scratch, BUMP, 1);
    ends(scratch, "review --reject --mlx 1.0.0", 0);
    assert_eq!(wrong(scratch), ["snapshot-pending"]);
    ends(scratch, "review --reject", 0);
    assert_eq!(wrong(scratch), [""; 0]);
    assert_eq!(before.differences(&scratch.snapshot()), [""; 0]);
}

#[test]
fn last_accepted_hunk_settles_the_snapshot() {
    let case = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../tests/corpus/working/overlay-over-two-files");
    let player = Player::new(Case::read(&case).unwrap());
    let hunks = Case::read(&case).unwrap().hunks();
    let scratch = &player.scratch;
    let bump = ends(scratch, "bump --mlx 1.0.0", 1);
    assert_eq!(bump.hunks().len(), hunks.len());
    assert!(hunks.len() >= 2, "{hunks:?}");
    let (last, first) = hunks.split_last().unwrap();
    for hunk in first {
        ends(scratch, &format!("review --accept {hunk}"), 0);
        assert_eq!(wrong(scratch), ["snapshot-pending"]);
    }
    let pending = &snapshots(scratch)[0];
    assert!(pending.ends_with(".snap.new"), "{pending}");
    Snapshot::from_file(&scratch.path("tests/snapshots").join(pending)).unwrap();
    ends(scratch, &format!("review --accept {last}"), 0);
    assert_eq!(wrong(scratch), ["snapshot-accepted"]);
    ends(scratch, "bump --mlx 1.0.0", 0);
    assert_eq!(wrong(scratch), [""; 0]);
}

#[test]
fn a_commit_that_is_no_release_is_reviewed_like_one() {
    let mut player = unknown_shape();
    let mut files = player.files_of("1.1.0").clone();
    files.insert("README.md".to_owned(), b"more".to_vec());
    let commit = player.upstream.commit("later", "Later", &files);
    let scratch = &player.scratch;
    ends(scratch, "bump --mlx main", 1);
    let name = format!("flush-budget@v1.1.0-1-g{}", &commit[..7]);
    let pending = snapshots(scratch).pop().unwrap();
    assert!(pending.starts_with(&name), "{pending}");
    let accept = ends(scratch, "review --accept", 0);
    let next = serde_json::json!([format!("patchctl bump --mlx {commit}")]);
    assert_eq!(accept.json()["next"], next);
    ends(scratch, &format!("bump --mlx {commit}"), 0);
    assert_eq!(wrong(scratch), [""; 0]);
}

#[test]
fn a_dry_run_names_the_snapshot_that_would_wait() {
    let Player { scratch, .. } = &unknown_shape();
    let before = scratch.snapshot();
    let bump = ends(scratch, &format!("{BUMP} --dry-run"), 1);
    assert_eq!(bump.json()["changed"], serde_json::json!([PENDING]));
    assert_eq!(before.differences(&scratch.snapshot()), [""; 0]);
}

#[test]
fn review_is_whole_at_any_durable_step() {
    let player = waiting();
    let scratch = &player.scratch;
    let old = crate::support::files::read(&scratch.root());
    let mut ends_new = Vec::new();
    for step in 1.. {
        assert!(step < 200, "it never ends");
        fs::remove_dir_all(scratch.root()).unwrap();
        crate::support::files::write(&scratch.root(), &old);
        let outcome = scratch.run_with("review --accept", |command| {
            command.env("PATCHCTL_TEST_ABORT_AT", step.to_string());
        });
        if outcome.code == Some(0) {
            break;
        }
        assert_eq!(outcome.code, None, "{outcome}");
        ends(scratch, "bump --mlx 9.9.9", 3);
        let recorded = scratch
            .read("overlays/reviewed.yaml")
            .contains("seen: 1.1.0");
        let whole = (
            recorded,
            scratch.path(ACCEPTED).exists(),
            !scratch.path(PENDING).exists(),
        );
        assert!(
            whole == (true, true, true) || whole == (false, false, false),
            "step {step}: {whole:?}"
        );
        ends_new.push(recorded);
    }
    assert!(
        ends_new.is_sorted() && ends_new.contains(&false),
        "{ends_new:?}"
    );
}

#[test]
fn refused_bump_is_whole_at_any_step() {
    let player = unknown_shape();
    let scratch = &player.scratch;
    let old = crate::support::files::read(&scratch.root());
    for step in 1.. {
        assert!(step < 200, "it never ends");
        fs::remove_dir_all(scratch.root()).unwrap();
        crate::support::files::write(&scratch.root(), &old);
        let before = scratch.snapshot();
        let outcome = scratch.run_with(BUMP, |command| {
            command.env("PATCHCTL_TEST_ABORT_AT", step.to_string());
        });
        if outcome.code == Some(1) {
            assert!(step > 3, "{step}: the abort is not wired up");
            break;
        }
        ends(scratch, "bump --mlx 9.9.9", 3);
        if scratch.path(PENDING).exists() {
            only_what_waits(&before, &scratch.snapshot()).unwrap();
            let review = ends(scratch, "review", 1);
            assert_eq!(review.statuses(), ["needs-review".to_owned()].into());
        } else {
            assert_eq!(before.differences(&scratch.snapshot()), [""; 0]);
        }
    }
}

#[test]
fn forgotten_review_is_asked_for_again() {
    let scratch = pinned::pinned();
    let before = scratch.snapshot();
    let unknown = scratch.run("review --forget budget/raed");
    assert_eq!(unknown.code, Some(2), "{unknown}");
    assert!(
        unknown.shown().contains("did you mean `budget/read`?"),
        "{unknown}"
    );
    let dry = scratch.run("review --forget budget/read --dry-run");
    assert_eq!(dry.code, Some(0), "{dry}");
    assert!(before.differences(&scratch.snapshot()).is_empty());
    let forgotten = scratch.run("review --forget budget/read");
    assert_eq!(forgotten.code, Some(0), "{forgotten}");
    let status = scratch.run("status --check");
    assert_eq!(status.code, Some(1), "{status}");
    assert!(
        status.shown().contains("its shape is not in reviewed.yaml"),
        "{status}"
    );
    assert!(scratch.run("bump --all-pins").needs_review());
    let again = scratch.run("bump --all-pins --reviewed budget/read");
    assert_eq!(again.code, Some(0), "{again}");
    assert_eq!(scratch.run("status --check").code, Some(0));
}
