//! Repositories whose next bump needs a person's word, and what is asked of them.

use std::fs;
use std::path::Path;

use super::case::Case;
use super::files::Snapshot;
use super::outcome::Outcome;
use super::play::{Player, bstr, same};
use super::scratch::Scratch;

/// The bump that needs a review.
pub const BUMP: &str = "bump --mlx 1.1.0";
/// The snapshot, once it is accepted.
pub const ACCEPTED: &str = "tests/snapshots/flush-budget@1.1.0.snap";
/// The snapshot while it waits.
pub const PENDING: &str = "tests/snapshots/flush-budget@1.1.0.snap.new";

/// A repository locked at 1.0.0, whose bump to 1.1.0 finds code of an unknown shape, and a merge that conflicts.
pub fn unknown_shape() -> Player {
    player("changed-body-merge-conflicts")
}

/// A case of the corpus, locked at 1.0.0.
pub fn player(case: &str) -> Player {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/corpus/working");
    let player = Player::new(Case::read(&folder.join(case)).unwrap());
    let outcome = player.scratch.run(&player.acceptance("1.0.0"));
    assert_eq!(outcome.code, Some(0), "{outcome}");
    player
}

/// As [`unknown_shape`], after the bump that was refused.
pub fn waiting() -> Player {
    let player = unknown_shape();
    ends(&player.scratch, BUMP, 1);
    player
}

/// Runs a command that has to end with `code`.
pub fn ends(scratch: &Scratch, line: &str, code: i32) -> Outcome {
    let outcome = scratch.run(line);
    assert_eq!(outcome.code, Some(code), "{outcome}");
    outcome
}

/// What `status --check` finds wrong.
pub fn wrong(scratch: &Scratch) -> Vec<String> {
    let outcome = scratch.run("status --check");
    let codes: Vec<String> = outcome.codes().into_iter().collect();
    assert_eq!(
        outcome.code,
        Some(i32::from(!codes.is_empty())),
        "{outcome}"
    );
    codes
}

/// The files of the snapshot folder.
pub fn snapshots(scratch: &Scratch) -> Vec<String> {
    let entries = fs::read_dir(scratch.path("tests/snapshots")).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Replaces the first `from` in a file of the repository, which has to be there.
pub fn edit(scratch: &Scratch, file: &str, from: &str, to: &str) {
    let text = scratch.read(file);
    assert!(text.contains(from), "{file} lacks {from}");
    scratch.write(file, text.replacen(from, to, 1));
}

/// A bump that needs a review writes the snapshots that wait for it, at least one, and nothing else.
pub fn only_what_waits(before: &Snapshot, after: &Snapshot) -> Result<(), String> {
    let is_pending = |line: &String| {
        let path = line.split(' ').next().unwrap_or_default();
        path.starts_with("tests/snapshots/") && path.ends_with(".snap.new")
    };
    let folders = ["tests is new", "tests/snapshots is new"];
    let differences = before.differences(after);
    let (pending, others): (Vec<_>, Vec<_>) = differences.into_iter().partition(is_pending);
    let others: Vec<_> = others
        .into_iter()
        .filter(|line| !folders.contains(&line.as_str()))
        .collect();
    same("changed", &vec![], &others)?;
    same("a snapshot waits", &true, &!pending.is_empty())
}

/// The pin has a snapshot for each overlay: insta reads them, would write the same bytes, and patchctl finds
/// nothing wrong with them.
pub fn snapshots_in_order(scratch: &Scratch, version: &str) -> Result<(), String> {
    let folder = scratch.path("tests/snapshots");
    let mut count = 0;
    for (name, bytes) in super::files::read(&folder) {
        if !name.ends_with(&format!("@{version}.snap")) {
            continue;
        }
        let snapshot = insta::Snapshot::from_file(&folder.join(&name));
        let snapshot = snapshot.map_err(|error| format!("{name}: {error}"))?;
        let again = scratch.beside("again.snap");
        snapshot.save(&again).map_err(|error| error.to_string())?;
        let again = fs::read(again).map_err(|error| error.to_string())?;
        same(&name, &bstr(&again), &bstr(&bytes))?;
        count += 1;
    }
    same("there is a snapshot", &true, &(count > 0))?;
    let codes = scratch.run("status --check").codes();
    let mut wrong = codes.iter().filter(|code| code.starts_with("snapshot-"));
    same("wrong with snapshots", &None, &wrong.next())
}
