//! From what was proven to what is locked, and how a lock disagrees with what is found now.

use patchctl_apply::{LockedFile, LockedOverlay, LockedPin, Proven};

use crate::overlay::{Overlay, overlay_digest};
use crate::patch::{Landing, PatchedFile};
use crate::report::{Code, Finding, Level};
use crate::upstream::Resolved;

/// The lock's file name in the overlay folder.
pub const LOCK_FILE: &str = "lock.yaml";

/// The pin's entry in `lock.yaml`.
pub fn locked_pin(
    release: String,
    revision: &Resolved,
    overlays: &[&Overlay],
    files: &[PatchedFile],
    proven: Vec<Proven>,
) -> LockedPin {
    let files = files.iter().map(|file| LockedFile {
        path: file.path.to_string(),
        before: file.before.clone(),
        after: file.after.clone(),
        splices: file.splices.clone(),
    });
    LockedPin {
        release,
        revision: revision.commit.clone(),
        revision_from: revision.commit_from,
        source: revision.source.clone(),
        tree: revision.tree.clone(),
        overlays: overlays.iter().copied().map(locked_overlay).collect(),
        files: files.collect(),
        proven,
        lowered_from: None,
    }
}

/// The schema of the lock since which every landing that was accepted is in `reviewed.yaml`: before, a merge left its
/// trace in the lock alone.
pub const ACCEPTED_IN_ONE_PLACE: u32 = 2;

/// Takes over the proofs of `old` that `new` lacks, where both lock the same overlays over the same bytes: a proof is
/// about these, and another run cannot undo it. Else notes the highest level of `old` in `new`, where that is lower.
pub fn keep_proofs(old: &LockedPin, new: &mut LockedPin) {
    let bytes = |pin: &LockedPin| -> Vec<_> {
        let files = pin.files.iter();
        files
            .map(|file| (file.path.clone(), file.before.clone(), file.after.clone()))
            .collect()
    };
    if old.overlays == new.overlays && bytes(old) == bytes(new) {
        for proven in &old.proven {
            let same = |it: &Proven| it.level == proven.level && it.host == proven.host;
            if !new.proven.iter().any(same) {
                new.proven.push(proven.clone());
            }
        }
        new.proven.sort_by_key(|proven| Level::named(&proven.level));
    }
    let levels = |pin: &LockedPin| -> Vec<String> {
        let proven = pin.proven.iter().map(|proven| proven.level.clone());
        proven.chain(pin.lowered_from.clone()).collect()
    };
    let highest = |levels: Vec<String>| levels.into_iter().max_by_key(|it| Level::named(it));
    let (before, now) = (highest(levels(old)), highest(levels(new)));
    let level = |name: &Option<String>| name.as_deref().and_then(Level::named);
    new.lowered_from = match level(&before) > level(&now) {
        true => before,
        false => None,
    };
}

/// An overlay with the digest that it has now.
pub fn locked_overlay(overlay: &Overlay) -> LockedOverlay {
    LockedOverlay {
        id: overlay.id.clone(),
        digest: overlay_digest(overlay),
    }
}

/// Returns true if the lock holds this landing on upstream's blob `before`.
pub fn holds_landing(
    pins: &[LockedPin],
    before: &patchctl_apply::BlobId,
    landing: &Landing,
) -> bool {
    let files = pins.iter().flat_map(|pin| &pin.files);
    files
        .filter(|file| file.path == landing.file && file.before == *before)
        .any(|file| {
            landing
                .splices()
                .iter()
                .all(|splice| file.splices.contains(splice))
        })
}

/// Everything in which a locked pin differs from what its source and the overlays give now (what they are
/// made of is held against each other in `agreement.rs`). A bump is how to mend it.
pub fn disagreements(pin: &LockedPin, revision: &Resolved, files: &[PatchedFile]) -> Vec<Finding> {
    let mut out = Vec::new();
    let mut add = |file: Option<&str>, message: String| {
        let finding = Finding::new(Code::LockMismatch, message).file(file);
        out.push(finding.help("`patchctl bump --all-pins` writes the lock anew"));
    };
    if pin.revision != revision.commit {
        let (locked, found) = (&pin.revision, &revision.commit);
        add(
            None,
            format!("the lock has commit {locked}, the source {found}"),
        );
    }
    if let (Some(locked), Some(found)) = (&pin.tree, &revision.tree)
        && locked != found
    {
        add(
            None,
            format!("the lock has tree {locked}, the source {found}"),
        );
    }
    for file in files {
        let message = match pin.files.iter().find(|locked| locked.path == file.path) {
            None => "the lock does not have this file".to_owned(),
            Some(locked) if locked.before != file.before => {
                let (is, was) = (&file.before, &locked.before);
                format!("the lock has upstream blob {was}, the source {is}")
            }
            Some(locked) if locked.after != file.after || locked.splices != file.splices => {
                let (is, was) = (&file.after, &locked.after);
                format!("the lock leads to blob {was}, the overlays to {is}")
            }
            Some(_) => continue,
        };
        add(Some(file.path.as_str()), message);
    }
    for locked in &pin.files {
        if !files.iter().any(|file| file.path == locked.path) {
            let message = "the lock patches this file, the overlays do not";
            add(Some(&locked.path), message.to_owned());
        }
    }
    out
}
