//! `patchctl verify`: shows that the overlays hold on revisions, and writes nothing.

use std::collections::HashSet;
use std::sync::Arc;

use patchctl_apply::LockedPin;
use semver::VersionReq;

use crate::exit::Exit;
use crate::patch::paths;
use crate::pins::disagreements;
use crate::report::{Finding, ReleaseResult, Report, Severity, Status};
use crate::upstream::{RevisionSpec, SourceError, Upstream, UpstreamError};
use crate::verify::Subject;

use super::args::{CommitRange, Level, examples, revision};
use super::project::{Project, spec_of};
use super::proving::{Proposed, Proving, proven};
use super::snapshots::Snapshots;
use super::telling::proofs;
use super::{CommandError, Context, Output, bases, newer, own_checks};

/// Show that the overlays hold on one or many MLX revisions; writes nothing, but the record of --check
///
/// Without a selection the current pin is verified, which includes that the lock, the overlays and every
/// place where the pin is written agree. A level that could not be run is reported as 'not run', with what is
/// missing, and never counts as passed.
#[derive(Debug, clap::Args)]
#[command(after_long_help = examples(EXAMPLES))]
#[group(skip)]
pub struct VerifyArgs {
    /// The revisions to verify on
    #[command(flatten)]
    pub selection: Selection,

    /// How far to prove
    #[arg(long, value_enum, default_value_t)]
    pub level: Level,

    /// Then make faults in the overlays' own code, one at a time, and show that each is noticed
    ///
    /// Proves to level `run` first. A fault that no check notices fails: that code is not needed, or nothing tests it.
    /// Each fault compiles one file of MLX and takes some seconds.
    #[arg(long, conflicts_with = "level")]
    pub mutants: bool,

    /// Run one of the repository's own checks instead, and record what it gives
    ///
    /// As `checks:` in patchctl.yaml has it. The record is a file in the folder `checks` beside the lock: it says
    /// for which pin and overlays the check passed or failed, and on which kind of host.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["mlx", "all_pins", "releases", "commits", "level", "mutants"])]
    pub check: Option<String>,
}

/// Which revisions: at most one of these; none is the current pin.
#[derive(Debug, Default, clap::Args)]
#[group(multiple = false)]
pub struct Selection {
    /// A revision: a release, `latest`, a commit or a branch; may be given several times
    #[arg(long, value_name = "V", value_parser = revision)]
    pub mlx: Vec<RevisionSpec>,

    /// Every pin
    #[arg(long)]
    pub all_pins: bool,

    /// Every release of the sources that the requirement admits, such as `>=0.31, <0.33`
    #[arg(long, value_name = "REQ")]
    pub releases: Option<VersionReq>,

    /// Every commit of A..B that touches a file of an overlay
    ///
    /// Needs a git source. A and B are tags, branches or commits; A itself is left out, as in git.
    #[arg(long, value_name = "A..B")]
    pub commits: Option<CommitRange>,
}

const EXAMPLES: &str = "\
Examples:
  Verify the current pin:
    patchctl verify
  Verify every pin, as far as the tools here allow:
    patchctl verify --all-pins
  Find the first release on which a hunk no longer lands:
    patchctl --source git:../mlx verify --releases '>=0.23.0' --level structure
  Look at every commit since a release:
    patchctl --source git:../mlx verify --commits v0.32.1..main --level structure
  Show that every line of the overlays is needed and tested:
    patchctl verify --mutants
  Run the check `metal` of patchctl.yaml, and record what it gives:
    patchctl verify --check metal";

