//! The work of a bump, up to what is to be written: resolve, carry, prove.

use std::collections::{BTreeSet, HashSet};

use patchctl_apply::LockedPin;

use crate::overlay::Overlay;
use crate::patch::{Landing, PatchedFile, Verdict};
use crate::report::{Code, Exit, Finding, Report, Status};
use crate::upstream::{Found, Resolved, RevisionSpec};
use crate::verify::Outcome;
use crate::workspace::{
    LOCK_FILE, PINS_FILE, Pin, REVIEWED_FILE, Review, Transaction, keep_proofs, locked_pin,
    release_order, rewrites,
};

use super::build::stub;
use super::patched_revision::PatchedRevision;
use super::project::{Project, spec_of_pin, written};
use super::snapshots::{self, Snapshots};
use super::step_text::{carried, proofs, proved, resolved, short};
use super::upstream_changes::moved;
use super::verification::{Verification, proven};
use super::write_session::{WriteSession, preview};
use super::{Context, HunkName, Output, WorkflowError, merge_bases};
use crate::verify::Level;

/// The options of a bump.
#[derive(Debug)]
pub(crate) struct Options {
    /// The revision to carry to; `None` carries to every pin anew, and the current one stays current.
    pub revision: Option<RevisionSpec>,
    /// Write nothing, and list the files that would change.
    pub dry_run: bool,
    /// Hunks that a person has reviewed.
    pub reviewed: Vec<HunkName>,
    /// The level to prove; `None` for the highest that the tools here allow.
    pub level: Option<Level>,
    /// Leave the current pin current.
    pub keep_current: bool,
    /// Let `latest` be older than the current pin.
    pub allow_downgrade: bool,
}

impl Options {
    /// The command line without the program's name, for messages and for whoever waits.
    fn words(&self) -> String {
        match &self.revision {
            Some(revision) => format!("bump --mlx {}", written(revision)),
            None => "bump --all-pins".to_owned(),
        }
    }
}

/// Does the bump.
///
/// # Errors
/// When there is no report to give: the root, its YAML files or every source cannot be read, the repository
/// is held by another command, or a file cannot be written.
pub(crate) fn run(options: &Options, context: &Context) -> Result<Output, WorkflowError> {
    let mut report = Report::new("bump");
    // Report wrong files before anything is locked or repaired.
    let project = Project::open(context)?;
    if options.dry_run {
        let carrying = BumpRun {
            options,
            context,
            project: &project,
        };
        let (transaction, exit) = carrying.carry(&mut report)?;
        if let Some(transaction) = transaction {
            preview(&project.root, &transaction, &mut report)?;
        }
        return Ok(Output::ending(report, exit));
    }
    let writing = WriteSession::begin(context, &options.words(), &mut report)?;
    // An interrupted command may have been finished or undone, and the other one may have written.
    let project = Project::open(context)?;
    let carrying = BumpRun {
        options,
        context,
        project: &project,
    };
    let (transaction, mut exit) = carrying.carry(&mut report)?;
    if let Some(transaction) = transaction {
        match writing.commit(&transaction, &mut report) {
            // Report a pending review even where its snapshot cannot be written.
            Err(error) if exit != Exit::Success => {
                report.findings.extend(error.findings());
                exit = exit.and(error.exit());
            }
            written => written?,
        }
    }
    Ok(Output::ending(report, exit))
}

/// A bump at work.
struct BumpRun<'a> {
    options: &'a Options,
    context: &'a Context,
    project: &'a Project,
}

