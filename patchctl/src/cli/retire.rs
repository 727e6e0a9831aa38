//! `patchctl retire`: takes an overlay out of the pins.

use semver::Version;

use super::args::{AskedLevel, examples, revision};
use crate::report::Error;
use crate::upstream::RevisionSpec;
use crate::workflow::retire::{self, Options};
use crate::workflow::{Context, Output};

/// Take an overlay out of every pin, or out of those from a release on
///
/// Carries the other overlays to every pin anew, proves them, and writes lock, snapshots and pins in one go with the
/// overlay's file. Without --since the file is deleted. With --since V its `releases:` ends before V, so that older pins
/// keep it; where no older pin has it, the file is deleted too. What was reviewed stays in reviewed.yaml.
///
/// A pin that no overlay claims any more stays a pin: its tree is upstream's.
#[derive(Debug, clap::Args)]
#[command(after_long_help = examples(EXAMPLES))]
pub struct RetireArgs {
    /// The overlay's name
    pub overlay: String,

    /// The first release that does not need it
    #[arg(long, value_name = "V", value_parser = release)]
    pub since: Option<Version>,

    /// Do everything but write, and list what would be written
    #[arg(long)]
    pub dry_run: bool,

    /// How far to prove the other overlays
    #[arg(long, value_enum, default_value_t)]
    pub level: AskedLevel,
}

const EXAMPLES: &str = "\
Examples:
  Upstream has taken the change in with 0.33.0, and older pins still need it:
    patchctl retire decode-input-budget --since 0.33.0
  Take it out of every pin and delete it:
    patchctl retire decode-input-budget
  See what that would write:
    patchctl retire decode-input-budget --dry-run";

fn release(text: &str) -> Result<Version, String> {
    match revision(text)? {
        RevisionSpec::Release(version) => Ok(version),
        _ => Err("expected a release such as 0.33.0".to_owned()),
    }
}

/// Retires the overlay.
///
/// # Errors
/// As [`retire::run`].
pub(super) fn run(args: &RetireArgs, context: &Context) -> Result<Output, Error> {
    let options = Options {
        overlay: args.overlay.clone(),
        since: args.since.clone(),
        dry_run: args.dry_run,
        level: args.level.level(),
    };
    retire::run(&options, context)
}
