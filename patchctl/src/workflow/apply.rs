//! Writes a pin's locked bytes into a tree, checks that they are there, or removes them.

use camino::{Utf8Path, Utf8PathBuf};
use patchctl_apply::tree::{self, Mode, TreeRecord, TreeReport};
use patchctl_apply::{ApplyError, Lock, LockedPin};

use super::locked::Locked;
use super::materialise::{Materialised, cached_tree, materialise};
use super::{Context, Output, WorkflowError, tree_report};
use crate::report::{Exit, Report, Step};

/// The options of an application.
#[derive(Debug)]
pub(crate) struct Options {
    /// The tree, the folder that holds `mlx/`; `None` for the cache's own, which `materialise` makes.
    pub tree: Option<Utf8PathBuf>,
    /// The pin; `None` for the current one.
    pub pin: Option<String>,
    /// Apply, check or remove.
    pub mode: Mode,
    /// Write the pin's whole tree first.
    pub materialise: bool,
    /// Remove blocks although somebody has edited them.
    pub discard_edits: bool,
    /// Write nothing, and list the files that would change.
    pub dry_run: bool,
}

/// Applies, checks or removes.
///
/// # Errors
/// When there is no report to give: the root or its lock cannot be read, no such pin is locked, or the tree
/// is not there or cannot be written.
pub(crate) fn run(options: &Options, context: &Context) -> Result<Output, WorkflowError> {
    let locked = Locked::open(context)?;
    let given = options.tree.as_ref();
    let folder = given.map(|tree| context.path(tree));
    if let (Some(given), Some(folder), Mode::Remove) = (given, &folder, options.mode)
        && let Some(record) = TreeRecord::read(folder.as_std_path())?
    {
        let removed = tree::take_off(&locked.lock, folder.as_std_path(), options.how());
        let of = (record.release.as_str(), record.revision.as_str());
        let (report, exit) = reported(removed, of, given, options.mode, options.dry_run)?;
        return Ok(Output::ending(report, exit));
    }
    let pin = locked.pin(options.pin.as_deref())?;
    let (Some(given), Some(folder)) = (given, folder) else {
        return in_cache(context, &locked, pin);
    };
    if options.materialise {
        let made = materialise(context, &locked, pin, &folder)?;
        return Ok(made_report(given, made).into());
    }
    let (report, exit) = in_place(
        &locked.lock,
        pin,
        given,
        &folder,
        options.mode,
        options.how(),
    )?;
    Ok(Output::ending(report, exit))
}

impl Options {
    fn how(&self) -> tree::Options {
        tree::Options {
            dry_run: self.dry_run,
            discard_edits: self.discard_edits,
            ..tree::Options::default()
        }
    }
}

/// Works on a tree that is there. `given` is its name in the report.
fn in_place(
    lock: &Lock,
    pin: &LockedPin,
    given: &Utf8Path,
    folder: &Utf8Path,
    mode: Mode,
    options: tree::Options,
) -> Result<(Report, Exit), WorkflowError> {
    let outcome = tree::run(lock, pin, folder.as_std_path(), mode, options);
    let of = (pin.release.as_str(), pin.revision.as_str());
    reported(outcome, of, given, mode, options.dry_run)
}

/// The report of a tree and its exit status. `of` is the release and its commit.
fn reported(
    outcome: Result<TreeReport, ApplyError>,
    of: (&str, &str),
    given: &Utf8Path,
    mode: Mode,
    dry_run: bool,
) -> Result<(Report, Exit), WorkflowError> {
    match outcome {
        Ok(outcome) => {
            let report = tree_report::found(given, &outcome, mode, dry_run);
            let exit = if report.ok {
                Exit::Success
            } else {
                Exit::Check
            };
            Ok((report, exit))
        }
        Err(error) => {
            let exit = super::error::exit_of_apply(&error);
            match error {
                ApplyError::Refused { problems, .. } => {
                    Ok((tree_report::refused(of, &problems), exit))
                }
                other => Err(other.into()),
            }
        }
    }
}

/// Makes the cache's patched tree, or brings the one that is there into its state.
fn in_cache(context: &Context, locked: &Locked, pin: &LockedPin) -> Result<Output, WorkflowError> {
    let (folder, made) = cached_tree(context, locked, pin)?;
    if let Some(made) = made {
        return Ok(made_report(&folder, made).into());
    }
    let options = tree::Options::default();
    let (mut report, exit) = in_place(&locked.lock, pin, &folder, &folder, Mode::Apply, options)?;
    let step = Step {
        name: "at hand".to_owned(),
        what: folder.into_string(),
    };
    report.steps.insert(0, step);
    Ok(Output::ending(report, exit))
}

fn made_report(given: &Utf8Path, made: Materialised) -> Report {
    let mut report = tree_report::found(given, &made.files, Mode::Apply, false);
    report.steps.insert(0, made.step);
    report
}
