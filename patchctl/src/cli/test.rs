//! `patchctl test`: MLX's real encoder with the lock's files, on every pin, as far as this machine has a real backend.

use camino::Utf8PathBuf;

use super::args::examples;
use crate::report::Error;
use crate::workflow::{Context, Output, PinSelection, test};

/// Drive MLX's real encoder, patched as the lock says, on every pin; writes nothing
///
/// The scenarios set the override and read it back, and compare where command buffers end; then random sequences are
/// held against upstream alone. Needs clang 19 or later (Linux); what was built once is kept in the cache.
///
/// A table of pins by results. A pin that no real backend of this machine can run is 'not run', with the reason,
/// and never counts as passed. The stub has a row of its own, and proves nothing about a release.
///
/// With `--decode` the table is of command buffers and peak bytes in flight, for prefill, pipelined and synchronous
/// decode, at the device's own budget and at the model's, around pipelined decode and everywhere. It fails where the
/// budget around pipelined decode changes anything else.
#[derive(Debug, clap::Args)]
#[command(after_long_help = examples(EXAMPLES))]
pub struct TestArgs {
    /// Which pins
    #[command(flatten)]
    pub pins: PinArgs,

    /// How far; `run` by name is exit status 3 where a pin could not be run
    #[arg(long, value_enum, default_value_t)]
    pub level: TestLevel,

    /// Instead, count the command buffers that decoding a model takes; the file says what a token dispatches
    #[arg(long, value_name = "MODEL.yaml")]
    pub decode: Option<Utf8PathBuf>,
}

/// At most one of these; none is the current pin.
#[derive(Debug, Default, clap::Args)]
#[group(multiple = false)]
pub struct PinArgs {
    /// The pin
    #[arg(long, value_name = "V")]
    pub mlx: Option<String>,

    /// Every pin
    #[arg(long)]
    pub all_pins: bool,
}

/// `--level` of `test`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum TestLevel {
    /// As far as the tools at hand allow.
    #[default]
    Auto,
    /// On a real backend, or it is a failure of the surroundings.
    Run,
}

const EXAMPLES: &str = "\
Examples:
  patchctl test
  All pins, and nothing left out:
    patchctl test --all-pins --level run
  Command buffers a token:
    patchctl test --decode docs/examples/decode/command-r7b.yaml";

impl PinArgs {
    pub(super) fn selection(&self) -> PinSelection {
        match (&self.mlx, self.all_pins) {
            (_, true) => PinSelection::All,
            (Some(name), _) => PinSelection::Named(name.clone()),
            (None, _) => PinSelection::Current,
        }
    }
}

/// Tests.
///
/// # Errors
/// As [`test::run`].
pub(super) fn run(args: &TestArgs, context: &Context) -> Result<Output, Error> {
    let must_run = args.level == TestLevel::Run;
    let model = args.decode.as_deref();
    test::run(&args.pins.selection(), must_run, model, context)
}