/// Does the verification.
///
/// # Errors
/// When there is no report to give: the root, its YAML files or every source cannot be read.
pub fn run(args: &VerifyArgs, context: &Context) -> Result<Output, CommandError> {
    if let Some(name) = &args.check {
        return own_checks::run(name, context);
    }
    let project = Project::open(context)?;
    let mut report = Report::new("verify");
    let mut exit = Exit::Success;
    let upstream = project.upstream(context, true);
    let chosen = choose(&args.selection, &project, &upstream)?;
    let subjects: Vec<Subject> = chosen.found.iter().map(|one| one.subject.clone()).collect();
    let mut located = bases::locate(&project, context, &subjects, &|_| false)?;
    let outcomes = std::mem::take(&mut located.outcomes);
    let mut proving = Proving::new(context, args.level);
    if args.mutants {
        proving = proving.with_mutants();
    }
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
            let proposed = Proposed {
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
        let untold = chosen.passed_over.iter().map(newer::passed_over);
        report.not_run.extend(untold);
        exit = exit.and(Exit::Surroundings);
    }
    // What is verified as a pin is what the repository's files say, so these have to agree.
    if chosen.pins {
        report.findings.extend(project.pending()?);
        report.findings.extend(project.disagreements());
        exit = exit.and(own_checks::standing(&project, &mut report)?);
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

/// What is verified.
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
    subject: Subject,
    /// Set where it is looked at as a pin: then the lock must agree.
    pin: Option<LockedPin>,
}

fn choose(
    wanted: &Selection,
    project: &Project,
    upstream: &Upstream,
) -> Result<Chosen, CommandError> {
    if wanted.all_pins {
        if project.lock.pins.is_empty() {
            return Err(no_pins("there is no pin in the lock yet"));
        }
        return Ok(pins(project.lock.pins.clone(), upstream));
    }
    if let Some(range) = &wanted.commits {
        return commits(range, project, upstream);
    }
    let mut passed_over = Vec::new();
    let (specs, alone): (Vec<RevisionSpec>, bool) = match &wanted.releases {
        Some(requirement) => {
            let listed = upstream.list()?;
            let admitted = listed.releases.iter().filter(|it| requirement.matches(it));
            let admitted: Vec<_> = admitted.cloned().map(RevisionSpec::Release).collect();
            if admitted.is_empty() && !listed.passed_over.is_empty() {
                return Err(listed.lacks(format!("a release `{requirement}`")).into());
            }
            passed_over = listed.passed_over;
            if admitted.is_empty() {
                return Err(CommandError::Usage {
                    message: format!("no release of the sources is `{requirement}`"),
                    help: Some("see which there are with `--releases '*'`".to_owned()),
                });
            }
            (admitted, false)
        }
        None if wanted.mlx.is_empty() => {
            let current = project.pins.current_release();
            let pin = current.and_then(|release| project.locked(release));
            let pin = pin.ok_or_else(|| no_pins("there is no current pin"))?;
            return Ok(pins(vec![pin.clone()], upstream));
        }
        None => (wanted.mlx.clone(), wanted.mlx.len() == 1),
    };
    let found: Result<Vec<_>, _> = upstream.resolve_all(&specs).into_iter().collect();
    let found = found?.into_iter().map(|found| One {
        subject: found.into(),
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
                subject: found.into(),
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
) -> Result<Chosen, CommandError> {
    let source = upstream
        .sources()
        .iter()
        .find(|source| source.history().is_some());
    let Some((source, history)) = source.and_then(|source| Some((source, source.history()?)))
    else {
        return Err(CommandError::Usage {
            message: "--commits needs a source with a history".to_owned(),
            help: Some("give one: `--source git:PATH-OR-URL`".to_owned()),
        });
    };
    let mut found: Vec<One> = Vec::new();
    let mut seen = HashSet::new();
    for path in paths(project.overlays.as_slice()) {
        for commit in history.touching(&range.from, &range.to, &path)? {
            if seen.insert(commit.commit.clone()) {
                let revision = history.at(&commit.commit)?;
                found.push(One {
                    subject: Subject {
                        revision,
                        source: Arc::clone(source),
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

fn no_pins(message: &str) -> CommandError {
    CommandError::Usage {
        message: message.to_owned(),
        help: Some(
            "name a revision with `--mlx V`, or make a pin with `patchctl bump --mlx V`".to_owned(),
        ),
    }
}

/// A pin whose tag was moved fails; one that no source has was not looked at.
pub(super) fn not_reached(pin: &LockedPin, error: &UpstreamError) -> ReleaseResult {
    let (status, code) = match error {
        UpstreamError::Moved(_) => (Status::Failed, "tag-moved"),
        _ => (Status::NotRun, "no-source"),
    };
    ReleaseResult {
        release: pin.release.clone(),
        revision: pin.revision.clone(),
        status,
        level: "structure".to_owned(),
        landed: Vec::new(),
        shown: Vec::new(),
        measured: Vec::new(),
        findings: vec![Finding {
            code: code.to_owned(),
            message: error.to_string(),
            help: error.help().map(str::to_owned),
            ..Finding::default()
        }],
    }
}
