//! `patchctl status`: the facts of a repository at a glance, offline.

use super::args::examples;
use super::{CommandError, Context, Output};

/// Show overlays, pins, lock and places at a glance; offline, writes nothing
///
/// One line a fact: the overlays with their digests and whether the lock holds those, the pins (the current
/// one first) with what was proven where, the reviewed shapes, every place where the pin is written, and
/// whether an interrupted bump waits to be finished.
#[derive(Debug, clap::Args)]
#[command(after_long_help = examples(EXAMPLES))]
pub struct StatusArgs {
    /// Stop at the first disagreement, with exit status 1 and what to do
    #[arg(long)]
    pub check: bool,
}

const EXAMPLES: &str = "\
Examples:
  patchctl status
  In CI, fail when pin, lock and overlays disagree:
    patchctl status --check";

/// Gathers the facts.
///
/// # Errors
/// When there is no report to give: the root or its YAML files cannot be read.
pub fn run(_args: &StatusArgs, context: &Context) -> Result<Output, CommandError> {
    context.root()?;
    Err(CommandError::NotBuilt { command: "status" })
}
