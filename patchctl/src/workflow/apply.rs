//! Writes a pin's locked bytes into a tree, checks that they are there, or removes them.

use camino::{Utf8Path, Utf8PathBuf};
use patchctl_apply::tree::{self, Mode, TreeRecord, TreeReport};
use patchctl_apply::{ApplyError, LockedPin};

use super::materialise::{Materialised, cached_tree, materialise};
use super::workspace::Workspace;
use super::{Context, Output, tree_report};
use crate::report::{Error, Exit, Report, Step};

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
    /// Write nothing; remove blocks although somebody has edited them.
    pub how: tree::Options,
}

/// Applies, checks or removes.
///
/// # Errors
/// When there is no report to give: the root or its lock cannot be read, no such pin is locked, or the tree
/// is not there or cannot be written.
pub(crate) fn run(options: &Options, context: &Context) -> Result<Output, Error> {
    let workspace = Workspace::of_lock(context)?;
    let mut output = on_tree(options, &workspace)?;
    if let (Output::Report { report, .. }, Mode::Apply | Mode::Check) = (&mut output, options.mode)
        && let Some(result) = report.results.first_mut()
        && let Some(pin) = workspace.locked(&result.release)
    {
        result.findings.extend(workspace.overlay_warnings(pin));
    }
    Ok(output)
}

fn on_tree(options: &Options, workspace: &Workspace<'_>) -> Result<Output, Error> {
    let lock = &workspace.lock;
    let (mode, how) = (options.mode, options.how);
    let Some(given) = &options.tree else {
        return in_cache(workspace, workspace.pin(options.pin.as_deref())?);
    };
    let folder = workspace.context.path(given);
    if mode == Mode::Remove
        && let Some(record) = TreeRecord::read(folder.as_std_path())?
    {
        let removed = tree::take_off(lock, folder.as_std_path(), how);
        let (report, exit) = reported(
            removed,
            (&record.release, &record.revision),
            given,
            mode,
            how,
        )?;
        return Ok(Output::ending(report, exit));
    }
    let pin = workspace.pin(options.pin.as_deref())?;
    if options.materialise {
        return Ok(made_report(given, materialise(workspace, pin, &folder)?));
    }
    let outcome = tree::run(lock, pin, folder.as_std_path(), mode, how);
    let (report, exit) = reported(outcome, (&pin.release, &pin.revision), given, mode, how)?;
    Ok(Output::ending(report, exit))
}

/// Makes the cache's patched tree, or brings the one that is there into its state.
fn in_cache(workspace: &Workspace<'_>, pin: &LockedPin) -> Result<Output, Error> {
    let (folder, made) = cached_tree(workspace, pin)?;
    if let Some(made) = made {
        return Ok(made_report(&folder, made));
    }
    let (mode, how) = (Mode::Apply, tree::Options::default());
    let outcome = tree::run(&workspace.lock, pin, folder.as_std_path(), mode, how);
    let (mut report, exit) = reported(outcome, (&pin.release, &pin.revision), &folder, mode, how)?;
    let step = Step {
        name: "at hand".to_owned(),
        what: folder.into_string(),
    };
    report.steps.insert(0, step);
    Ok(Output::ending(report, exit))
}

fn made_report(given: &Utf8Path, (step, files): Materialised) -> Output {
    let mut report = tree_report::found(given, &files, Mode::Apply, false);
    report.steps.insert(0, step);
    report.into()
}

/// The report of a tree and its exit status. `of` is the release and its commit, `given` the tree's name.
fn reported(
    outcome: Result<TreeReport, ApplyError>,
    of: (&str, &str),
    given: &Utf8Path,
    mode: Mode,
    how: tree::Options,
) -> Result<(Report, Exit), Error> {
    match outcome {
        Ok(outcome) => {
            let report = tree_report::found(given, &outcome, mode, how.dry_run);
            let exit = Exit::of_check(report.ok);
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
