//! Snapshots against the lock: which are missing, wait for a person, or say something else. Looks at the
//! repository's files alone.

use std::collections::BTreeSet;

use camino::Utf8Path;
use patchctl_apply::{Lock, LockedPin, Splice};

use super::folder::{Filed, State, file_name};
use super::snapshot::{Line, Location, Snapshot, added};
use crate::overlay::{Overlays, Variant, edit_digest};
use crate::report::{Code, Finding};
use crate::workspace::{ACCEPTED_IN_ONE_PLACE, Reviewed, locked_overlay};

/// The snapshots of a repository, and the files that they are compared with.
pub struct Standing<'a> {
    /// The snapshot folder, relative to the root.
    pub folder: &'a Utf8Path,
    /// The snapshots.
    pub files: &'a [Filed],
    /// The lock.
    pub lock: &'a Lock,
    /// The overlays.
    pub overlays: &'a Overlays,
    /// The accepted landings.
    pub reviewed: &'a Reviewed,
}

impl Standing<'_> {
    /// `3 in tests/snapshots`, and how many wait.
    pub fn fact(&self) -> String {
        let count = |state| self.files.iter().filter(|it| it.state == state).count();
        let folder = self.folder;
        match (count(State::Accepted), count(State::Pending)) {
            (0, 0) => format!("none in {folder}"),
            (accepted, 0) => format!("{accepted} in {folder}"),
            (accepted, pending) => {
                format!("{accepted} in {folder}, and {pending} to be reviewed")
            }
        }
    }

    /// The fault of the snapshots of a pin.
    pub fn of_pin(&self, pin: &LockedPin) -> Vec<Finding> {
        let overlays = pin.overlays.iter();
        overlays
            .flat_map(|overlay| self.of_overlay(&overlay.id, pin))
            .collect()
    }

    fn of_overlay(&self, overlay: &str, pin: &LockedPin) -> Vec<Finding> {
        let of = |state: State| {
            let mut files = self.files.iter();
            files.find(|it| it.state == state && it.is_of(overlay, &pin.release))
        };
        let (accepted, waiting) = (of(State::Accepted), of(State::Pending));
        let mut findings: Vec<Finding> = waiting.map(pending).into_iter().collect();
        let Some(file) = accepted else {
            if waiting.is_none() {
                findings.push(self.missing(overlay, &pin.release));
            }
            return findings;
        };
        findings.extend(match &file.content {
            Err(_) => Some(damaged(file)),
            Ok(_) if file.awaits_bump() => Some(not_taken_in(file)),
            Ok((_, snapshot)) => difference(snapshot, pin)
                .or_else(|| self.compared_with_overlay(snapshot, pin))
                .map(|why| differs(file, &why)),
        });
        findings
    }

    /// The fault of those that are of no pin.
    pub fn of_others(&self) -> Vec<Finding> {
        let others = self.files.iter().filter(|file| !self.is_of_a_pin(file));
        others
            .map(|file| match (file.state, &file.content) {
                (_, Err(_)) => damaged(file),
                (State::Pending, _) => pending(file),
                (State::Accepted, _) if file.awaits_bump() => not_taken_in(file),
                (State::Accepted, _) => unused(file),
            })
            .collect()
    }

    /// Returns the first difference between a snapshot and its overlay, if the overlay is as it was locked.
    fn compared_with_overlay(&self, snapshot: &Snapshot, pin: &LockedPin) -> Option<String> {
        let overlay = self.overlays.get(&snapshot.overlay)?;
        if !pin.overlays.contains(&locked_overlay(overlay)) {
            return None;
        }
        let mut parts = snapshot.parts.iter().peekable();
        for hunk in &overlay.hunks {
            let mut of_hunk = Vec::new();
            while let Some(part) = parts.next_if(|part| part.hunk == hunk.id) {
                of_hunk.push(part);
            }
            let placed: Vec<&Location> = of_hunk
                .iter()
                .filter_map(|part| part.place.as_ref())
                .collect();
            let is_of = |variant: &&Variant| {
                placed.iter().all(|place| place.variant == variant.name)
                    && variant
                        .edits
                        .iter()
                        .map(|edit| &edit.id)
                        .eq(of_hunk.iter().map(|part| &part.edit))
            };
            let Some(variant) = hunk.variants.iter().find(is_of) else {
                return Some(format!(
                    "hunk {}: its edits are those of no variant",
                    hunk.id
                ));
            };
            for (part, edit) in of_hunk.iter().zip(&variant.edits) {
                let why = match (&part.place, part.key(&overlay.id)) {
                    (Some(place), Some(key)) => {
                        if key.digest != edit_digest(&overlay.id, &hunk.id, edit) {
                            "its digest is not the edit's"
                        } else if place.file != edit.file {
                            "it is of another file than the edit"
                        } else if self.lock.schema >= ACCEPTED_IN_ONE_PLACE
                            && !self.reviewed.holds(&key, &place.shape)
                        {
                            "its shape is not in reviewed.yaml"
                        } else {
                            continue;
                        }
                    }
                    _ if edit.unless.is_some() => continue,
                    _ => "the edit is always needed",
                };
                return Some(format!("edit {}: {why}", part.name()));
            }
        }
        let rest = parts.next()?;
        Some(format!("the overlay has no edit {} there", rest.name()))
    }

    fn is_of_a_pin(&self, file: &Filed) -> bool {
        self.lock.pins.iter().any(|pin| file.is_of_pin(pin))
    }

    fn missing(&self, overlay: &str, release: &str) -> Finding {
        let file = self
            .folder
            .join(file_name(overlay, release, State::Accepted));
        Finding::new(
            Code::SnapshotMissing,
            format!("the diff of `{overlay}` on {release} has no snapshot"),
        )
        .file(file.into_string())
        .help("`patchctl bump --all-pins` writes it")
    }
}

