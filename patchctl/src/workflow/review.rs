//! Shows the diffs that wait for a person, and records the person's decision.

use std::collections::BTreeSet;

use super::pending_reviews::{accept, reject, waiting};
use super::review_view::show;
use super::snapshots::Snapshots;
use super::workspace::Workspace;
use super::write_session::write;
use super::{Context, Output};
use crate::report::{Error, Finding, Report, Status};
use crate::workspace::{REVIEWED_FILE, Transaction};
use crate::yaml::closest;

/// The options of a review.
#[derive(Debug)]
pub(crate) struct Options {
    /// Only the snapshots of this release, or of this commit as git describes it.
    pub release: Option<String>,
    /// Show, accept or reject.
    pub action: Action,
    /// Write nothing, and list the files that would change.
    pub dry_run: bool,
}

/// The action on the diffs that wait.
#[derive(Debug)]
pub(crate) enum Action {
    /// Show each with upstream lines before and behind it.
    Show {
        /// The number of lines.
        lines: usize,
    },
    /// Record these hunks as reviewed.
    Accept(Vec<String>),
    /// Remove the pending snapshots.
    Reject,
    /// Take the reviews of these hunks back, `overlay/hunk`.
    Forget(Vec<String>),
}

impl Options {
    /// The command line without the program's name, for messages and for whoever waits.
    pub(super) fn words(&self) -> String {
        let release = self
            .release
            .iter()
            .map(|release| format!(" --mlx {release}"));
        let action = match &self.action {
            Action::Show { .. } => String::new(),
            Action::Accept(hunks) => hunks
                .iter()
                .map(|hunk| format!(" --accept {hunk}"))
                .collect(),
            Action::Reject => " --reject".to_owned(),
            Action::Forget(hunks) => hunks
                .iter()
                .map(|hunk| format!(" --forget {hunk}"))
                .collect(),
        };
        format!("review{}{action}", release.collect::<String>())
    }
}

/// Shows, accepts or rejects.
///
/// # Errors
/// When the root or its files cannot be read, a hunk that is named does not wait, the repository is held by
/// another command, or a file cannot be written.
pub(crate) fn run(options: &Options, context: &Context) -> Result<Output, Error> {
    let mut report = Report::new("review");
    let release = options.release.as_deref();
    match &options.action {
        Action::Show { lines } => {
            let workspace = Workspace::open(context)?;
            let snapshots = Snapshots::open(&workspace)?;
            report.findings.extend(workspace.interrupted()?);
            let waiting = waiting(&snapshots, release, &mut report);
            show(&snapshots, *lines, &waiting, &mut report);
        }
        action => {
            let words = options.words();
            let settle = |workspace: &Workspace<'_>, report: &mut Report| {
                let snapshots = Snapshots::open(workspace)?;
                match action {
                    Action::Accept(hunks) => {
                        let waiting = waiting(&snapshots, release, report);
                        accept(&words, hunks, &snapshots, &waiting, report)
                    }
                    Action::Forget(hunks) => forget(&words, hunks, workspace, report).map(Some),
                    _ => Ok(reject(&words, release, &snapshots, report)),
                }
            };
            write(context, &words, options.dry_run, &mut report, settle)?;
        }
    }
    let mut results = report.results.iter();
    let mut findings = report.findings.iter();
    report.ok =
        results.all(|result| result.status == Status::Passed) && !findings.any(Finding::is_error);
    Ok(report.into())
}

/// Takes reviews back: the next bump asks for them.
fn forget(
    command: &str,
    hunks: &[String],
    workspace: &Workspace<'_>,
    report: &mut Report,
) -> Result<Transaction, Error> {
    let mut reviewed = workspace.reviewed.clone();
    for hunk in hunks {
        let forgotten = reviewed.forget(hunk);
        if forgotten.is_empty() {
            let all = workspace.reviewed.all().iter();
            let known: BTreeSet<String> = all
                .map(|it| format!("{}/{}", it.overlay, it.hunk))
                .collect();
            let error = Error::usage(format!("--forget {hunk}: there is no review of it"));
            return Err(match closest(hunk, known.iter().map(String::as_str)) {
                Some(near) => error.help(format!("did you mean `{near}`?")),
                None if known.is_empty() => error.help("there are no reviews yet"),
                None => error.help(format!(
                    "there are reviews of {}",
                    Vec::from_iter(known).join(", ")
                )),
            });
        }
        for review in forgotten {
            let name = format!(
                "{hunk}.{} on {}: {}",
                review.edit, review.seen, review.place
            );
            report.step("forget", name);
        }
    }
    let file = workspace.folder().join(REVIEWED_FILE);
    let mut transaction = Transaction::new(command, file.clone());
    transaction.record(file, reviewed);
    report.next.push("patchctl bump --all-pins".to_owned());
    Ok(transaction)
}
