//! The frame of every writing command: hold the repository, repair what an interrupted command
//! left, write all or nothing.

use std::time::Duration;

use camino::Utf8Path;

use crate::report::{Code, Finding, Report, counted};
use crate::workspace::{Holder, Outcome, Pending, Recovery, RepoLock, Transaction, recover};

use super::{Context, WorkflowError};

/// The longest wait for another command that holds the repository.
const WAIT: Duration = Duration::from_secs(30);

/// A repository that is held for writing.
pub(super) struct WriteSession<'a> {
    lock: RepoLock,
    context: &'a Context,
}

impl<'a> WriteSession<'a> {
    /// Takes the repository, and finishes or undoes what an interrupted command left; a step says which.
    ///
    /// # Errors
    /// When another command holds it for longer than [`WAIT`], when nothing can be written there, and when
    /// somebody has changed a file since the interruption.
    pub fn begin(
        context: &'a Context,
        command: &str,
        report: &mut Report,
    ) -> Result<Self, WorkflowError> {
        let root = context.root()?;
        let mut waiting = |holder: Option<&Holder>| {
            let named =
                |holder: &Holder| format!("`patchctl {}` (process {})", holder.command, holder.pid);
            let who = holder.map_or("another command".to_owned(), named);
            context.progress.start(&format!("wait for {who}"));
        };
        let lock = RepoLock::acquire(&root, command, WAIT, &mut waiting);
        context.progress.done();
        let lock = lock?;
        if let Some(recovery) = recover(&lock, &*context.steps)? {
            report.step("recover", recovered(&recovery));
            if !recovery.kept.is_empty() {
                return Err(super::error::changed_since(&recovery.kept));
            }
        }
        Ok(Self { lock, context })
    }

    /// Writes all or nothing; the report lists what was written.
    ///
    /// # Errors
    /// When a file cannot be written; the error says whether all is as it was.
    pub fn commit(
        &self,
        transaction: &Transaction,
        report: &mut Report,
    ) -> Result<(), WorkflowError> {
        let committed = transaction.commit(&self.lock, &*self.context.steps)?;
        report.changed = committed.changed.iter().map(ToString::to_string).collect();
        note_written(report, "write");
        Ok(())
    }
}

/// Lists what a transaction would write.
///
/// # Errors
/// When a file that would be written cannot be.
pub(super) fn preview(
    root: &Utf8Path,
    transaction: &Transaction,
    report: &mut Report,
) -> Result<(), WorkflowError> {
    report.dry_run = true;
    report.changed = transaction
        .preview(root)?
        .iter()
        .map(ToString::to_string)
        .collect();
    note_written(report, "would write");
    Ok(())
}

fn note_written(report: &mut Report, name: &str) {
    let what = match report.changed.as_slice() {
        [] => "nothing: every file has its bytes already".to_owned(),
        files => files.join(", "),
    };
    report.step(name, what);
}

fn recovered(recovery: &Recovery) -> String {
    let how = match recovery.outcome {
        Outcome::Finished => "finished",
        Outcome::Undone => "undone",
    };
    format!(
        "an interrupted `{}` was {how} ({} files)",
        recovery.command,
        recovery.changed.len()
    )
}

/// A command that is at work: no disagreement, but what is read now may be halfway.
pub(super) fn running_finding(pending: &Pending, holder: Option<&Holder>) -> Finding {
    let process = holder.map_or(String::new(), |holder| format!(" (process {})", holder.pid));
    Finding::new(
        Code::CommandRunning,
        format!(
            "`patchctl {}`{process} is writing {}",
            pending.command,
            counted(pending.files.len(), "file")
        ),
    )
}

/// A command that was interrupted, and how it will end.
pub(super) fn interrupted_finding(pending: &Pending) -> Finding {
    let ending = match pending.outcome {
        Outcome::Finished => "finishes",
        Outcome::Undone => "undoes",
    };
    Finding::new(
        Code::PendingTransaction,
        format!(
            "`patchctl {}` was interrupted while it wrote {}",
            pending.command,
            counted(pending.files.len(), "file")
        ),
    )
    .help(format!(
        "run any writing command, such as the bump again: it first {ending} the interrupted one"
    ))
}
