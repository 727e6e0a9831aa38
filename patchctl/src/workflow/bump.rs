//! Carries the overlays to revisions: resolve, carry, prove; then write, or say what stands in the way.

mod files;

use std::collections::{BTreeSet, HashSet};

use camino::Utf8Path;

use self::files::written;
use super::build::stub;
use super::merge_bases;
use super::patched_revision::PatchedRevision;
use super::snapshots::Snapshots;
use super::step_text::{carried, proved, resolved};
use super::upstream_changes::moved;
use super::verification::Verification;
use super::workspace::{Workspace, spec};
use super::write_session::write;
use super::{Context, Output};
use crate::overlay::Overlay;
use crate::patch::{Landing, Verdict};
use crate::report::{Code, Error, Exit, Finding, Report, Status, short};
use crate::upstream::{Found, Resolved, RevisionSpec};
use crate::verify::{Level, Outcome};
use crate::workspace::{Transaction, release_order};

/// The options of a bump.
#[derive(Debug)]
pub(crate) struct Options {
    /// The revision to carry to; `None` carries to every pin anew, and the current one stays current.
    pub revision: Option<RevisionSpec>,
    /// Write nothing, and list the files that would change.
    pub dry_run: bool,
    /// Hunks that a person has reviewed.
    pub reviewed: Vec<String>,
    /// The level to prove; `None` for the highest that the tools here allow.
    pub level: Option<Level>,
    /// Leave the current pin current.
    pub keep_current: bool,
    /// Let `latest` be older than the current pin.
    pub allow_downgrade: bool,
    /// Pin a revision that no overlay claims.
    pub without_overlays: bool,
}

impl Options {
    /// The command line without the program's name, for messages and for whoever waits.
    fn words(&self) -> String {
        match &self.revision {
            Some(revision) => format!("bump --mlx {}", revision),
            None => "bump --all-pins".to_owned(),
        }
    }
}

/// Does the bump.
///
/// # Errors
/// When there is no report to give: the root, its YAML files or every source cannot be read, the repository
/// is held by another command, or a file cannot be written.
pub(crate) fn run(options: &Options, context: &Context) -> Result<Output, Error> {
    let mut report = Report::new("bump");
    let mut exit = Exit::Success;
    let carry = |workspace: &Workspace<'_>, report: &mut Report| {
        let (transaction, ended) = BumpRun { options, workspace }.carry(report)?;
        exit = ended;
        Ok(transaction)
    };
    match write(
        context,
        &options.words(),
        options.dry_run,
        &mut report,
        carry,
    ) {
        // Report a pending review even where its snapshot cannot be written.
        Err(error) if exit != Exit::Success && !options.dry_run => {
            report.findings.extend(error.findings());
            exit = exit.and(error.exit());
        }
        written => written?,
    }
    Ok(Output::ending(report, exit))
}

/// A bump at work.
pub(super) struct BumpRun<'a> {
    pub options: &'a Options,
    pub workspace: &'a Workspace<'a>,
}

