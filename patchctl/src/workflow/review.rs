//! Shows the diffs that wait for a person, and records the person's decision.

use super::pending_reviews::{accept, reject, waiting};
use super::project::Project;
use super::review_view::Showing;
use super::snapshots::Snapshots;
use super::write_session::{WriteSession, preview};
use super::{Context, HunkName, Output, WorkflowError};
use crate::report::{Exit, Report, Severity, Status};
use crate::workspace::Transaction;

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
    Accept(Vec<HunkName>),
    /// Remove the pending snapshots.
    Reject,
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
        };
        format!("review{}{action}", release.collect::<String>())
    }
}

/// Shows, accepts or rejects.
///
/// # Errors
/// When the root or its files cannot be read, a hunk that is named does not wait, the repository is held by
/// another command, or a file cannot be written.
pub(crate) fn run(options: &Options, context: &Context) -> Result<Output, WorkflowError> {
    let mut report = Report::new("review");
    let project = Project::open(context)?;
    if let Action::Show { lines } = options.action {
        let snapshots = Snapshots::open(&project)?;
        report.findings.extend(project.pending()?);
        let waiting = waiting(&snapshots, options.release.as_deref(), &mut report);
        let showing = Showing {
            context,
            snapshots: &snapshots,
            lines,
        };
        showing.show(&waiting, &mut report);
        return Ok(ending(report));
    }
    if options.dry_run {
        if let Some(transaction) = settle(options, &project, &mut report)? {
            preview(&project.root, &transaction, &mut report)?;
        }
        return Ok(ending(report));
    }
    let session = WriteSession::begin(context, &options.words(), &mut report)?;
    // Another command may have written before this one held the repository.
    let project = Project::open(context)?;
    if let Some(transaction) = settle(options, &project, &mut report)? {
        session.commit(&transaction, &mut report)?;
    }
    Ok(ending(report))
}

/// The transaction of an acceptance or a rejection; `None` where the report says what is in the way.
fn settle(
    options: &Options,
    project: &Project,
    report: &mut Report,
) -> Result<Option<Transaction>, WorkflowError> {
    let snapshots = Snapshots::open(project)?;
    match &options.action {
        Action::Accept(hunks) => {
            let waiting = waiting(&snapshots, options.release.as_deref(), report);
            accept(&options.words(), hunks, &snapshots, &waiting, report)
        }
        Action::Reject | Action::Show { .. } => Ok(reject(
            &options.words(),
            options.release.as_deref(),
            &snapshots,
            report,
        )),
    }
}

fn ending(report: Report) -> Output {
    let mut results = report.results.iter();
    let mut findings = report.findings.iter();
    let is_open = results.any(|result| result.status != Status::Passed)
        || findings.any(|finding| finding.severity == Severity::Error);
    let exit = match is_open {
        true => Exit::Check,
        false => Exit::Success,
    };
    Output::ending(report, exit)
}
