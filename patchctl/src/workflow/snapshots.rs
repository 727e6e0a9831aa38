//! The reviewed diffs of a bump: which reviews it finds in them, and which it writes.

use std::collections::HashSet;

use camino::Utf8PathBuf;
use patchctl_apply::{Lock, LockedPin};

use crate::overlay::Overlay;
use crate::patch::{EditKey, Landing};
use crate::report::{Code, Error, Finding, Severity, Status};
use crate::verify::Outcome;
use crate::workspace::snapshots::{
    Filed, Front, Snapshot, Standing, State, differs, file_name, filed,
};
use crate::workspace::{Review, Transaction};

use super::workspace::Workspace;

/// The snapshot files of a repository.
pub(super) struct Snapshots<'a> {
    pub workspace: &'a Workspace<'a>,
    pub files: Vec<Filed>,
}

/// An overlay's effect on a revision, as it is now.
struct Fresh<'a> {
    overlay: &'a Overlay,
    snapshot: Snapshot,
    /// The edits that nothing proves, `hunk.edit`.
    open: Vec<String>,
}

impl<'a> Snapshots<'a> {
    /// Reads the folder.
    ///
    /// # Errors
    /// When it cannot be listed.
    pub fn open(workspace: &'a Workspace<'a>) -> Result<Self, Error> {
        let files = filed(
            &workspace.root,
            &workspace.config.snapshots,
            workspace.folder(),
        )?;
        Ok(Self { workspace, files })
    }

