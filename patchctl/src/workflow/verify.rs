//! Shows that the overlays hold on revisions, and writes nothing.

use std::collections::HashSet;

use patchctl_apply::LockedPin;
use semver::VersionReq;

use crate::patch::paths;
use crate::report::{Error, Exit, Finding, ReleaseResult, Report, Status};
use crate::upstream::{Found, RevisionSpec, Upstream};
use crate::verify::Level;
use crate::workspace::disagreements;

use super::patched_revision::PatchedRevision;
use super::snapshots::Snapshots;
use super::step_text::proofs;
use super::verification::{Verification, proven};
use super::workspace::{Workspace, spec};
use super::{CommitRange, Context, Output, custom_checks, merge_bases, release_check};

/// The revisions to verify.
#[derive(Debug)]
pub(crate) enum Selection {
    /// The current pin.
    CurrentPin,
    /// Every pin.
    AllPins,
    /// The revisions that are named.
    Revisions(Vec<RevisionSpec>),
    /// Every release of the sources that the requirement admits.
    Releases(VersionReq),
    /// Every commit of the range that touches a file of an overlay.
    Commits(CommitRange),
}

/// Verifies to a level; `None` is the highest below `mutants` that the tools here allow.
///
/// # Errors
/// When there is no report to give: the root, its YAML files or every source cannot be read.
pub(crate) fn run(
    selection: &Selection,
    level: Option<Level>,
    context: &Context,
) -> Result<Output, Error> {
    let workspace = Workspace::open(context)?;
    let mut report = Report::new("verify");
    let mut exit = Exit::Success;
    let chosen = choose(selection, &workspace, &workspace.upstream(true))?;
    let subjects: Vec<Found> = chosen
        .found
        .iter()
        .map(|(found, _)| found.clone())
        .collect();
    let (outcomes, lost) = merge_bases::locate(&workspace, &subjects, &|_| false)?;
    let proving = Verification::new(context, level);
    let snapshots = Snapshots::open(&workspace)?;
    for ((found, pin), mut outcome) in chosen.found.iter().zip(outcomes) {
        if let Some(pin) = pin {
            let mut findings = disagreements(pin, &found.revision, &outcome.files);
            findings.extend(snapshots.untrue(&outcome));
            // A hunk that failed explains itself; that the lock has it still is no news.
            if outcome.result.status == Status::Passed && !findings.is_empty() {
                outcome.result.status = Status::Failed;
                outcome.result.findings.extend(findings);
            }
        }
        exit = exit.and(lost.note(&mut outcome));
        if outcome.result.status == Status::Passed {
            let patched = PatchedRevision {
                found,
                files: &outcome.files,
                overlays: &workspace.overlays_named(&outcome.overlays),
            };
            exit = exit.and(proving.prove(patched, &mut outcome.result, &mut report)?);
        }
        proving.note_untried(&outcome.result, &mut report);
        exit = exit.and(match outcome.result.status {
            Status::Failed | Status::NeedsReview => Exit::Check,
            Status::Unsupported if chosen.alone => Exit::Usage,
            Status::Passed | Status::Unsupported | Status::NotRun => Exit::Success,
        });
        if outcome.result.status == Status::Passed {
            let proven = proven(&outcome.result);
            report
                .proven
                .extend(proofs(&outcome.result.release, &proven));
        }
        report.results.push(outcome.result);
    }
    for (pin, error) in chosen.unreachable {
        let result = not_reached(&pin, &error);
        exit = exit.and(match result.status {
            Status::NotRun => Exit::Surroundings,
            _ => Exit::Check,
        });
        report.results.push(result);
    }
    if !chosen.passed_over.is_empty() {
        // Another source may have had more: these are not every release.
        report
            .not_run
            .extend(release_check::passed_over(&chosen.passed_over));
        exit = exit.and(Exit::Surroundings);
    }
    // A pin is verified as the repository's files describe it, so these have to agree.
    if chosen.pins {
        report.findings.extend(workspace.interrupted()?);
        report.findings.extend(workspace.agreement().findings());
        exit = exit.and(custom_checks::standing(&workspace, &mut report)?);
        let disagrees = report.findings.iter().any(Finding::is_error);
        exit = exit.and(Exit::of_check(!disagrees));
    }
    Ok(Output::ending(report, exit))
}

