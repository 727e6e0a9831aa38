//! The snapshots that wait for a person, and what becomes of them when the person has spoken.

use std::collections::BTreeSet;

use crate::overlay::edit_digest;
use crate::report::{Code, Error, Finding, Report};
use crate::workspace::snapshots::{Filed, Front, Location, Part, Snapshot, State, damaged};
use crate::workspace::{REVIEWED_FILE, Review, Transaction};

use super::snapshots::Snapshots;
use super::workspace::Workspace;

/// A sound pending snapshot.
pub(super) struct Waiting<'a> {
    pub file: &'a Filed,
    pub front: &'a Front,
    pub snapshot: &'a Snapshot,
}

impl Waiting<'_> {
    /// The edits that wait, with their places.
    pub fn parts(&self) -> impl Iterator<Item = (&Part, &Location)> {
        let names = &self.front.to_review;
        let parts = self.snapshot.parts.iter();
        parts
            .filter(|part| names.contains(&part.name()))
            .filter_map(|part| Some((part, part.place.as_ref()?)))
    }

    /// The hunk of a part, `overlay/hunk`.
    pub fn hunk(&self, part: &Part) -> String {
        format!("{}/{}", self.snapshot.overlay, part.hunk)
    }

    /// Returns a finding if the overlay has changed since the snapshot was written, so that it cannot be accepted.
    pub fn problem(&self, workspace: &Workspace<'_>) -> Option<Finding> {
        let overlay = workspace.overlays.get(&self.snapshot.overlay);
        let is_as_now = |(part, place): (&Part, &Location)| {
            let mut edits = overlay.iter().flat_map(|overlay| overlay.edits());
            edits.any(|(hunk, variant, edit)| {
                hunk.id == part.hunk
                    && variant.name == place.variant
                    && edit_digest(&self.snapshot.overlay, &part.hunk, edit) == place.digest
            })
        };
        if self.parts().all(is_as_now) {
            return None;
        }
        Some(
            Finding::new(
                Code::SnapshotStale,
                format!(
                    "the overlay `{}` has changed since this snapshot was written",
                    self.snapshot.overlay
                ),
            )
            .file(self.file.path.as_str())
            .help(format!(
                "write it anew: {}",
                workspace.bump_command(&self.snapshot.release, &self.snapshot.commit)
            )),
        )
    }
}

/// The snapshots that wait, all or those of one release. What is wrong with a file goes into the report.
pub(super) fn waiting<'a>(
    snapshots: &'a Snapshots<'_>,
    release: Option<&str>,
    report: &mut Report,
) -> Vec<Waiting<'a>> {
    let mut waiting = Vec::new();
    for file in pending(snapshots, release) {
        match &file.content {
            Ok((front, snapshot)) => waiting.push(Waiting {
                file,
                front,
                snapshot,
            }),
            Err(_) => report.findings.push(damaged(file)),
        }
    }
    waiting
}

fn pending<'a>(
    snapshots: &'a Snapshots<'_>,
    release: Option<&str>,
) -> impl Iterator<Item = &'a Filed> {
    let files = snapshots.files.iter();
    let wanted = move |file: &&Filed| {
        file.state == State::Pending
            && release.is_none_or(|release| file.is_of(&file.overlay, release))
    };
    files.filter(wanted)
}

/// Removes the pending snapshots, sound or not.
pub(super) fn reject(
    command: &str,
    release: Option<&str>,
    snapshots: &Snapshots<'_>,
    report: &mut Report,
) -> Option<Transaction> {
    let files: Vec<&Filed> = pending(snapshots, release).collect();
    let Some(last) = files.last() else {
        nothing_waits(report);
        return None;
    };
    let mut transaction = Transaction::new(command, last.path.clone());
    for file in &files {
        transaction.delete(file.path.clone());
        let what = format!("{} on {}", file.overlay, file.release);
        report.step("reject", what);
    }
    Some(transaction)
}

pub(super) fn nothing_waits(report: &mut Report) {
    report.step("review", "nothing waits to be reviewed".to_owned());
}

