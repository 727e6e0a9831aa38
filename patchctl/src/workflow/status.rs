//! The state of a repository by its own files, and the places where they disagree. Nothing else is read: no source, no
//! parser of C++, no compiler.

use std::cmp::Reverse;

use camino::Utf8Path;
use patchctl_apply::LockedPin;

use super::snapshots::Snapshots;
use super::step_text::{proof_lowered, proofs};
use super::workspace::Workspace;
use super::{Context, Output, custom_checks, evidence, release_check};
use crate::overlay::{Overlay, edit_digest, overlay_digest};
use crate::report::{Code, Error, Exit, Finding, ReleaseResult, Report, Status, counted, short};
use crate::verify::Level;
use crate::workspace::snapshots::{Standing, State};
use crate::workspace::{
    Agreement, LOCK_FILE, PINS_FILE, Pin, PinPlace, REVIEWED_FILE, find, merged_by_driver,
    release_order,
};
use crate::yaml::read_below;

/// Gathers the facts. With `check` it ends with status 1 when the repository's files disagree; with `upstream` it also
/// asks for newer releases; each check of `require` must be recorded as passed.
///
/// # Errors
/// When there is no report to give: the root or its YAML files cannot be read.
pub(crate) fn run(
    check: bool,
    upstream: bool,
    require: &[String],
    context: &Context,
) -> Result<Output, Error> {
    let workspace = Workspace::open(context)?;
    let mut report = Report::new("status");
    gather(&workspace, &mut report)?;
    let results = report.results.iter().flat_map(|result| &result.findings);
    let disagrees = results.chain(&report.findings).any(Finding::is_error);
    let mut exit = Exit::of_check(!(check && disagrees));
    custom_checks::standing(&workspace, &mut report)?;
    let missing = custom_checks::require(&workspace, require)?;
    exit = exit.and(Exit::of_check(missing.is_empty()));
    report.findings.extend(missing);
    if upstream {
        let of_upstream = release_check::look(&workspace, &mut report)?;
        exit = match of_upstream {
            Exit::Check if !check => exit,
            other => exit.and(other),
        };
    }
    Ok(Output::ending(report, exit))
}

/// Fills the report: a step a fact, a result a pin, a finding a disagreement.
///
/// # Errors
/// When the journal of an interrupted command or the folder of the snapshots cannot be read.
pub(super) fn gather(workspace: &Workspace<'_>, report: &mut Report) -> Result<(), Error> {
    report.step("root", workspace.root.to_string());
    let sources = workspace.config.sources(&workspace.root);
    let sources: Vec<String> = sources.iter().map(ToString::to_string).collect();
    report.step("sources", sources.join(", "));
    for overlay in workspace.overlays.as_slice() {
        report.step("overlay", overlay_fact(workspace, overlay));
    }
    if workspace.overlays.is_empty() {
        report.step("overlay", format!("none in {}", workspace.folder()));
    }
    let agreement = workspace.agreement();
    let snapshots = Snapshots::open(workspace)?;
    let standing = snapshots.standing();
    pins_and_lock(workspace, &agreement, &standing, report);
    report.step("reviewed", reviewed_fact(workspace));
    report.step("snapshots", standing.fact());
    report.findings.extend(standing.of_others());
    if snapshots.files.iter().any(|it| it.state == State::Pending) {
        report.next.push("patchctl review".to_owned());
    }
    for (role, place) in workspace.config.places.all() {
        report.step(role.key(), place_fact(&workspace.root, place));
    }
    evidence::tell(workspace, report);
    report.findings.extend(agreement.pin_places());
    let merged = [LOCK_FILE, PINS_FILE, REVIEWED_FILE].map(|file| workspace.folder().join(file));
    let mut merged: Vec<&Utf8Path> = merged.iter().map(|file| file.as_path()).collect();
    merged.extend(snapshots.files.iter().map(|it| it.path.as_path()));
    report
        .findings
        .extend(merged_by_driver(&workspace.root, &merged));
    report.findings.extend(workspace.pending()?);
    Ok(())
}

/// `budget: 3 hunks, digest 1234567890ab, as locked for 0.32.2, 0.32.0`.
fn overlay_fact(workspace: &Workspace<'_>, overlay: &Overlay) -> String {
    let digest = overlay_digest(overlay);
    let of_it = |pin: &&LockedPin| pin.overlays.iter().any(|locked| locked.id == overlay.id);
    let as_now = |pin: &&LockedPin| pin.overlays.iter().any(|locked| locked.digest == digest);
    let locked = workspace.lock.pins.iter().filter(of_it);
    let (same, other): (Vec<&LockedPin>, Vec<&LockedPin>) = locked.partition(as_now);
    let state = match (same.len(), other.len()) {
        (0, 0) => "not locked".to_owned(),
        (_, 0) => format!("as locked for {}", releases(&same)),
        (0, _) => format!("changed since it was locked for {}", releases(&other)),
        _ => format!(
            "as locked for {}, changed since it was locked for {}",
            releases(&same),
            releases(&other)
        ),
    };
    let hunks = counted(overlay.hunks.len(), "hunk");
    format!(
        "{}: {hunks}, digest {}, {state}",
        overlay.id,
        short(&digest)
    )
}