/// The revisions to verify, resolved.
#[derive(Default)]
struct Chosen {
    /// Each with its pin where it is looked at as one: then the lock must agree.
    found: Vec<(Found, Option<LockedPin>)>,
    /// Pins that no source gives.
    unreachable: Vec<(LockedPin, Error)>,
    /// One revision was named, and nothing else.
    alone: bool,
    /// They are looked at as pins.
    pins: bool,
    /// Sources that gave no list of releases, before the one that did.
    passed_over: Vec<Error>,
}

fn choose(
    wanted: &Selection,
    workspace: &Workspace<'_>,
    upstream: &Upstream,
) -> Result<Chosen, Error> {
    let mut chosen = Chosen::default();
    let specs: Vec<RevisionSpec> = match wanted {
        Selection::AllPins if workspace.lock.pins.is_empty() => {
            return Err(no_pins("there is no pin in the lock yet"));
        }
        Selection::AllPins => return Ok(pins(&workspace.lock.pins, upstream)),
        Selection::CurrentPin => {
            let pin = workspace.current();
            let pin = pin.ok_or_else(|| no_pins("there is no current pin"))?;
            return Ok(pins(std::slice::from_ref(pin), upstream));
        }
        Selection::Commits(range) => {
            chosen.found = commits(range, workspace, upstream)?;
            return Ok(chosen);
        }
        Selection::Revisions(specs) => {
            chosen.alone = specs.len() == 1;
            specs.clone()
        }
        Selection::Releases(requirement) => {
            let listed = upstream.list()?;
            let admitted = listed.releases.iter().filter(|it| requirement.matches(it));
            let admitted: Vec<_> = admitted.cloned().map(RevisionSpec::Release).collect();
            if admitted.is_empty() && !listed.passed_over.is_empty() {
                return Err(listed.lacks(&format!("a release `{requirement}`")));
            }
            chosen.passed_over = listed.passed_over;
            if admitted.is_empty() {
                return Err(
                    Error::usage(format!("no release of the sources is `{requirement}`"))
                        .help("see which there are with `--releases '*'`"),
                );
            }
            admitted
        }
    };
    for found in upstream.resolve_all(&specs) {
        chosen.found.push((found?, None));
    }
    Ok(chosen)
}

fn pins(pins: &[LockedPin], upstream: &Upstream) -> Chosen {
    let specs = pins.iter().map(|pin| spec(&pin.release, &pin.revision));
    let specs: Vec<RevisionSpec> = specs.collect();
    let mut chosen = Chosen {
        pins: true,
        ..Chosen::default()
    };
    for (pin, found) in pins.iter().cloned().zip(upstream.resolve_all(&specs)) {
        match found {
            Ok(found) => chosen.found.push((found, Some(pin))),
            Err(error) => chosen.unreachable.push((pin, error)),
        }
    }
    chosen
}

/// Every commit of the range that touches a file of an overlay, each once.
fn commits(
    range: &CommitRange,
    workspace: &Workspace<'_>,
    upstream: &Upstream,
) -> Result<Vec<(Found, Option<LockedPin>)>, Error> {
    let mut sources = upstream.sources().iter();
    let source = sources.find_map(|source| Some((source, source.history()?)));
    let (source, history) = source.ok_or_else(|| {
        Error::usage("--commits needs a source with a history")
            .help("give one: `--source git:PATH-OR-URL`")
    })?;
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    for path in paths(workspace.overlays.as_slice()) {
        for commit in history.touching(&range.from, &range.to, &path)? {
            if seen.insert(commit.commit.clone()) {
                found.push((Found::new(history.at(&commit.commit)?, source), None));
            }
        }
    }
    Ok(found)
}

fn no_pins(message: &str) -> Error {
    Error::usage(message.to_owned())
        .help("name a revision with `--mlx V`, or make a pin with `patchctl bump --mlx V`")
}

/// A pin whose tag was moved fails; one that no source has was not looked at.
pub(super) fn not_reached(pin: &LockedPin, error: &Error) -> ReleaseResult {
    ReleaseResult {
        status: match error.exit() {
            Exit::Surroundings => Status::NotRun,
            _ => Status::Failed,
        },
        findings: error.findings(),
        ..ReleaseResult::new(&pin.release, &pin.revision, "structure")
    }
}