/// Records the hunks that `--accept` names. A snapshot of which nothing waits any more becomes the accepted one.
///
/// # Errors
/// When a hunk that is named does not wait.
pub(super) fn accept(
    command: &str,
    hunks: &[String],
    snapshots: &Snapshots<'_>,
    waiting: &[Waiting<'_>],
    report: &mut Report,
) -> Result<Option<Transaction>, Error> {
    let wanted = wanted(hunks, waiting)?;
    let workspace = snapshots.workspace;
    let problems = waiting.iter().filter_map(|it| it.problem(workspace));
    report.findings.extend(problems);
    if !report.findings.is_empty() {
        return Ok(None);
    }
    if waiting.is_empty() {
        nothing_waits(report);
        return Ok(None);
    }
    let mut reviewed = workspace.reviewed.clone();
    let mut bumps = Vec::new();
    let file = workspace.folder().join(REVIEWED_FILE);
    let mut transaction = Transaction::new(command, file.clone());
    for one in waiting {
        let mut front = one.front.clone();
        for (part, place) in one.parts() {
            let Some(key) = part.key(&one.snapshot.overlay) else {
                continue;
            };
            if !wanted.contains(&one.hunk(part)) {
                continue;
            }
            let release = &one.snapshot.release;
            reviewed.add(Review::of(&key, &place.shape, release, &place.scope));
            front.settle(&part.name());
            report.step(
                "accept",
                format!(
                    "{} on {release}: {}, line {}",
                    key.name(),
                    place.scope,
                    place.line
                ),
            );
        }
        let is_whole = front.to_review.is_empty();
        let state = match is_whole {
            true => State::Accepted,
            false => State::Pending,
        };
        if is_whole {
            // To the byte what `cargo insta accept` makes of it.
            front = Front {
                line: None,
                ..one.front.clone()
            };
            transaction.delete(one.file.path.clone());
            bumps.push(workspace.bump_command(&one.snapshot.release, &one.snapshot.commit));
        }
        let path = snapshots.path(one.snapshot, state);
        transaction.record(path, (front, one.snapshot.clone()));
    }
    if reviewed != workspace.reviewed {
        transaction.record(file, reviewed);
    }
    bumps.dedup();
    report.next.extend(bumps);
    Ok(Some(transaction))
}

/// The hunks that are named, `overlay/hunk`.
fn wanted(names: &[String], waiting: &[Waiting<'_>]) -> Result<BTreeSet<String>, Error> {
    let of = |one: &Waiting<'_>| {
        one.parts()
            .map(|(part, _)| one.hunk(part))
            .collect::<Vec<_>>()
    };
    let there: BTreeSet<String> = waiting.iter().flat_map(of).collect();
    let mut wanted = BTreeSet::new();
    for name in names {
        if name == "all" {
            wanted.extend(there.iter().cloned());
            continue;
        }
        let fits = |hunk: &&String| {
            *hunk == name || hunk.split_once('/').is_some_and(|(_, id)| id == name)
        };
        let found: Vec<&String> = there.iter().filter(fits).collect();
        match found.as_slice() {
            [one] => wanted.insert((*one).clone()),
            several => return Err(no_such_hunk(name, several, &there)),
        };
    }
    Ok(wanted)
}

fn no_such_hunk(name: &str, several: &[&String], there: &BTreeSet<String>) -> Error {
    let list = |names: Vec<&str>| names.join(", ");
    let all: Vec<&str> = there.iter().map(String::as_str).collect();
    let (message, help) = match (several, all.as_slice()) {
        ([], []) => (
            format!("--accept {name}: nothing waits to be reviewed"),
            "`patchctl bump --mlx V` writes a snapshot where something has to be".to_owned(),
        ),
        ([], some) => {
            let near = crate::yaml::closest(name, some.iter().copied());
            let near = near.map_or(String::new(), |near| format!("did you mean `{near}`? "));
            (
                format!("--accept {name}: no such hunk waits to be reviewed"),
                format!("{near}There wait {}", list(all)),
            )
        }
        (some, _) => (
            format!("--accept {name}: {} overlays have such a hunk", some.len()),
            format!(
                "name one of {}",
                list(some.iter().map(|name| name.as_str()).collect())
            ),
        ),
    };
    Error::usage(message).help(help)
}
