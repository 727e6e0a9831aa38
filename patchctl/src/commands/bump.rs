//! `patchctl bump`: carries every overlay to another revision, proves it, and locks it.

use super::args::{HunkName, Level, examples, revision};
use super::{CommandError, Context, Output};
use crate::upstream::RevisionSpec;

/// Carry the overlays to another MLX revision, prove it, and lock it
///
/// Resolves the revision, finds where each hunk of each overlay belongs in it, proves that the hunks landed
/// where they mean to, and writes pins.yaml, lock.yaml and the other places that patchctl.yaml names. It is
/// all or nothing: when a hunk is not proven, nothing is written, and the report says what moved, in which
/// upstream commit, and what to write in the overlay.
///
/// A hunk that may be right but whose surroundings are new gives 'needs review' and exit status 1. Look at
/// it, then say so with --reviewed overlay/hunk.
#[derive(Debug, clap::Args)]
#[command(after_long_help = examples(EXAMPLES))]
pub struct BumpArgs {
    /// The revision to carry to
    ///
    /// A release (`0.32.2` or `v0.32.2`), `latest` (never a pre-release), a commit, or a branch, which moves
    /// and is said to.
    #[arg(long, value_name = "V", value_parser = revision)]
    pub mlx: RevisionSpec,

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

const EXAMPLES: &str = "\
Examples:
  Carry to a release, from the sources that patchctl.yaml names:
    patchctl bump --mlx 0.32.2
  See what it would do, from a clone at hand, without the network:
    patchctl --offline --source git:../mlx bump --mlx latest --dry-run
  Say that a hunk was looked at:
    patchctl bump --mlx 0.32.2 --reviewed decode-input-budget/commit-check";

/// Does the bump.
///
/// # Errors
/// When there is no report to give: the root, its YAML files or every source cannot be read.
pub fn run(_args: &BumpArgs, _context: &Context) -> Result<Output, CommandError> {
    Err(CommandError::NotBuilt { command: "bump" })
}
