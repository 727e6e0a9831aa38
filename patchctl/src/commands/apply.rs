//! `patchctl apply`: writes a pin's locked bytes into a tree, checks that they are there, or takes them out.

use camino::{Utf8Path, Utf8PathBuf};
use patchctl_apply::tree::{Mode, Options};
use patchctl_apply::{ApplyError, Lock, LockedPin};

use super::args::{examples, folder};
use super::locked::Locked;
use super::materialise::{Materialised, cached_tree, materialise};
use super::{CommandError, Context, Output, tree};
use crate::exit::Exit;
use crate::report::{Report, Step};

/// Apply the overlays to an MLX tree, from the lock alone
///
/// The lock says which bytes go where: each file's blob id is checked before and after. No parser, no git, no
/// network and no compiler is needed. A file that is right already is not touched, so an incremental build
/// stays one; a file with an older overlay in it is cleaned first; a file that is neither upstream's nor ours
/// is refused, and then no file is changed.
#[derive(Debug, clap::Args)]
#[command(after_long_help = examples(EXAMPLES))]
pub struct ApplyArgs {
    /// The tree: the folder that holds mlx/
    ///
    /// With --materialise it may be left out: the tree is then made, once, in a folder of the cache that is named
    /// after the revision and the overlays' digests, and the answer names it.
    #[arg(value_name = "DIR", value_parser = folder, required_unless_present = "materialise")]
    pub tree: Option<Utf8PathBuf>,

    /// The pin; the current one where none is given
    #[arg(long, value_name = "V")]
    pub mlx: Option<String>,

    /// What to do instead of applying
    #[command(flatten)]
    pub action: Action,

    /// Say what would be written and write nothing
    #[arg(long)]
    pub dry_run: bool,
}

/// At most one; none is to apply.
#[derive(Debug, Default, clap::Args)]
#[group(multiple = false)]
pub struct Action {
    /// Change nothing; exit status 1 when a file is not as the lock says
    #[arg(long)]
    pub check: bool,

    /// Take the overlays out, back to upstream's bytes
    #[arg(long)]
    pub remove: bool,

    /// Write the pin's whole tree into DIR first, from a source; DIR must be empty or absent
    #[arg(long, conflicts_with = "dry_run")]
    pub materialise: bool,
}

const EXAMPLES: &str = "\
Examples:
  Apply the current pin to a checkout:
    patchctl apply build/_deps/mlx-src
  In CI, fail when the tree is not patched as locked:
    patchctl apply --check build/_deps/mlx-src
  Get a patched tree without one at hand:
    patchctl apply --materialise build/mlx
  Give upstream's bytes back:
    patchctl apply --remove build/_deps/mlx-src";

/// Applies, checks or removes.
///
/// # Errors
/// When there is no report to give: the root or its lock cannot be read, no such pin is locked, or the tree
/// is not there or cannot be written.
pub fn run(args: &ApplyArgs, context: &Context) -> Result<Output, CommandError> {
    let locked = Locked::open(context)?;
    let pin = locked.pin(args.mlx.as_deref())?;
    let Some(given) = &args.tree else {
        return in_cache(context, &locked, pin);
    };
    let folder = context.path(given);
    if args.action.materialise {
        let made = materialise(context, &locked, pin, &folder)?;
        return Ok(made_report(given, made).into());
    }
    let options = Options {
        dry_run: args.dry_run,
        ..Options::default()
    };
    let mode = args.action.mode();
    let (report, exit) = in_place(&locked.lock, pin, given, &folder, mode, options)?;
    Ok(Output::ending(report, exit))
}

/// Works on a tree that is there. `given` is its name in the report.
fn in_place(
    lock: &Lock,
    pin: &LockedPin,
    given: &Utf8Path,
    folder: &Utf8Path,
    mode: Mode,
    options: Options,
) -> Result<(Report, Exit), CommandError> {
    match patchctl_apply::tree::run(lock, pin, folder.as_std_path(), mode, options) {
        Ok(outcome) => {
            let report = tree::found(given, &outcome, mode, options.dry_run);
            let exit = if report.ok {
                Exit::Success
            } else {
                Exit::Check
            };
            Ok((report, exit))
        }
        Err(error) => {
            let exit = CommandError::exit_of_apply(&error);
            match error {
                ApplyError::Refused { problems, .. } => Ok((tree::refused(pin, &problems), exit)),
                other => Err(other.into()),
            }
        }
    }
}

/// Makes the cache's patched tree, or brings the one that is there into its state.
fn in_cache(context: &Context, locked: &Locked, pin: &LockedPin) -> Result<Output, CommandError> {
    let folder = cached_tree(context, pin);
    if !folder.exists() {
        let made = materialise(context, locked, pin, &folder)?;
        return Ok(made_report(&folder, made).into());
    }
    let options = Options::default();
    let (mut report, exit) = in_place(&locked.lock, pin, &folder, &folder, Mode::Apply, options)?;
    let step = Step {
        name: "at hand".to_owned(),
        what: folder.into_string(),
    };
    report.steps.insert(0, step);
    Ok(Output::ending(report, exit))
}

fn made_report(given: &Utf8Path, made: Materialised) -> Report {
    let mut report = tree::found(given, &made.files, Mode::Apply, false);
    report.steps.insert(0, made.step);
    report
}

impl Action {
    fn mode(&self) -> Mode {
        if self.check {
            Mode::Check
        } else if self.remove {
            Mode::Remove
        } else {
            Mode::Apply
        }
    }
}
