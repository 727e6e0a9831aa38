//! The work of a bump, up to what is to be written: resolve, carry, prove.

use std::collections::{BTreeSet, HashSet};
use std::fmt::Write;

use patchctl_apply::Proven;

use crate::exit::Exit;
use crate::patch::{Landing, PatchedFile, Verdict};
use crate::pins::{
    LOCK_FILE, PINS_FILE, Pin, REVIEWED_FILE, Review, Transaction, locked_pin, release_order,
    rewrites,
};
use crate::report::{Finding, Report, Severity, Status, Step};
use crate::upstream::{Found, Resolved};
use crate::verify::{Outcome, Subject};

use super::args::{HunkName, counted};
use super::project::{Project, written};
use super::{BumpArgs, CommandError, Context, bases, levels};

/// A bump at work.
pub(super) struct Carrying<'a> {
    pub args: &'a BumpArgs,
    pub context: &'a Context,
    pub project: &'a Project,
}

impl Carrying<'_> {
    /// Resolves, carries and proves. Gives what is to be written, where all is proven.
    pub fn carry(&self, report: &mut Report) -> Result<(Option<Transaction>, Exit), CommandError> {
        let reviewed = self.reviewed_hunks()?;
        let upstream = self.project.upstream(self.context, false);
        let found = upstream.resolve(&self.args.mlx)?;
        step(report, "resolve", resolved(&found));
        if found.revision.moving {
            report.findings.push(self.moving(&found.revision));
        }
        let subject = Subject {
            revision: found.revision,
            source: found.source,
        };
        let subjects = std::slice::from_ref(&subject);
        let named = |landing: &Landing| {
            let key = &landing.key;
            reviewed.contains(&(key.overlay.clone(), key.hunk.clone()))
        };
        let mut located = bases::locate(self.project, self.context, subjects, &named)?;
        let Some(mut outcome) = located.outcomes.pop() else {
            return Ok((None, Exit::Check));
        };
        step(report, "carry", carried(&outcome));
        let accepted = accept(&mut outcome, &reviewed);
        let ending = match outcome.result.status {
            Status::Passed => Exit::Success,
            Status::Unsupported => Exit::Usage,
            Status::Failed | Status::NeedsReview | Status::NotRun => Exit::Check,
        };
        step(report, "prove", proved(&outcome));
        let lost = located.lost(&outcome);
        let lost_exit = match lost.is_empty() {
            true => Exit::Success,
            false => Exit::Surroundings,
        };
        outcome.result.findings.extend(lost);
        let levels = levels::note(report, self.args.level);
        let exit = ending.and(levels).and(lost_exit);
        let transaction = match exit {
            Exit::Success => Some(self.writes(&subject.revision, &outcome, &accepted, report)?),
            _ => {
                step(report, "write", "nothing".to_owned());
                self.what_next(&outcome, report);
                None
            }
        };
        report.results.push(outcome.result);
        Ok((transaction, exit))
    }

    /// The hunks that `--reviewed` names, as `overlay/hunk`.
    fn reviewed_hunks(&self) -> Result<HashSet<(String, String)>, CommandError> {
        let resolve = |name: &HunkName| {
            let address = name.to_string();
            match self.project.overlays.hunk(&address) {
                Ok((overlay, hunk)) => Ok((overlay.id.clone(), hunk.id.clone())),
                Err(error) => Err(CommandError::Usage {
                    message: format!("--reviewed {address}: {error}"),
                    help: Some(error.help()),
                }),
            }
        };
        self.args.reviewed.iter().map(resolve).collect()
    }

    fn moving(&self, revision: &Resolved) -> Finding {
        Finding {
            severity: Severity::Note,
            code: "moving-revision".to_owned(),
            message: format!(
                "`{}` is a branch; the commit {} is pinned",
                written(&self.args.mlx),
                short(revision)
            ),
            ..Finding::default()
        }
    }

    /// Everything that the bump writes.
    fn writes(
        &self,
        revision: &Resolved,
        outcome: &Outcome,
        accepted: &[Landing],
        report: &mut Report,
    ) -> Result<Transaction, CommandError> {
        let project = self.project;
        let release = outcome.result.release.clone();
        let overlays = project.overlays_named(&outcome.overlays);
        let proven = vec![Proven {
            level: "structure".to_owned(),
            host: host_kind(),
            by: format!("patchctl {}", env!("CARGO_PKG_VERSION")),
        }];
        let pin = locked_pin(release.clone(), revision, &overlays, &outcome.files, proven);
        let mut lock = project.lock.clone();
        lock.pins.retain(|other| other.release != release);
        lock.pins.push(pin);
        lock.pins.sort_by_key(|pin| release_order(&pin.release));
        let mut pins = project.pins.clone();
        let old = pins.current_release().map(str::to_owned);
        let pin = Pin {
            release: release.clone(),
            revision: revision.commit.clone(),
        };
        let places = match self.args.keep_current {
            true => Vec::new(),
            false => rewrites(&project.root, &project.config.places, &pin).map_err(|errors| {
                CommandError::Places(errors.into_iter().map(Finding::from).collect())
            })?,
        };
        pins.set(pin, !self.args.keep_current);
        let mut reviewed = project.reviewed.clone();
        for landing in accepted {
            reviewed.add(Review::of(
                &landing.key,
                &landing.shape,
                &release,
                &landing.scope,
            ));
        }
        self.news(old.as_deref(), &release, &outcome.files, report);
        let folder = project.folder();
        let mut transaction =
            Transaction::new(format!("bump --mlx {release}"), folder.join(LOCK_FILE));
        transaction.text(folder.join(PINS_FILE), pins.to_yaml());
        if reviewed != project.reviewed {
            transaction.text(folder.join(REVIEWED_FILE), reviewed.to_yaml());
        }
        for place in places {
            place
                .changes
                .into_iter()
                .for_each(|change| step(report, "place", change));
            transaction.replace(place.file, &place.read, place.bytes);
        }
        transaction.text(folder.join(LOCK_FILE), lock.to_yaml()?);
        report.next.push(format!(
            "look at `git diff`, and commit; `patchctl apply --mlx {release} DIR` patches a tree"
        ));
        Ok(transaction)
    }

    /// What changed, for the reader.
    fn news(&self, old: Option<&str>, new: &str, files: &[PatchedFile], report: &mut Report) {
        let changed = |file: &&PatchedFile| {
            let locked = old.and_then(|old| self.project.locked(old));
            let before = locked.and_then(|pin| pin.files.iter().find(|f| f.path == file.path));
            before.is_none_or(|before| before.before != file.before)
        };
        let count = files.iter().filter(changed).count();
        let what = match old {
            None => format!("{new} is the first pin"),
            Some(old) if old == new => format!("{new} is pinned already"),
            Some(old) if self.args.keep_current => format!("{new} is a pin; {old} stays current"),
            Some(old) => format!(
                "{old} -> {new}; upstream changed {count} of {} patched files",
                files.len()
            ),
        };
        step(report, "pin", what);
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
                    "look at each hunk above; what is right there is accepted with `patchctl bump --mlx {} {}`",
                    written(&self.args.mlx),
                    flags.join(" ")
                ));
            }
            Status::Failed => report.next.push(format!(
                "mend the overlay as the findings say, then run `patchctl bump --mlx {}` again",
                written(&self.args.mlx)
            )),
            _ => {}
        }
    }
}