    /// Compares them with the lock.
    pub fn standing(&self) -> Standing<'_> {
        Standing {
            folder: &self.workspace.config.snapshots,
            files: &self.files,
            lock: &self.workspace.lock,
            overlays: &self.workspace.overlays,
            reviewed: &self.workspace.reviewed,
        }
    }

    /// The landings in the accepted snapshots of a pin that no bump carries now: what an older lock alone has accepted.
    pub fn landings_of(&self, pin: &LockedPin) -> Vec<Review> {
        let files = self.files.iter().filter(|file| {
            file.state == State::Accepted && !file.awaits_bump() && file.is_of_pin(pin)
        });
        let mut reviews = Vec::new();
        for (_, snapshot) in files.filter_map(Filed::sound) {
            for part in &snapshot.parts {
                if let (Some(key), Some(place)) = (part.key(&snapshot.overlay), &part.place) {
                    let review = Review::of(&key, &place.shape, &pin.release, &place.scope);
                    reviews.push(review.merged_from(&pin.release));
                }
            }
        }
        reviews
    }

    /// Returns true if a person accepted a snapshot with this edit at code of this shape, as one of those
    /// to be looked at.
    pub fn holds(&self, landing: &Landing) -> bool {
        let waiting = self.files.iter().filter(|file| file.awaits_bump());
        waiting.filter_map(Filed::sound).any(|(front, snapshot)| {
            let parts = snapshot.parts.iter();
            parts
                .filter(|part| front.looked_at(&part.name()))
                .any(|part| {
                    part.key(&snapshot.overlay).as_ref() == Some(&landing.key)
                        && part.place.as_ref().map(|it| &it.shape) == Some(&landing.shape)
                })
        })
    }

    /// The edits that a person has accepted by accepting the snapshot of exactly what is carried now. One that
    /// is of something else is noted in the result.
    pub fn accepted(&self, outcome: &mut Outcome) -> HashSet<EditKey> {
        let mut keys = HashSet::new();
        let mut notes = Vec::new();
        for fresh in self.fresh(outcome) {
            let (overlay, release) = (&fresh.overlay.id, &outcome.result.release);
            let mut files = self.files.iter();
            let file = files.find(|file| file.awaits_bump() && file.is_of(overlay, release));
            let Some((file, (front, snapshot))) = file.and_then(|it| Some((it, it.sound()?)))
            else {
                continue;
            };
            if *snapshot != fresh.snapshot {
                notes.push(stale(file));
                continue;
            }
            let looked_at = snapshot
                .parts
                .iter()
                .filter(|part| front.looked_at(&part.name()));
            keys.extend(looked_at.filter_map(|part| part.key(&snapshot.overlay)));
        }
        outcome.result.findings.extend(notes);
        keys
    }

    /// Snapshots of a pin that say something else than what is found on it now.
    pub fn untrue(&self, outcome: &Outcome) -> Vec<Finding> {
        let mut findings = Vec::new();
        for fresh in self.fresh(outcome) {
            let of_it = |file: &&Filed| {
                let (overlay, release) = (&fresh.overlay.id, &outcome.result.release);
                file.state == State::Accepted && file.is_of(overlay, release)
            };
            let file = self.files.iter().find(of_it);
            let Some((file, (_, snapshot))) = file.and_then(|it| Some((it, it.sound()?))) else {
                continue;
            };
            // One that waits for its bump is `status`'s to tell.
            if *snapshot != fresh.snapshot && !file.awaits_bump() {
                findings.push(differs(file, "the source and the overlay give another one"));
            }
        }
        findings
    }

    /// Adds the snapshots of what was carried, and takes away those that the new lock has no pin for, and what
    /// waited to be reviewed.
    pub fn write(&self, done: &[&Outcome], lock: &Lock, transaction: &mut Transaction) {
        let mut written = Vec::new();
        for outcome in done {
            for fresh in self.fresh(outcome) {
                let path = self.path(&fresh.snapshot, State::Accepted);
                transaction.record(path.clone(), self.file(&fresh, &[], State::Accepted));
                let pending = self.path(&fresh.snapshot, State::Pending);
                transaction.delete(pending.clone());
                written.extend([path, pending]);
            }
        }
        for file in &self.files {
            let mut pins = lock.pins.iter();
            let is_left_over = file.state == State::Accepted && !file.awaits_bump();
            if is_left_over && !pins.any(|pin| file.is_of_pin(pin)) && !written.contains(&file.path)
            {
                transaction.delete(file.path.clone());
            }
        }
    }

    /// The snapshots that a person has to look at: all that is written where nothing but that stands in the way.
    pub fn pending(&self, command: &str, done: &[&Outcome]) -> Option<Transaction> {
        let only_review = |outcome: &&Outcome| {
            matches!(outcome.result.status, Status::Passed | Status::NeedsReview)
        };
        if !done.iter().all(only_review) {
            return None;
        }
        let waiting: Vec<Fresh<'_>> = done
            .iter()
            .flat_map(|outcome| self.fresh(outcome))
            .filter(|fresh| !fresh.open.is_empty())
            .collect();
        let last = self.path(&waiting.last()?.snapshot, State::Pending);
        let mut transaction = Transaction::new(command, last);
        for fresh in &waiting {
            let path = self.path(&fresh.snapshot, State::Pending);
            transaction.record(path, self.file(fresh, &fresh.open, State::Pending));
        }
        Some(transaction)
    }

    /// Returns the snapshot's path, relative to the root.
    pub fn path(&self, snapshot: &Snapshot, state: State) -> Utf8PathBuf {
        let name = file_name(&snapshot.overlay, &snapshot.release, state);
        self.workspace.config.snapshots.join(name)
    }

    fn file(&self, fresh: &Fresh<'_>, to_review: &[String], state: State) -> (Front, Snapshot) {
        let hunks = fresh.overlay.hunks.iter();
        let is_open = |id: &str| {
            to_review
                .iter()
                .any(|name| name.starts_with(&format!("{id}.")))
        };
        let first = hunks.filter(|hunk| is_open(&hunk.id)).map(|hunk| hunk.line);
        let line = first.min().filter(|_| state == State::Pending);
        let front = Front {
            source: self.workspace.overlay_file(&fresh.overlay.id),
            line,
            to_review: to_review.to_vec(),
            reviewed: Vec::new(),
            expression: format!("{} on {}", fresh.overlay.id, fresh.snapshot.release),
        };
        (front, fresh.snapshot.clone())
    }

    /// The snapshot of each overlay that was carried to a revision.
    fn fresh(&self, outcome: &Outcome) -> Vec<Fresh<'a>> {
        let overlays = self.workspace.overlays_named(&outcome.overlays);
        let landings: Vec<&Landing> = outcome.landings.iter().map(|(it, _)| it).collect();
        let of = |overlay: &'a Overlay| {
            let open = outcome.landings.iter().filter(|(landing, verdict)| {
                landing.key.overlay == overlay.id && !verdict.is_accepted()
            });
            let name = |key: &EditKey| format!("{}.{}", key.hunk, key.edit);
            Fresh {
                overlay,
                snapshot: Snapshot::of(
                    overlay,
                    (&outcome.result.release, &outcome.result.revision),
                    &landings,
                    &outcome.files,
                ),
                open: open.map(|(landing, _)| name(&landing.key)).collect(),
            }
        };
        overlays.into_iter().map(of).collect()
    }
}

fn stale(file: &Filed) -> Finding {
    Finding::new(Code::SnapshotStale, format!(
            "the accepted snapshot of `{}` on {} is not of what is carried now, so it is no review of it",
            file.overlay, file.release
        )).file(file.path.as_str()).severity(Severity::Warning).help("look at the new one: `patchctl review`")
}
