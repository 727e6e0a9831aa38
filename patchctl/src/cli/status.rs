//! `patchctl status`: the facts of a repository at a glance, and on request what upstream has that is newer.

use super::args::examples;

/// Show overlays, pins, lock and places at a glance; writes nothing, and is offline without `--upstream`
///
/// One line a fact: the overlays with their digests and whether the lock holds those, the pins (the current
/// one first) with what was proven where, the reviewed shapes, the snapshots, every place where the pin is
/// written, and whether an interrupted bump waits to be finished. Looks at the repository's files only; `--upstream` also asks
/// the sources which releases are newer than the current pin, and tries every hunk on each.
#[derive(Debug, clap::Args)]
#[command(after_long_help = examples(EXAMPLES))]
pub struct StatusArgs {
    /// Exit with status 1 when pins, lock, overlays, snapshots and places disagree
    ///
    /// With --upstream also when a hunk does not land, or needs review, on a newer release.
    #[arg(long)]
    pub check: bool,

    /// Also ask upstream: the releases newer than the current pin, and whether the hunks land there
    ///
    /// At level `structure`. A newer release is no disagreement: without --check the status is 0 whatever is
    /// found there, and 3 where no source tells its releases. With --offline the sources' copies on this
    /// machine are asked.
    #[arg(long)]
    pub upstream: bool,

    /// Exit with status 1 unless this check of the repository's own is recorded as passed
    ///
    /// For the current pin, and the overlays and the check as they are now. May be given several times.
    #[arg(long, value_name = "NAME")]
    pub require: Vec<String>,
}

const EXAMPLES: &str = "\
Examples:
  patchctl status
  In CI, fail when pin, lock, overlays and snapshots disagree:
    patchctl status --check
  Before a release, ask for a check that ran on another machine:
    patchctl status --check --require metal
  See whether MLX has moved on, and whether the hunks would land:
    patchctl status --upstream";
