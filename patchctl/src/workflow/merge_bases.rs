//! The accepted texts that a three-way merge can start from: those at hand, and those that have to be
//! brought here because an edit has nothing else to be held against.

use patchctl_apply::{LockedPin, Splice};

use crate::patch::{Landing, Verdict};
use crate::report::{Code, Error, Exit, Finding};
use crate::upstream::{Found, Working};
use crate::verify::{Outcome, Structure};

use super::workspace::{Workspace, spec};

/// The pins that an edit could be merged from and that no source has, each with the reason.
pub(super) struct Lost(Vec<(LockedPin, Error)>);

/// Checks the subjects at level `structure`, an outcome for each. Where the lock does not hold an edit, and `settled` does not either, every pin is brought here, so
/// that the nearest one is merged from and the answer is the same on every machine.
///
/// # Errors
/// When a source cannot be read.
pub(super) fn locate(
    workspace: &Workspace<'_>,
    subjects: &[Found],
    settled: &dyn Fn(&Landing) -> bool,
) -> Result<(Vec<Outcome>, Lost), Error> {
    let (mut bases, mut missing) = at_hand(workspace);
    let mut outcomes = run(workspace, subjects, &bases)?;
    let mut landings = outcomes.iter().flat_map(|one| &one.landings);
    if !landings.any(|(landing, verdict)| *verdict != Verdict::Locked && !settled(landing)) {
        missing.clear();
    }
    let upstream = workspace.upstream(true);
    let before = bases.len();
    let mut lost = Vec::new();
    for pin in missing {
        match upstream.resolve(&spec(&pin.release, &pin.revision)) {
            Ok(found) => bases.push(found),
            Err(error) => lost.push((pin, error)),
        }
    }
    if bases.len() > before {
        outcomes = run(workspace, subjects, &bases)?;
    }
    Ok((outcomes, Lost(lost)))
}

fn run(
    workspace: &Workspace<'_>,
    subjects: &[Found],
    bases: &[Found],
) -> Result<Vec<Outcome>, Error> {
    let structure = Structure {
        overlays: workspace.overlays.as_slice(),
        folder: workspace.folder().as_str(),
        known: &|before, landing| workspace.known(before, landing),
        pins: bases,
    };
    let _working = Working::on(&workspace.context.progress, "locate every hunk");
    structure.run(subjects)
}

/// The locked pins whose bytes are on this machine, and the others.
fn at_hand(workspace: &Workspace<'_>) -> (Vec<Found>, Vec<LockedPin>) {
    let upstream = workspace.upstream_offline();
    let (mut bases, mut missing) = (Vec::new(), Vec::new());
    for pin in &workspace.lock.pins {
        match upstream.resolve(&spec(&pin.release, &pin.revision)) {
            Ok(found) => bases.push(found),
            Err(_) => missing.push(pin.clone()),
        }
    }
    (bases, missing)
}

/// The landings that are not accepted.
fn unproven(outcome: &Outcome) -> impl Iterator<Item = &Landing> {
    let open = outcome
        .landings
        .iter()
        .filter(|(_, verdict)| !verdict.is_accepted());
    open.map(|(landing, _)| landing)
}

/// Returns true if the pin holds this very edit: with another variant or text there is nothing to merge from.
fn has_accepted(pin: &LockedPin, landing: &Landing) -> bool {
    let same = |it: &Splice| {
        let mut mine = landing.splices().iter();
        mine.any(|splice| splice.edit == it.edit && splice.text == it.text)
    };
    let mut files = pin.files.iter().filter(|file| file.path == landing.file);
    files.any(|file| file.splices.iter().any(same))
}

impl Lost {
    /// Adds a finding to the result for each base that an edit of it still needs: it names the objects that are missing.
    /// That is the surroundings' failure.
    pub fn note(&self, outcome: &mut Outcome) -> Exit {
        let mut exit = Exit::Success;
        for (pin, error) in &self.0 {
            let Some(landing) = unproven(outcome).find(|it| has_accepted(pin, it)) else {
                continue;
            };
            let file = pin.files.iter().find(|file| file.path == landing.file);
            let blob = file.map(|file| file.before.as_str()).unwrap_or_default();
            let hunk = landing.key.hunk_name();
            let message = format!(
                "the text on which this hunk was accepted cannot be had, so no three-way merge can be tried: \
                 blob {blob} of {} ({}); {error}",
                pin.release, pin.revision
            );
            let finding = Finding::new(Code::BaseMissing, message)
                .file(landing.file.as_str())
                .help(format!(
                    "name a source that has {}, such as a clone with its history; or look at the code and accept \
                     it with `--reviewed {hunk}`",
                    pin.release
                ))
                .hunk(hunk);
            outcome.result.findings.push(finding);
            exit = Exit::Surroundings;
        }
        exit
    }
}
