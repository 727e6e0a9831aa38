//! `patchctl bump`: carries every overlay to another revision, proves it, and locks it.

use clap::ArgGroup;

use super::args::{AskedLevel, examples, hunk, revision};
use crate::report::Error;
use crate::upstream::RevisionSpec;
use crate::workflow::bump::{self, Options};
use crate::workflow::{Context, Output};

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
    #[arg(long, value_name = "HUNK", value_parser = hunk)]
    pub reviewed: Vec<String>,

    /// How far to prove
    #[arg(long, value_enum, default_value_t)]
    pub level: AskedLevel,

    /// Add the pin and leave the current one current
    #[arg(long)]
    pub keep_current: bool,

    /// With `--mlx latest`, go back to an older release than the current pin's
    #[arg(long, conflicts_with = "all_pins")]
    pub allow_downgrade: bool,

    /// Pin a release that no overlay claims: nothing is changed in its tree
    #[arg(long, conflicts_with = "all_pins")]
    pub without_overlays: bool,
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

/// Runs the bump.
///
/// # Errors
/// As [`bump::run`].
pub(super) fn run(args: &BumpArgs, context: &Context) -> Result<Output, Error> {
    let options = Options {
        revision: args.mlx.clone(),
        dry_run: args.dry_run,
        reviewed: args.reviewed.clone(),
        level: args.level.level(),
        keep_current: args.keep_current,
        allow_downgrade: args.allow_downgrade,
        without_overlays: args.without_overlays,
    };
    bump::run(&options, context)
}