/// The hunks of an overlay that a snapshot says were, or are, to be looked at: `overlay/hunk`.
pub(super) fn hunks_to_review(file: &Filed) -> BTreeSet<String> {
    let names = file.sound().map(|(front, _)| front.to_review.as_slice());
    let hunk = |name: &String| name.split('.').next().unwrap_or_default().to_owned();
    let hunks = names.unwrap_or_default().iter().map(hunk);
    hunks
        .map(|hunk| format!("{}/{hunk}", file.overlay))
        .collect()
}

fn finding(file: &Filed, code: Code, message: String, help: &str) -> Finding {
    let finding = Finding::new(code, message);
    finding.file(file.path.as_str()).help(help)
}

fn pending(file: &Filed) -> Finding {
    let hunks: Vec<String> = hunks_to_review(file).into_iter().collect();
    let (overlay, release, hunks) = (&file.overlay, &file.release, hunks.join(", "));
    let message = format!("`{overlay}` on {release} waits to be reviewed: {hunks}");
    let help = "`patchctl review` shows it; `patchctl review --accept` or `--reject` settles it";
    finding(file, Code::SnapshotPending, message, help)
}

fn not_taken_in(file: &Filed) -> Finding {
    let (overlay, release) = (&file.overlay, &file.release);
    let message =
        format!("`{overlay}` on {release} was reviewed, and no bump has taken that in yet");
    let help =
        format!("`patchctl bump --mlx {release}`, or `patchctl bump --all-pins` where it is a pin");
    finding(file, Code::SnapshotAccepted, message, &help)
}

/// Makes the finding of a file that is no snapshot as patchctl writes them.
pub fn damaged(file: &Filed) -> Finding {
    let why = file.content.as_ref().err().map_or("", String::as_str);
    let message = format!("the snapshot is not as patchctl wrote it: {why}");
    let help = "take it from version control, or write it anew with `patchctl bump --all-pins`";
    finding(file, Code::SnapshotDamaged, message, help)
}

/// Makes the finding of a sound snapshot that is of something else.
pub fn differs(file: &Filed, why: &str) -> Finding {
    let message = format!("the snapshot is not of this pin: {why}");
    let help = "`patchctl bump --all-pins` writes both anew";
    finding(file, Code::SnapshotDiffers, message, help)
}

fn unused(file: &Filed) -> Finding {
    let (overlay, release) = (&file.overlay, &file.release);
    let message = format!("the lock has no overlay `{overlay}` on {release}");
    let help = "the next bump removes it; or delete it";
    finding(file, Code::SnapshotUnused, message, help)
}

/// Returns the first difference between a sound snapshot and the lock.
fn difference(snapshot: &Snapshot, pin: &LockedPin) -> Option<String> {
    if snapshot.commit != pin.revision {
        return Some(format!(
            "it is of commit {}, the lock has {}",
            snapshot.commit, pin.revision
        ));
    }
    let mine = format!("{}/", snapshot.overlay);
    let splices = pin
        .files
        .iter()
        .flat_map(|file| file.splices.iter().map(|splice| (&*file.path, splice)));
    let locked: Vec<(&str, &Splice)> = splices
        .filter(|(_, splice)| splice.edit.starts_with(&mine))
        .collect();
    for part in &snapshot.parts {
        let name = format!("{mine}{}", part.name());
        let of_it: Vec<_> = locked.iter().filter(|(_, it)| it.edit == name).collect();
        let why = match (&part.place, of_it.as_slice()) {
            (None, []) => continue,
            (None, _) => "it is not needed there, and is locked".to_owned(),
            (Some(_), []) => "the lock does not have it".to_owned(),
            (Some(place), [first, rest @ ..]) => {
                match compare(place, first, rest.iter().map(|(_, it)| *it)) {
                    None => continue,
                    Some(why) => why,
                }
            }
        };
        return Some(format!("edit {}: {why}", part.name()));
    }
    let unknown = locked.iter().find(|(_, splice)| {
        let name = splice.edit.strip_prefix(&mine).unwrap_or_default();
        snapshot.part(name).is_none()
    });
    unknown.map(|(_, splice)| format!("it lacks {}", splice.edit))
}

fn compare<'s>(
    place: &Location,
    (path, first): &(&str, &'s Splice),
    rest: impl Iterator<Item = &'s Splice>,
) -> Option<String> {
    if place.file != *path {
        return Some(format!("it is in {}, the lock has {path}", place.file));
    }
    if place.line != first.line {
        return Some(format!(
            "it goes in at line {}, the lock has {}",
            place.line, first.line
        ));
    }
    let locked = added(first).chain(rest.flat_map(added));
    let own = place
        .lines
        .iter()
        .filter(|line| matches!(line, Line::Added(_)));
    let is_same = own.eq(locked.collect::<Vec<_>>().iter());
    (!is_same).then(|| "its lines are not the lock's".to_owned())
}
