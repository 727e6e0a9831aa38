//! The frame of every writing command: hold the repository, repair what an interrupted command
//! left, write all or nothing.

use std::time::Duration;

use camino::Utf8PathBuf;

use super::Context;
use super::workspace::Workspace;
use crate::report::{Error, Report};
use crate::workspace::{Holder, Outcome, Recovery, RepoLock, Transaction, recover};

/// The longest wait for another command that holds the repository.
const WAIT: Duration = Duration::from_secs(30);

/// Writes what `make` gives, all or nothing, while the repository is held; lists it for a dry run. The report names what
/// was written, and what became of an interrupted command.
///
/// # Errors
/// When the repository's files cannot be read, another command holds it for longer than [`WAIT`], somebody has changed
/// a file since an interruption, or a file cannot be written; the error says whether all is as it was. And as `make`.
pub(super) fn write(
    context: &Context,
    command: &str,
    dry_run: bool,
    report: &mut Report,
    make: impl FnOnce(&Workspace<'_>, &mut Report) -> Result<Option<Transaction>, Error>,
) -> Result<(), Error> {
    // Report wrong files before anything is locked or repaired.
    let mut workspace = Workspace::open(context)?;
    let lock = match dry_run {
        true => None,
        false => Some(hold(&workspace, command, report)?),
    };
    if lock.is_some() {
        // An interrupted command may have been finished or undone, and another one may have written.
        workspace = Workspace::open(context)?;
    }
    let Some(transaction) = make(&workspace, report)? else {
        return Ok(());
    };
    let (name, changed) = match &lock {
        Some(lock) => ("write", transaction.commit(lock, &*context.steps)?),
        None => ("would write", transaction.preview(&workspace.root)?),
    };
    report.dry_run = dry_run;
    report.changed = changed.into_iter().map(Utf8PathBuf::into_string).collect();
    let what = match report.changed.as_slice() {
        [] => "nothing: every file has its bytes already".to_owned(),
        files => files.join(", "),
    };
    report.step(name, what);
    Ok(())
}

/// Takes the repository, and finishes or undoes what an interrupted command left; a step says which.
fn hold(workspace: &Workspace<'_>, command: &str, report: &mut Report) -> Result<RepoLock, Error> {
    let context = workspace.context;
    let mut waiting = |holder: Option<&Holder>| {
        let named =
            |holder: &Holder| format!("`patchctl {}` (process {})", holder.command, holder.pid);
        let who = holder.map_or("another command".to_owned(), named);
        context.progress.start(&format!("wait for {who}"));
    };
    let lock = RepoLock::acquire(&workspace.root, command, WAIT, &mut waiting);
    context.progress.done();
    let lock = lock?;
    if let Some(recovery) = recover(&lock, &*context.steps)? {
        report.step("recover", recovered(&recovery));
        if !recovery.kept.is_empty() {
            return Err(super::error::changed_since(&recovery.kept));
        }
    }
    Ok(lock)
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