fn releases(pins: &[&LockedPin]) -> String {
    let releases: Vec<&str> = pins.iter().map(|pin| pin.release.as_str()).collect();
    releases.join(", ")
}

fn pins_and_lock(
    workspace: &Workspace<'_>,
    agreement: &Agreement<'_>,
    standing: &Standing<'_>,
    report: &mut Report,
) {
    let current = workspace.pins.current();
    match current {
        Some(pin) => report.step(
            "current",
            format!("{} ({})", pin.release, short(&pin.revision)),
        ),
        None => report.step("current", "nothing is pinned yet".to_owned()),
    }
    report.findings.extend(agreement.pins_and_lock());
    let mut listed: Vec<&Pin> = workspace.pins.all().iter().collect();
    let is_current = |pin: &Pin| current.is_some_and(|current| current.release == pin.release);
    listed.sort_by_key(|pin| (!is_current(pin), Reverse(release_order(&pin.release))));
    let mut to_bump = Vec::new();
    for pin in listed {
        let locked = workspace.locked(&pin.release);
        if let Some(locked) = locked {
            for proof in proofs(&locked.release, &locked.proven) {
                let (level, host, by) = (proof.level_text(), &proof.host, &proof.by);
                report.step(
                    "proven",
                    format!("{}: {level} on {host} by {by}", pin.release),
                );
                report.proven.push(proof);
            }
            report.findings.extend(proof_lowered(locked));
        }
        let findings = locked.map(|locked| agreement.lock_and_overlays(locked));
        let is_locked = locked.is_some_and(|locked| locked.revision == pin.revision);
        let mut findings = findings.unwrap_or_default();
        let of_snapshots = locked.map(|locked| standing.of_pin(locked));
        let of_snapshots = of_snapshots.unwrap_or_default();
        let is_as_locked = is_locked && findings.is_empty();
        let waits = |finding: &Finding| finding.code == Code::SnapshotPending;
        if !is_as_locked || !of_snapshots.iter().all(waits) {
            to_bump.push(workspace.bump_command(&pin.release, &pin.revision));
        }
        findings.extend(of_snapshots);
        let agrees = is_as_locked && findings.is_empty();
        report.results.push(ReleaseResult {
            status: if agrees {
                Status::Passed
            } else {
                Status::Failed
            },
            findings,
            ..ReleaseResult::new(&pin.release, &pin.revision, highest_level(locked))
        });
    }
    report.next.extend(match to_bump.len() {
        0 | 1 => to_bump,
        _ => vec!["patchctl bump --all-pins".to_owned()],
    });
}

/// The highest level that the lock has for the pin.
fn highest_level(locked: Option<&LockedPin>) -> &str {
    let proven = locked.iter().flat_map(|locked| &locked.proven);
    let levels = proven.map(|proven| proven.level.as_str());
    levels
        .max_by_key(|level| Level::named(level))
        .unwrap_or("none")
}

/// Counts the reviews, and those of text that the overlays no longer have.
fn reviewed_fact(workspace: &Workspace<'_>) -> String {
    let overlays = workspace.overlays.as_slice().iter();
    let digests = overlays.flat_map(|overlay| {
        let edits = overlay.edits();
        edits.map(|(hunk, _, edit)| edit_digest(&overlay.id, &hunk.id, edit))
    });
    let digests: Vec<String> = digests.collect();
    let all = workspace.reviewed.all();
    let of_old = all
        .iter()
        .filter(|review| !digests.contains(&review.edit_digest));
    let shapes = counted(all.len(), "shape");
    match of_old.count() {
        0 => shapes,
        old => format!("{shapes}, {old} of edits that are no longer there"),
    }
}

/// `CMakeLists.txt:12: GIT_TAG of `mlx`: v0.32.2`.
fn place_fact(root: &Utf8Path, place: &PinPlace) -> String {
    let PinPlace { file, way, .. } = place;
    let found = read_below(root, file)
        .ok()
        .and_then(|bytes| find(place, &bytes).ok());
    match found {
        Some(found) => format!("{file}:{}: {way}: {}", found.line, found.value),
        None => format!("{file}: {way}: not found"),
    }
}
