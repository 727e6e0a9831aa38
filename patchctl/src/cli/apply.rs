//! `patchctl apply`: writes a pin's locked bytes into a tree, checks that they are there, or takes them out.

use camino::Utf8PathBuf;
use patchctl_apply::tree::{self, Mode};

use super::args::{examples, folder};
use crate::report::Error;
use crate::workflow::apply::{self, Options};
use crate::workflow::{Context, Output};

/// Apply the overlays to an MLX tree, from the lock alone
///
/// The lock says which bytes go where: each file's blob id is checked before and after. No parser, no git, no
/// network and no compiler is needed. A file that is right already is not touched, so an incremental build
/// stays one; a file with an older overlay in it is cleaned first; a file that is neither upstream's nor ours
/// is refused, and then no file is changed. So is one with a block that somebody edited.
///
/// Only files that the lock names, or the record .patchctl-tree.json that an apply leaves at the tree's root, are
/// written. Other blocks below DIR are reported and stay.
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

    /// Lose what somebody wrote inside of blocks; the report holds it
    #[arg(long, conflicts_with_all = ["check", "materialise"])]
    pub discard_edits: bool,

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
    ///
    /// The tree's record says what was written, whatever the pin was. Where there is none, the pin's files are
    /// cleaned by their markers.
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
/// As [`apply::run`].
pub(super) fn run(args: &ApplyArgs, context: &Context) -> Result<Output, Error> {
    let options = Options {
        tree: args.tree.clone(),
        pin: args.mlx.clone(),
        mode: args.action.mode(),
        materialise: args.action.materialise,
        how: tree::Options {
            dry_run: args.dry_run,
            discard_edits: args.discard_edits,
            ..tree::Options::default()
        },
    };
    apply::run(&options, context)
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
