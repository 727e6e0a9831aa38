//! `patchctl apply`: writes a pin's locked bytes into a tree, checks that they are there, or takes them out.

use camino::Utf8PathBuf;

use super::args::examples;
use super::{CommandError, Context, Output};

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
    #[arg(value_name = "DIR")]
    pub tree: Utf8PathBuf,

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
    #[arg(long)]
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
/// When there is no report to give: the root or its lock cannot be read, or no such pin is locked.
pub fn run(_args: &ApplyArgs, _context: &Context) -> Result<Output, CommandError> {
    Err(CommandError::NotBuilt { command: "apply" })
}
