//! `patchctl review`: shows the diffs that wait for a person, and records what the person says.

use super::args::{examples, hunk};
use crate::report::Error;
use crate::workflow::review::{self, Action, Options};
use crate::workflow::{Context, Output};

/// Show the diffs that wait to be reviewed, and accept or reject them
///
/// A bump that cannot prove where a hunk landed writes a pending snapshot of the overlay's diff and nothing
/// else. This command shows each hunk that waits: upstream's code around the place, read from a source for the
/// eye only, and what differs from the snapshot of the pin before. --accept records the hunks in reviewed.yaml and
/// makes the snapshot the accepted one; the bump, run again, then goes through. `cargo insta review` does as well:
/// the next bump finds the accepted snapshot, compares it with what it carries, and takes it as the review.
///
/// Ends with 0 when nothing waits, and with 1 when something does.
#[derive(Debug, clap::Args)]
#[command(after_long_help = examples(EXAMPLES))]
pub struct ReviewArgs {
    /// Only the snapshots of this release, or of this commit as git describes it
    #[arg(long, value_name = "V")]
    pub mlx: Option<String>,

    /// Record that this hunk was looked at and is right where it lands; without a name, each that waits
    ///
    /// `overlay/hunk`, the hunk's id where it is unique, or `all`. May be given several times.
    #[arg(long, value_name = "HUNK|all", value_parser = hunk, num_args = 0..=1, default_missing_value = "all")]
    pub accept: Vec<String>,

    /// Remove the pending snapshots; nothing is recorded
    #[arg(long, conflicts_with = "accept")]
    pub reject: bool,

    /// Take the reviews of this hunk back, `overlay/hunk`: the next bump asks for them
    #[arg(long, value_name = "HUNK", value_parser = hunk, conflicts_with_all = ["accept", "reject", "mlx"])]
    pub forget: Vec<String>,

    /// Show N upstream lines before and behind each place
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub context: usize,

    /// With --accept, --reject or --forget, list what would be written and write nothing
    #[arg(long)]
    pub dry_run: bool,
}

const EXAMPLES: &str = "\
Examples:
  Show what waits:
    patchctl review
  Accept all of it, or one hunk:
    patchctl review --accept
    patchctl review --accept decode-input-budget/commit-check
  Give a bump up:
    patchctl review --reject
  Ask for a review again:
    patchctl review --forget decode-input-budget/commit-check";

/// Shows, accepts or rejects.
///
/// # Errors
/// As [`review::run`].
pub(super) fn run(args: &ReviewArgs, context: &Context) -> Result<Output, Error> {
    let action = if args.reject {
        Action::Reject
    } else if !args.forget.is_empty() {
        Action::Forget(args.forget.clone())
    } else if args.accept.is_empty() {
        Action::Show {
            lines: args.context,
        }
    } else {
        Action::Accept(args.accept.clone())
    };
    let options = Options {
        release: args.mlx.clone(),
        action,
        dry_run: args.dry_run,
    };
    review::run(&options, context)
}
