//! `patchctl bump`: carries every overlay to another revision, proves it, and locks it.

use crate::exit::Exit;
use clap::ArgGroup;

use crate::report::Report;
use crate::upstream::RevisionSpec;

use super::args::{HunkName, Level, examples, revision};
use super::carrying::Carrying;
use super::project::{Project, written};
use super::writing::{Writing, preview};
use super::{CommandError, Context, Output};

/// Carry the overlays to another MLX revision, prove it, and lock it
///
/// Resolves the revision, finds where each hunk of each overlay belongs in it, proves that the hunks landed
/// where they mean to, compiles them and drives MLX's real encoder with them as far as the tools here allow, and
/// writes pins.yaml, lock.yaml and the other places that patchctl.yaml names. It is
/// all or nothing: when a hunk is not proven, nothing is written, and the report says what moved, in which
/// upstream commit, and what to write in the overlay.
///
/// A hunk that may be right but whose surroundings are new gives 'needs review' and exit status 1, and what is
/// written is a pending snapshot of the overlay's diff. Look at it with `patchctl review` and accept it there, or
/// say so with --reviewed overlay/hunk.
#[derive(Debug, clap::Args)]
#[command(after_long_help = examples(EXAMPLES))]
#[command(group = ArgGroup::new("revisions").required(true).args(["mlx", "all_pins"]))]
pub struct BumpArgs {
    /// The revision to carry to
    ///
    /// A release (`0.32.2` or `v0.32.2`), `latest` (never a pre-release), a commit, or a branch, which moves
    /// and is said to.
    #[arg(long, value_name = "V", value_parser = revision)]
    pub mlx: Option<RevisionSpec>,

    /// Carry to every pin anew, after an overlay has changed; the current one stays current
    #[arg(long, conflicts_with_all = ["mlx", "keep_current"])]
    pub all_pins: bool,

    /// Do everything but write, and list what would be written
    #[arg(long)]
    pub dry_run: bool,

    /// Record that this hunk was looked at and is right where it lands
    ///
    /// `overlay/hunk`, or the hunk's id where it is unique. May be given several times.
    #[arg(long, value_name = "HUNK")]
    pub reviewed: Vec<HunkName>,

    /// How far to prove
    #[arg(long, value_enum, default_value_t)]
    pub level: Level,

    /// Add the pin and leave the current one current
    #[arg(long)]
    pub keep_current: bool,
}

impl BumpArgs {
    /// The command's words, for messages and for whoever waits.
    pub(super) fn words(&self) -> String {
        match &self.mlx {
            Some(revision) => format!("bump --mlx {}", written(revision)),
            None => "bump --all-pins".to_owned(),
        }
    }
}

const EXAMPLES: &str = "\
Examples:
  Carry to a release, from the sources that patchctl.yaml names:
    patchctl bump --mlx 0.32.2
  See what it would do, from a clone at hand, without the network:
    patchctl --offline --source git:../mlx bump --mlx latest --dry-run
  Say that a hunk was looked at:
    patchctl bump --mlx 0.32.2 --reviewed decode-input-budget/commit-check
  Lock every pin anew after an overlay has changed:
    patchctl bump --all-pins";

/// Does the bump.
///
/// # Errors
/// When there is no report to give: the root, its YAML files or every source cannot be read, the repository
/// is held by another command, or a file cannot be written.
pub fn run(args: &BumpArgs, context: &Context) -> Result<Output, CommandError> {
    let mut report = Report::new("bump");
    // What is wrong with the files is said before anything is locked or mended.
    let project = Project::open(context)?;
    if args.dry_run {
        let carrying = Carrying {
            args,
            context,
            project: &project,
        };
        let (transaction, exit) = carrying.carry(&mut report)?;
        if let Some(transaction) = transaction {
            preview(&project.root, &transaction, &mut report)?;
        }
        return Ok(Output::ending(report, exit));
    }
    let writing = Writing::begin(context, &args.words(), &mut report)?;
    // An interrupted command may have been finished or undone, and the other one may have written.
    let project = Project::open(context)?;
    let carrying = Carrying {
        args,
        context,
        project: &project,
    };
    let (transaction, mut exit) = carrying.carry(&mut report)?;
    if let Some(transaction) = transaction {
        match writing.commit(&transaction, &mut report) {
            // What has to be reviewed is worth telling also where it cannot be put down.
            Err(error) if exit != Exit::Success => {
                report.findings.extend(error.findings());
                exit = exit.and(error.exit());
            }
            written => written?,
        }
    }
    Ok(Output::ending(report, exit))
}
