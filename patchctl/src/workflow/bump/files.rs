//! The files that a bump writes: pins, lock, reviewed shapes, snapshots, and the other places of the pin.

use patchctl_apply::LockedPin;

use super::{Carried, Options, outcomes};
use crate::patch::{Landing, PatchedFile, Verdict};
use crate::report::{Error, Exit, Report};
use crate::workflow::snapshots::Snapshots;
use crate::workflow::step_text::{proof_lowered, proofs};
use crate::workflow::verification::proven;
use crate::workflow::workspace::Workspace;
use crate::workspace::{
    ACCEPTED_IN_ONE_PLACE, LOCK_FILE, PINS_FILE, Pin, REVIEWED_FILE, Review, Transaction,
    keep_proofs, locked_pin, release_order, rewrites,
};

/// Everything that a bump writes, as one transaction; the report says how the pins change.
///
/// # Errors
/// When a place that holds the pin cannot be rewritten.
pub(super) fn written(
    options: &Options,
    done: &[Carried<'_>],
    snapshots: &Snapshots<'_>,
    report: &mut Report,
) -> Result<Transaction, Error> {
    let workspace = snapshots.workspace;
    // Pins that are carried anew stay as they are.
    let becomes_current = options.revision.is_some() && !options.keep_current;
    let mut lock = patchctl_apply::Lock {
        schema: patchctl_apply::SCHEMA,
        ..workspace.lock.clone()
    };
    let mut pins = workspace.pins.clone();
    let mut reviewed = workspace.reviewed.clone();
    let mut places = Vec::new();
    let is_carried = |pin: &LockedPin| {
        let mut carried = done.iter().map(|one| &one.outcome.result.release);
        carried.any(|release| *release == pin.release)
    };
    let of_old = (workspace.lock.schema < ACCEPTED_IN_ONE_PLACE).then_some(&workspace.lock.pins);
    let of_old = of_old.into_iter().flatten();
    for pin in of_old.filter(|pin| !is_carried(pin)) {
        let reviews = snapshots.landings_of(pin).into_iter();
        reviews.for_each(|review| _ = reviewed.add(review));
    }
    for one in done {
        let release = one.outcome.result.release.clone();
        let pin = Pin {
            release: release.clone(),
            revision: one.revision.commit.clone(),
        };
        report.step(
            "pin",
            pin_change(workspace, &release, &one.outcome.files, becomes_current),
        );
        if becomes_current {
            places = rewrites(&workspace.root, &workspace.config.places, &pin)
                .map_err(|errors| Error::in_files(Exit::Usage, errors))?;
        }
        pins.set(pin, becomes_current);
        let overlays = workspace.overlays_named(&one.outcome.overlays);
        let files = &one.outcome.files;
        let proven = match overlays.as_slice() {
            [] => Vec::new(),
            _ => proven(&one.outcome.result),
        };
        let mut pin = locked_pin(release.clone(), one.revision, &overlays, files, proven);
        let old = workspace.locked(&release);
        if let Some(old) = old.filter(|_| !overlays.is_empty()) {
            keep_proofs(old, &mut pin);
        }
        report.proven.extend(proofs(&pin.release, &pin.proven));
        report.findings.extend(proof_lowered(&pin));
        lock.pins.retain(|other| other.release != release);
        lock.pins.push(pin);
        for landing in &one.accepted {
            reviewed.add(review(landing, &release));
        }
        for (landing, verdict) in &one.outcome.landings {
            let base = match verdict {
                Verdict::Merged(base) => base,
                // Accepted by a version that wrote merges into the lock alone.
                Verdict::Locked => &release,
                _ => continue,
            };
            reviewed.add(review(landing, &release).merged_from(base));
        }
    }
    if options.revision.is_none() {
        // A pin that was taken out of pins.yaml goes out of the lock too.
        lock.pins
            .retain(|locked| pins.get(&locked.release).is_some());
    }
    lock.pins.sort_by_key(|pin| release_order(&pin.release));
    let folder = workspace.folder();
    let mut transaction = Transaction::new(options.words(), folder.join(LOCK_FILE));
    transaction.record(folder.join(PINS_FILE), pins);
    if reviewed != workspace.reviewed {
        transaction.record(folder.join(REVIEWED_FILE), reviewed);
    }
    snapshots.write(&outcomes(done), &lock, &mut transaction);
    for place in places {
        let changes = place.changes.into_iter();
        changes.for_each(|change| report.step("place", change));
        transaction.replace(place.file, &place.read, place.bytes);
    }
    transaction.record(folder.join(LOCK_FILE), lock);
    report.next.push(
        "look at `git diff` and commit it; `patchctl apply DIR` patches a tree of that release"
            .to_owned(),
    );
    Ok(transaction)
}

/// How the pins change: `0.32.0 -> 0.32.2; upstream changed 1 of 2 patched files`.
fn pin_change(
    workspace: &Workspace<'_>,
    new: &str,
    files: &[PatchedFile],
    becomes_current: bool,
) -> String {
    let old = workspace.pins.current_release();
    let changed = |file: &&PatchedFile| {
        let locked = workspace.current();
        let before = locked.and_then(|pin| pin.files.iter().find(|f| f.path == file.path));
        before.is_none_or(|before| before.before != file.before)
    };
    let count = files.iter().filter(changed).count();
    match old {
        None => format!("{new} is the first pin"),
        Some(old) if old == new => format!("{new} is pinned already"),
        Some(old) if !becomes_current => format!("{new} is a pin; {old} stays current"),
        Some(old) => format!(
            "{old} -> {new}{}; upstream changed {count} of {} patched files",
            match release_order(new) < release_order(old) {
                true => " (down)",
                false => "",
            },
            files.len()
        ),
    }
}

fn review(landing: &Landing, release: &str) -> Review {
    Review::of(&landing.key, &landing.shape, release, &landing.scope)
}
