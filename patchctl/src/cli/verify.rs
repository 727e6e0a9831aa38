//! `patchctl verify`: shows that the overlays hold on revisions, and writes nothing.

use semver::VersionReq;

use super::args::{AskedLevel, examples, revision};
use crate::report::Error;
use crate::upstream::RevisionSpec;
use crate::verify::Level;
use crate::workflow::verify::{self, Selection};
use crate::workflow::{CommitRange, Context, Output, custom_checks};

/// Show that the overlays hold on one or many MLX revisions; writes nothing, but the record of --check
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
    pub selection: RevisionArgs,

    /// How far to prove
    #[arg(long, value_enum, default_value_t)]
    pub level: AskedLevel,

    /// Then make faults in the overlays' own code, one at a time, and show that each is noticed
    ///
    /// Proves to level `run` first. A fault that no check notices fails: that code is not needed, or nothing tests it.
    /// Each fault compiles one file of MLX and takes some seconds.
    #[arg(long, conflicts_with = "level")]
    pub mutants: bool,

    /// Run one of the repository's own checks instead, and record what it gives
    ///
    /// As `checks:` in patchctl.yaml has it. The record is a file in the folder `checks` beside the lock: it says
    /// for which pin and overlays the check passed or failed, and on which kind of host.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["mlx", "all_pins", "releases", "commits", "level", "mutants"])]
    pub check: Option<String>,
}

/// Which revisions: at most one of these; none is the current pin.
#[derive(Debug, Default, clap::Args)]
#[group(multiple = false)]
pub struct RevisionArgs {
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
    patchctl --source git:../mlx verify --commits v0.32.1..main --level structure
  Show that every line of the overlays is needed and tested:
    patchctl verify --mutants
  Run the check `metal` of patchctl.yaml, and record what it gives:
    patchctl verify --check metal";

/// Verifies, or runs a check of the repository's own.
///
/// # Errors
/// As [`verify::run`] and [`custom_checks::run`].
pub(super) fn run(args: &VerifyArgs, context: &Context) -> Result<Output, Error> {
    if let Some(name) = &args.check {
        return custom_checks::run(name, context);
    }
    let level = match args.mutants {
        true => Some(Level::Mutants),
        false => args.level.level(),
    };
    verify::run(&args.selection.selection(), level, context)
}

impl RevisionArgs {
    fn selection(&self) -> Selection {
        if self.all_pins {
            Selection::AllPins
        } else if let Some(requirement) = &self.releases {
            Selection::Releases(requirement.clone())
        } else if let Some(range) = &self.commits {
            Selection::Commits(range.clone())
        } else if self.mlx.is_empty() {
            Selection::CurrentPin
        } else {
            Selection::Revisions(self.mlx.clone())
        }
    }
}