impl BumpRun<'_> {
    /// Resolves, carries and proves. Gives what is to be written, where all is proven.
    pub fn carry(&self, report: &mut Report) -> Result<(Option<Transaction>, Exit), Error> {
        let reviewed = self.reviewed_hunks()?;
        let subjects = self.resolve(report)?;
        let snapshots = Snapshots::open(self.workspace)?;
        let named = |landing: &Landing| reviewed.contains(&landing.key.hunk_name());
        let settled = |landing: &Landing| named(landing) || snapshots.holds(landing);
        let (located, lost) = merge_bases::locate(self.workspace, &subjects, &settled)?;
        let mut exit = Exit::Success;
        let mut done = Vec::new();
        let proving = Verification::new(self.workspace.context, self.options.level);
        for (found, mut outcome) in subjects.iter().zip(located) {
            report.step("carry", carried(&outcome));
            let looked_at = snapshots.accepted(&mut outcome);
            let accepted = accept(&mut outcome, &|it| named(it) || looked_at.contains(&it.key));
            report.step("prove", proved(&outcome));
            if outcome.result.status == Status::Passed {
                let patched = PatchedRevision {
                    found,
                    files: &outcome.files,
                    overlays: &self.workspace.overlays_named(&outcome.overlays),
                };
                exit = exit.and(proving.prove(patched, &mut outcome.result, report)?);
            }
            exit = exit.and(match outcome.result.status {
                Status::Passed => Exit::Success,
                Status::Unsupported => self.unclaimed(&outcome, report),
                Status::Failed | Status::NeedsReview | Status::NotRun => Exit::Check,
            });
            exit = exit.and(lost.note(&mut outcome));
            if self.options.revision.is_some() {
                report.bump = Some(moved(self.workspace, found, &outcome));
            }
            done.push(Carried {
                revision: &found.revision,
                outcome,
                accepted,
            });
        }
        if exit == Exit::Success {
            exit = exit.and(self.bridge(report));
        }
        let transaction = match exit {
            Exit::Success => Some(written(self.options, &done, &snapshots, report)?),
            _ => {
                // Nothing is for a person to review that something else has to be mended for.
                let pending = match exit {
                    Exit::Check => snapshots.pending(&self.options.words(), &outcomes(&done)),
                    _ => None,
                };
                if pending.is_none() {
                    report.step("write", "nothing".to_owned());
                }
                done.iter()
                    .for_each(|one| self.what_next(&one.outcome, report));
                pending
            }
        };
        report
            .results
            .extend(done.into_iter().map(|one| one.outcome.result));
        Ok((transaction, exit))
    }

    /// A pin that no overlay claims any more stays one; a new one is asked for by name.
    fn unclaimed(&self, outcome: &Outcome, report: &mut Report) -> Exit {
        if self.options.revision.is_none() || self.options.without_overlays {
            return Exit::Success;
        }
        report.next.push(format!(
            "no overlay claims {}: widen `releases:` of one, or pin it as it is with `patchctl {} --without-overlays`",
            outcome.result.release,
            self.options.words()
        ));
        Exit::Usage
    }

    /// The bridge's stub, where an overlay has what the bridge calls and more than level `structure` is asked for.
    fn bridge(&self, report: &mut Report) -> Exit {
        let is_bridged = |overlay: &Overlay| {
            let provides = &overlay.provides;
            provides.contains_key("setter") && provides.contains_key("getter")
        };
        let mut overlays = self.workspace.overlays.as_slice().iter();
        if self.options.level == Some(Level::Structure) || !overlays.any(is_bridged) {
            return Exit::Success;
        }
        let (check, exit) = stub::check(self.workspace.context);
        let lacks_a_compiler = check.status == Status::NotRun;
        report.checks.push(check);
        match self.options.level {
            None if lacks_a_compiler => Exit::Success,
            _ => exit,
        }
    }

    /// The revision that was named, or every pin's.
    fn resolve(&self, report: &mut Report) -> Result<Vec<Found>, Error> {
        let upstream = self.workspace.upstream(self.options.revision.is_none());
        let wanted = match &self.options.revision {
            Some(wanted) => vec![wanted.clone()],
            None => {
                let pins = self.workspace.pins.all().iter();
                pins.map(|pin| spec(&pin.release, &pin.revision)).collect()
            }
        };
        if wanted.is_empty() {
            return Err(
                Error::usage("there is no pin yet that could be carried anew")
                    .help("make one with `patchctl bump --mlx V`"),
            );
        }
        let mut subjects = Vec::new();
        for found in upstream.resolve_all(&wanted) {
            let found = found?;
            report.step("resolve", resolved(&found));
            if found.revision.commit.is_empty() {
                return Err(no_commit(&found));
            }
            self.check_direction(&found)?;
            if found.revision.moving {
                let name = self.options.revision.as_ref();
                let name = name.map(ToString::to_string).unwrap_or_default();
                let commit = short(&found.revision.commit);
                let message = format!("`{name}` is a branch; the commit {commit} is pinned");
                report
                    .findings
                    .push(Finding::new(Code::MovingRevision, message));
            }
            subjects.push(found);
        }
        Ok(subjects)
    }

    /// `latest` never leads to an older release unasked: a source that has the newer one may not have answered.
    fn check_direction(&self, found: &Found) -> Result<(), Error> {
        let Some(current) = self.workspace.pins.current_release() else {
            return Ok(());
        };
        let is_latest = self.options.revision == Some(RevisionSpec::Latest);
        let release = &found.revision.release;
        let is_down = Some((release.clone(), 0)) < release_order(current);
        if !is_latest || !is_down || self.options.allow_downgrade {
            return Ok(());
        }
        let error = Error::new(
            Code::Downgrade,
            format!(
                "the latest release of the sources is {release}, which is older than the current pin {current}"
            ),
        );
        Err(error.help(format!(
            "see which sources answered above, or name one that has {current}; to go back: `patchctl bump --mlx {release}`, \
             or --allow-downgrade"
        )))
    }

    /// The hunks that `--reviewed` names, as `overlay/hunk`.
    fn reviewed_hunks(&self) -> Result<HashSet<String>, Error> {
        let resolve = |address: &String| match self.workspace.overlays.hunk(address) {
            Ok((overlay, hunk)) => Ok(format!("{}/{}", overlay.id, hunk.id)),
            Err(error) => {
                Err(Error::usage(format!("--reviewed {address}: {error}")).help(error.advice()))
            }
        };
        self.options.reviewed.iter().map(resolve).collect()
    }

    fn what_next(&self, outcome: &Outcome, report: &mut Report) {
        match outcome.result.status {
            Status::NeedsReview => {
                let open = outcome.landings.iter().filter(|(_, it)| !it.is_accepted());
                let open: BTreeSet<String> = open
                    .map(|(landing, _)| format!("--reviewed {}", landing.key.hunk_name()))
                    .collect();
                let flags: Vec<String> = open.into_iter().collect();
                report.next.push(format!(
                    "look at each hunk above, or at `patchctl review`; what is right there is accepted with \
                     `patchctl review --accept`, or at once with `patchctl {} {}`",
                    self.options.words(),
                    flags.join(" ")
                ));
            }
            Status::Failed => {
                let is_landed = |it: &&Finding| it.code == Code::LandedUpstream;
                let landed = outcome.result.findings.iter().filter(is_landed);
                for overlay in landed.filter_map(|it| Utf8Path::new(it.file.as_ref()?).file_stem())
                {
                    let release = &outcome.result.release;
                    report
                        .next
                        .push(format!("patchctl retire {overlay} --since {release}"));
                }
                report.next.push(format!(
                    "mend the overlay as the findings say, then run `patchctl {}` again",
                    self.options.words()
                ));
            }
            _ => {}
        }
    }
}

