//! `patchctl verify`: shows that the overlays hold on revisions, and writes nothing.

use semver::VersionReq;

use super::args::{CommitRange, Level, examples, revision};
use super::{CommandError, Context, Output};
use crate::upstream::RevisionSpec;

/// Show that the overlays hold on one or many MLX revisions; writes nothing
///
/// Without a selection the current pin is verified, which includes that the lock, the overlays and every
/// place where the pin is written agree. A level that could not be run is reported as 'not run', with what is
/// missing, and never counts as passed.
#[derive(Debug, clap::Args)]
#[command(after_long_help = examples(EXAMPLES))]
#[group(skip)]
pub struct VerifyArgs {
    /// The revisions to verify on
    #[command(flatten)]
    pub selection: Selection,

    /// How far to prove
    #[arg(long, value_enum, default_value_t)]
    pub level: Level,
}

/// Which revisions: at most one of these; none is the current pin.
#[derive(Debug, Default, clap::Args)]
#[group(multiple = false)]
pub struct Selection {
    /// A revision: a release, `latest`, a commit or a branch; may be given several times
    #[arg(long, value_name = "V", value_parser = revision)]
    pub mlx: Vec<RevisionSpec>,

    /// Every pin
    #[arg(long)]
    pub all_pins: bool,

    /// Every release of the sources that the requirement admits, such as `>=0.31, <0.33`
    #[arg(long, value_name = "REQ")]
    pub releases: Option<VersionReq>,

    /// Every commit of A..B that touches a file of an overlay
    ///
    /// Needs a git source. A and B are tags, branches or commits; A itself is left out, as in git.
    #[arg(long, value_name = "A..B")]
    pub commits: Option<CommitRange>,
}

const EXAMPLES: &str = "\
Examples:
  Verify the current pin:
    patchctl verify
  Verify every pin, as far as the tools here allow:
    patchctl verify --all-pins
  Find the first release on which a hunk no longer lands:
    patchctl --source git:../mlx verify --releases '>=0.23.0' --level structure
  Look at every commit since a release:
    patchctl --source git:../mlx verify --commits v0.32.1..main --level structure";

/// Does the verification.
///
/// # Errors
/// When there is no report to give: the root, its YAML files or every source cannot be read.
pub fn run(_args: &VerifyArgs, _context: &Context) -> Result<Output, CommandError> {
    Err(CommandError::NotBuilt { command: "verify" })
}