impl BumpRun<'_> {
    /// Resolves, carries and proves. Gives what is to be written, where all is proven.
    fn carry(&self, report: &mut Report) -> Result<(Option<Transaction>, Exit), WorkflowError> {
        let reviewed = self.reviewed_hunks()?;
        let subjects = self.resolve(report)?;
        let snapshots = Snapshots::open(self.project)?;
        let named = |landing: &Landing| {
            let key = &landing.key;
            reviewed.contains(&(key.overlay.clone(), key.hunk.clone()))
        };
        let settled = |landing: &Landing| named(landing) || snapshots.holds(landing);
        let mut located = merge_bases::locate(self.project, self.context, &subjects, &settled)?;
        let mut exit = Exit::Success;
        let mut done = Vec::new();
        let proving = Verification::new(self.context, self.options.level);
        for (subject, mut outcome) in subjects.iter().zip(std::mem::take(&mut located.outcomes)) {
            report.step("carry", carried(&outcome));
            let looked_at = snapshots.accepted(&subject.revision, &mut outcome);
            let accepted = accept(&mut outcome, &|it| named(it) || looked_at.contains(&it.key));
            report.step("prove", proved(&outcome));
            if outcome.result.status == Status::Passed {
                let proposed = PatchedRevision {
                    revision: &subject.revision,
                    source: &subject.source,
                    files: &outcome.files,
                    overlays: &self.project.overlays_named(&outcome.overlays),
                };
                exit = exit.and(proving.prove(&proposed, &mut outcome.result, report)?);
            }
            exit = exit.and(match outcome.result.status {
                Status::Passed => Exit::Success,
                Status::Unsupported => Exit::Usage,
                Status::Failed | Status::NeedsReview | Status::NotRun => Exit::Check,
            });
            let lost = located.lost(&outcome);
            if !lost.is_empty() {
                exit = exit.and(Exit::Surroundings);
            }
            outcome.result.findings.extend(lost);
            if self.options.revision.is_some() {
                report.bump = Some(moved(self.project, subject, &outcome));
            }
            done.push(Carried {
                revision: &subject.revision,
                outcome,
                accepted,
            });
        }
        if exit == Exit::Success {
            exit = exit.and(self.bridge(report));
        }
        let transaction = match exit {
            Exit::Success => Some(self.writes(&done, &snapshots, report)?),
            _ => {
                let found: Vec<_> = done.iter().map(Carried::found).collect();
                // Nothing is for a person to review that something else has to be mended for.
                let pending = Some(exit).filter(|exit| *exit == Exit::Check);
                let pending =
                    pending.and_then(|_| snapshots.pending(&self.options.words(), &found));
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

    /// The bridge's stub, where an overlay has what the bridge calls and more than level `structure` is asked for.
    fn bridge(&self, report: &mut Report) -> Exit {
        let is_bridged = |overlay: &Overlay| {
            let provides = &overlay.provides;
            provides.contains_key("setter") && provides.contains_key("getter")
        };
        let mut overlays = self.project.overlays.as_slice().iter();
        if self.options.level == Some(Level::Structure) || !overlays.any(is_bridged) {
            return Exit::Success;
        }
        let (check, exit) = stub::check(self.context);
        let lacks_a_compiler = check.status == Status::NotRun;
        report.checks.push(check);
        match self.options.level {
            None if lacks_a_compiler => Exit::Success,
            _ => exit,
        }
    }

    /// The revision that was named, or every pin's.
    fn resolve(&self, report: &mut Report) -> Result<Vec<Found>, WorkflowError> {
        let upstream = self
            .project
            .upstream(self.context, self.options.revision.is_none());
        let wanted = match &self.options.revision {
            Some(wanted) => vec![wanted.clone()],
            None => self.project.pins.all().iter().map(spec_of_pin).collect(),
        };
        if wanted.is_empty() {
            return Err(
                WorkflowError::usage("there is no pin yet that could be carried anew")
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
                report.findings.push(self.moving(&found.revision));
            }
            subjects.push(found);
        }
        Ok(subjects)
    }

    /// `latest` never leads to an older release unasked: a source that has the newer one may not have answered.
    fn check_direction(&self, found: &Found) -> Result<(), WorkflowError> {
        let Some(current) = self.project.pins.current_release() else {
            return Ok(());
        };
        let is_latest = self.options.revision == Some(RevisionSpec::Latest);
        let release = &found.revision.release;
        let is_down = Some((release.clone(), 0)) < release_order(current);
        if !is_latest || !is_down || self.options.allow_downgrade {
            return Ok(());
        }
        let error = WorkflowError::new(
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
    fn reviewed_hunks(&self) -> Result<HashSet<(String, String)>, WorkflowError> {
        let resolve = |name: &HunkName| {
            let address = name.to_string();
            match self.project.overlays.hunk(&address) {
                Ok((overlay, hunk)) => Ok((overlay.id.clone(), hunk.id.clone())),
                Err(error) => Err(
                    WorkflowError::usage(format!("--reviewed {address}: {error}"))
                        .help(error.advice()),
                ),
            }
        };
        self.options.reviewed.iter().map(resolve).collect()
    }

    fn moving(&self, revision: &Resolved) -> Finding {
        Finding::new(
            Code::MovingRevision,
            format!(
                "`{}` is a branch; the commit {} is pinned",
                self.options
                    .revision
                    .as_ref()
                    .map(written)
                    .unwrap_or_default(),
                short(revision)
            ),
        )
    }

    /// Everything that the bump writes.
    fn writes(
        &self,
        done: &[Carried<'_>],
        snapshots: &Snapshots<'_>,
        report: &mut Report,
    ) -> Result<Transaction, WorkflowError> {
        let project = self.project;
        let mut lock = patchctl_apply::Lock {
            schema: patchctl_apply::SCHEMA,
            ..project.lock.clone()
        };
        let mut pins = project.pins.clone();
        let mut reviewed = project.reviewed.clone();
        let mut places = Vec::new();
        let is_carried = |pin: &LockedPin| {
            let mut carried = done.iter().map(|one| &one.outcome.result.release);
            carried.any(|release| *release == pin.release)
        };
        for pin in project.lock.pins.iter().filter(|pin| !is_carried(pin)) {
            let reviews = snapshots.landings_of(pin).into_iter();
            reviews.for_each(|review| _ = reviewed.add(review));
        }
        for one in done {
            let release = one.outcome.result.release.clone();
            let pin = Pin {
                release: release.clone(),
                revision: one.revision.commit.clone(),
            };
            self.news(&release, &one.outcome.files, report);
            if self.becomes_current() {
                places = rewrites(&project.root, &project.config.places, &pin)
                    .map_err(|errors| WorkflowError::in_files(Exit::Usage, errors))?;
            }
            pins.set(pin, self.becomes_current());
            let mut pin = self.lock_pin(one);
            report.proven.extend(proofs(&pin.release, &pin.proven));
            let old = project.locked(&release);
            if let Some(lost) = old.and_then(|old| keep_proofs(old, &mut pin)) {
                report.findings.push(proof_lowered(&pin, lost));
            }
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
        if self.options.revision.is_none() {
            // A pin that was taken out of pins.yaml goes out of the lock too.
            lock.pins
                .retain(|locked| pins.get(&locked.release).is_some());
        }
        lock.pins.sort_by_key(|pin| release_order(&pin.release));
        let folder = project.folder();
        let mut transaction = Transaction::new(self.options.words(), folder.join(LOCK_FILE));
        transaction.record(folder.join(PINS_FILE), pins);
        if reviewed != project.reviewed {
            transaction.record(folder.join(REVIEWED_FILE), reviewed);
        }
        let found: Vec<_> = done.iter().map(Carried::found).collect();
        snapshots.write(&found, &lock, &mut transaction);
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

    /// Returns true if the revision becomes the current pin. Pins that are carried anew stay as they are.
    fn becomes_current(&self) -> bool {
        self.options.revision.is_some() && !self.options.keep_current
    }

    fn lock_pin(&self, one: &Carried<'_>) -> LockedPin {
        let proven = proven(&one.outcome.result);
        let overlays = self.project.overlays_named(&one.outcome.overlays);
        let release = one.outcome.result.release.clone();
        locked_pin(release, one.revision, &overlays, &one.outcome.files, proven)
    }

    /// Adds a step that says how the pins change.
    fn news(&self, new: &str, files: &[PatchedFile], report: &mut Report) {
        let old = self.project.pins.current_release();
        let changed = |file: &&PatchedFile| {
            let locked = old.and_then(|old| self.project.locked(old));
            let before = locked.and_then(|pin| pin.files.iter().find(|f| f.path == file.path));
            before.is_none_or(|before| before.before != file.before)
        };
        let count = files.iter().filter(changed).count();
        let what = match old {
            None => format!("{new} is the first pin"),
            Some(old) if old == new => format!("{new} is pinned already"),
            Some(old) if !self.becomes_current() => format!("{new} is a pin; {old} stays current"),
            Some(old) => format!(
                "{old} -> {new}{}; upstream changed {count} of {} patched files",
                match release_order(new) < release_order(old) {
                    true => " (down)",
                    false => "",
                },
                files.len()
            ),
        };
        report.step("pin", what);
    }

    fn what_next(&self, outcome: &Outcome, report: &mut Report) {
        match outcome.result.status {
            Status::NeedsReview => {
                let pending: BTreeSet<String> = outcome
                    .landings
                    .iter()
                    .filter(|(_, verdict)| !verdict.is_accepted())
                    .map(|(landing, _)| {
                        format!("--reviewed {}/{}", landing.key.overlay, landing.key.hunk)
                    })
                    .collect();
                let flags: Vec<String> = pending.into_iter().collect();
                report.next.push(format!(
                    "look at each hunk above, or at `patchctl review`; what is right there is accepted with \
                     `patchctl review --accept`, or at once with `patchctl {} {}`",
                    self.options.words(),
                    flags.join(" ")
                ));
            }
            Status::Failed => report.next.push(format!(
                "mend the overlay as the findings say, then run `patchctl {}` again",
                self.options.words()
            )),
            _ => {}
        }
    }
}

fn proof_lowered(pin: &LockedPin, lost: &str) -> Finding {
    let reached = pin.proven.last().map_or("none", |proven| &proven.level);
    Finding::new(
        Code::ProofLowered,
        format!(
            "{} was locked at level {lost}; what is locked now is proven to level {reached}",
            pin.release
        ),
    )
    .help(format!(
        "prove it where the tools are: patchctl bump --mlx {} --level {lost}",
        pin.release
    ))
}

/// A pin is a commit; a folder that is no checkout of one can be verified and not pinned.
fn no_commit(found: &Found) -> WorkflowError {
    WorkflowError::usage(format!(
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

impl Carried<'_> {
    fn found(&self) -> snapshots::Found<'_> {
        (self.revision, &self.outcome)
    }
}

fn review(landing: &Landing, release: &str) -> Review {
    Review::of(&landing.key, &landing.shape, release, &landing.scope)
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
    let of_hunk = |landing: &Landing| format!("{}/{}", landing.key.overlay, landing.key.hunk);
    let open = outcome.landings.iter().filter(|(_, it)| !it.is_accepted());
    let open: HashSet<String> = open.map(|(landing, _)| of_hunk(landing)).collect();
    outcome.result.findings.retain(|finding| {
        let review = matches!(
            finding.code,
            Code::NeedsReviewShape | Code::LocatorsDisagree
        );
        !review || finding.hunk.as_ref().is_none_or(|it| open.contains(it))
    });
    let settled = outcome
        .landings
        .iter()
        .all(|(_, verdict)| verdict.is_accepted());
    if outcome.result.status == Status::NeedsReview && settled {
        outcome.result.status = Status::Passed;
    }
    accepted
}
