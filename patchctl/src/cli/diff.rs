//! `patchctl diff`: what a pin's overlays add to upstream, from the lock.

use super::args::examples;

/// Show what the overlays add to a pin's files
///
/// Taken from the lock: for each edit the file, the upstream line where it goes in, and the inserted lines.
/// Upstream's own lines are not in the lock: with --context N they are read from a source. The output is a
/// unified diff either way.
#[derive(Debug, clap::Args)]
#[command(after_long_help = examples(EXAMPLES))]
pub struct DiffArgs {
    /// The pin; the current one where none is given
    #[arg(long, value_name = "V")]
    pub mlx: Option<String>,

    /// Show N upstream lines around each change
    #[arg(long, value_name = "N")]
    pub context: Option<usize>,
}

const EXAMPLES: &str = "\
Examples:
  patchctl diff
  As a patch, with upstream's lines from a source:
    patchctl diff --mlx 0.32.2 --context 3";