/// A pin is a commit; a folder that is no checkout of one can be verified and not pinned.
fn no_commit(found: &Found) -> Error {
    Error::usage(format!(
            "{} holds a tree whose commit is not known, so it cannot be pinned",
            found.source.name()
        )).help("bump from a git repository or from crates; `patchctl verify --mlx V` works with the folder")
}

/// A revision with what became of it.
struct Carried<'a> {
    revision: &'a Resolved,
    outcome: Outcome,
    /// Landings that `--reviewed` or a snapshot accepted.
    accepted: Vec<Landing>,
}

fn outcomes<'a>(done: &'a [Carried<'_>]) -> Vec<&'a Outcome> {
    done.iter().map(|one| &one.outcome).collect()
}

/// Accepts what `--reviewed` or an accepted snapshot names; the landings that are new to `reviewed.yaml` are given back.
fn accept(outcome: &mut Outcome, named: &dyn Fn(&Landing) -> bool) -> Vec<Landing> {
    let mut accepted = Vec::new();
    for (landing, verdict) in &mut outcome.landings {
        if !verdict.is_accepted() && named(landing) {
            *verdict = Verdict::Reviewed;
            accepted.push(landing.clone());
        }
    }
    let open = outcome.landings.iter().filter(|(_, it)| !it.is_accepted());
    let open: HashSet<String> = open.map(|(landing, _)| landing.key.hunk_name()).collect();
    outcome.result.findings.retain(|finding| {
        let review = matches!(
            finding.code,
            Code::NeedsReviewShape | Code::LocatorsDisagree
        );
        !review || finding.hunk.as_ref().is_none_or(|it| open.contains(it))
    });
    if outcome.result.status == Status::NeedsReview && open.is_empty() {
        outcome.result.status = Status::Passed;
    }
    accepted
}