/// Accepts what `--reviewed` names; the landings that are new to `reviewed.yaml` are given back.
fn accept(outcome: &mut Outcome, hunks: &HashSet<(String, String)>) -> Vec<Landing> {
    let mut accepted = Vec::new();
    for (landing, verdict) in &mut outcome.landings {
        let named = hunks.contains(&(landing.key.overlay.clone(), landing.key.hunk.clone()));
        if named && !verdict.is_accepted() {
            *verdict = Verdict::Reviewed;
            accepted.push(landing.clone());
        }
    }
    let of_hunk = |landing: &Landing| format!("{}/{}", landing.key.overlay, landing.key.hunk);
    let named: HashSet<String> = accepted.iter().map(of_hunk).collect();
    outcome.result.findings.retain(|finding| {
        let review = matches!(
            finding.code.as_str(),
            "needs-review-shape" | "locators-disagree"
        );
        !(review
            && finding
                .hunk
                .as_ref()
                .is_some_and(|hunk| named.contains(hunk)))
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

fn step(report: &mut Report, name: &str, what: String) {
    report.steps.push(Step {
        name: name.to_owned(),
        what,
    });
}

fn short(revision: &Resolved) -> &str {
    revision.commit.get(..12).unwrap_or(&revision.commit)
}

fn resolved(found: &Found) -> String {
    let revision = &found.revision;
    let mut what = format!(
        "{} ({}) from {}",
        revision.described,
        short(revision),
        found.source.name()
    );
    for error in &found.passed_over {
        let _ = write!(what, "; {error}");
    }
    what
}

fn carried(outcome: &Outcome) -> String {
    let edits = outcome.landings.len();
    let files = outcome.files.len();
    match outcome.result.status {
        Status::Unsupported => "no overlay claims this release".to_owned(),
        Status::Failed => format!("{} found, others not", counted(edits, "place")),
        _ => format!(
            "{} of {} into {}",
            counted(edits, "edit"),
            counted(outcome.overlays.len(), "overlay"),
            counted(files, "file")
        ),
    }
}

fn proved(outcome: &Outcome) -> String {
    let by =
        |wanted: fn(&Verdict) -> bool| outcome.landings.iter().filter(|(_, v)| wanted(v)).count();
    let reviewed = by(|v| matches!(v, Verdict::Reviewed));
    let merged = by(|v| matches!(v, Verdict::Merged(_)));
    let locked = by(|v| matches!(v, Verdict::Locked));
    let open = by(|v| !v.is_accepted());
    let mut parts = Vec::new();
    for (count, what) in [
        (reviewed, "landings of a reviewed shape"),
        (merged, "confirmed by a three-way merge"),
        (locked, "as the lock has them"),
        (open, "to be reviewed"),
    ] {
        if count > 0 {
            parts.push(format!("{count} {what}"));
        }
    }
    match (parts.is_empty(), outcome.result.status) {
        (true, _) => "nothing".to_owned(),
        (false, Status::Failed) => format!("structure fails: {}", parts.join(", ")),
        (false, _) => format!("structure: {}", parts.join(", ")),
    }
}

/// Operating system and processor, as the lock names a kind of host.
fn host_kind() -> String {
    let processor = match std::env::consts::ARCH {
        "aarch64" => "arm64",
        other => other,
    };
    format!("{}-{processor}", std::env::consts::OS)
}
