//! Shows that the overlays hold on revisions, and writes nothing.

use std::collections::HashSet;
use std::sync::Arc;

use patchctl_apply::LockedPin;
use semver::VersionReq;

use crate::patch::paths;
use crate::report::{Code, Exit, Finding, ReleaseResult, Report, Severity, Status};
use crate::upstream::{Found, RevisionSpec, SourceError, Upstream, UpstreamError};
use crate::verify::Level;
use crate::workspace::disagreements;

use super::patched_revision::PatchedRevision;
use super::project::{Project, spec_of};
use super::snapshots::Snapshots;
use super::step_text::proofs;
use super::verification::{Verification, proven};
use super::{
    CommitRange, Context, Output, WorkflowError, custom_checks, merge_bases, release_check,
};

/// The options of a verification.
#[derive(Debug)]
pub(crate) struct Options {
    /// The revisions.
    pub selection: Selection,
    /// The level to prove; `None` for the highest below `mutants` that the tools here allow.
    pub level: Option<Level>,
}

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

/// Does the verification.
///
/// # Errors
/// When there is no report to give: the root, its YAML files or every source cannot be read.
pub(crate) fn run(options: &Options, context: &Context) -> Result<Output, WorkflowError> {
    let project = Project::open(context)?;
    let mut report = Report::new("verify");
    let mut exit = Exit::Success;
    let upstream = project.upstream(context, true);
    let chosen = choose(&options.selection, &project, &upstream)?;
    let subjects: Vec<Found> = chosen.found.iter().map(|one| one.subject.clone()).collect();
    let mut located = merge_bases::locate(&project, context, &subjects, &|_| false)?;
    let outcomes = std::mem::take(&mut located.outcomes);
    let proving = Verification::new(context, options.level);
    let snapshots = Snapshots::open(&project)?;
    for (one, mut outcome) in chosen.found.iter().zip(outcomes) {
        if let Some(pin) = &one.pin {
            let revision = &one.subject.revision;
            let mut found = disagreements(pin, revision, &outcome.files);
            found.extend(snapshots.untrue((revision, &outcome)));
            // A hunk that failed explains itself; that the lock has it still is no news.
            if outcome.result.status == Status::Passed && !found.is_empty() {
                outcome.result.status = Status::Failed;
                outcome.result.findings.extend(found);
            }
        }
        let lost = located.lost(&outcome);
        if !lost.is_empty() {
            exit = exit.and(Exit::Surroundings);
        }
        outcome.result.findings.extend(lost);
        if outcome.result.status == Status::Passed {
            let proposed = PatchedRevision {
                revision: &one.subject.revision,
                source: &one.subject.source,
                files: &outcome.files,
                overlays: &project.overlays_named(&outcome.overlays),
            };
            exit = exit.and(proving.prove(&proposed, &mut outcome.result, &mut report)?);
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
        let untold = chosen.passed_over.iter().map(release_check::passed_over);
        report.not_run.extend(untold);
        exit = exit.and(Exit::Surroundings);
    }
    // A pin is verified as the repository's files describe it, so these have to agree.
    if chosen.pins {
        report.findings.extend(project.pending()?);
        report.findings.extend(project.disagreements());
        exit = exit.and(custom_checks::standing(&project, &mut report)?);
        if report
            .findings
            .iter()
            .any(|finding| finding.severity == Severity::Error)
        {
            exit = exit.and(Exit::Check);
        }
    }
    Ok(Output::ending(report, exit))
}

/// The revisions to verify, resolved.
struct Chosen {
    found: Vec<One>,
    /// Pins that no source gives.
    unreachable: Vec<(LockedPin, UpstreamError)>,
    /// One revision was named, and nothing else.
    alone: bool,
    /// They are looked at as pins.
    pins: bool,
    /// Sources that gave no list of releases, before the one that did.
    passed_over: Vec<SourceError>,
}

struct One {
    subject: Found,
    /// Set where it is looked at as a pin: then the lock must agree.
    pin: Option<LockedPin>,
}

fn choose(
    wanted: &Selection,
    project: &Project,
    upstream: &Upstream,
) -> Result<Chosen, WorkflowError> {
    let mut passed_over = Vec::new();
    let specs: Vec<RevisionSpec> = match wanted {
        Selection::AllPins if project.lock.pins.is_empty() => {
            return Err(no_pins("there is no pin in the lock yet"));
        }
        Selection::AllPins => return Ok(pins(project.lock.pins.clone(), upstream)),
        Selection::CurrentPin => {
            let current = project.pins.current_release();
            let pin = current.and_then(|release| project.locked(release));
            let pin = pin.ok_or_else(|| no_pins("there is no current pin"))?;
            return Ok(pins(vec![pin.clone()], upstream));
        }
        Selection::Commits(range) => return commits(range, project, upstream),
        Selection::Revisions(specs) => specs.clone(),
        Selection::Releases(requirement) => {
            let listed = upstream.list()?;
            let admitted = listed.releases.iter().filter(|it| requirement.matches(it));
            let admitted: Vec<_> = admitted.cloned().map(RevisionSpec::Release).collect();
            if admitted.is_empty() && !listed.passed_over.is_empty() {
                return Err(listed.lacks(format!("a release `{requirement}`")).into());
            }
            passed_over = listed.passed_over;
            if admitted.is_empty() {
                return Err(WorkflowError::usage(format!(
                    "no release of the sources is `{requirement}`"
                ))
                .help("see which there are with `--releases '*'`"));
            }
            admitted
        }
    };
    let alone = matches!(wanted, Selection::Revisions(specs) if specs.len() == 1);
    let found: Result<Vec<_>, _> = upstream.resolve_all(&specs).into_iter().collect();
    let found = found?.into_iter().map(|found| One {
        subject: found,
        pin: None,
    });
    Ok(Chosen {
        found: found.collect(),
        unreachable: Vec::new(),
        alone,
        pins: false,
        passed_over,
    })
}

fn pins(pins: Vec<LockedPin>, upstream: &Upstream) -> Chosen {
    let specs: Vec<RevisionSpec> = pins.iter().map(spec_of).collect();
    let mut chosen = Chosen {
        found: Vec::new(),
        unreachable: Vec::new(),
        alone: false,
        pins: true,
        passed_over: Vec::new(),
    };
    for (pin, found) in pins.into_iter().zip(upstream.resolve_all(&specs)) {
        match found {
            Ok(found) => chosen.found.push(One {
                subject: found,
                pin: Some(pin),
            }),
            Err(error) => chosen.unreachable.push((pin, error)),
        }
    }
    chosen
}

/// Every commit of the range that touches a file of an overlay, each once.
fn commits(
    range: &CommitRange,
    project: &Project,
    upstream: &Upstream,
) -> Result<Chosen, WorkflowError> {
    let source = upstream
        .sources()
        .iter()
        .find(|source| source.history().is_some());
    let Some((source, history)) = source.and_then(|source| Some((source, source.history()?)))
    else {
        return Err(
            WorkflowError::usage("--commits needs a source with a history")
                .help("give one: `--source git:PATH-OR-URL`"),
        );
    };
    let mut found: Vec<One> = Vec::new();
    let mut seen = HashSet::new();
    for path in paths(project.overlays.as_slice()) {
        for commit in history.touching(&range.from, &range.to, &path)? {
            if seen.insert(commit.commit.clone()) {
                let revision = history.at(&commit.commit)?;
                found.push(One {
                    subject: Found {
                        revision,
                        source: Arc::clone(source),
                        passed_over: Vec::new(),
                    },
                    pin: None,
                });
            }
        }
    }
    Ok(Chosen {
        found,
        unreachable: Vec::new(),
        alone: false,
        pins: false,
        passed_over: Vec::new(),
    })
}

fn no_pins(message: &str) -> WorkflowError {
    WorkflowError::usage(message.to_owned())
        .help("name a revision with `--mlx V`, or make a pin with `patchctl bump --mlx V`")
}

/// A pin whose tag was moved fails; one that no source has was not looked at.
pub(super) fn not_reached(pin: &LockedPin, error: &UpstreamError) -> ReleaseResult {
    let (status, code) = match error {
        UpstreamError::Moved(_) => (Status::Failed, Code::TagMoved),
        UpstreamError::Refused(_) => (Status::Failed, Code::UpstreamRefused),
        UpstreamError::NoSource { .. } => (Status::NotRun, Code::NoSource),
    };
    ReleaseResult {
        status,
        findings: vec![Finding::new(code, error.to_string()).help(error.help())],
        ..ReleaseResult::new(&pin.release, &pin.revision, "structure")
    }
}
