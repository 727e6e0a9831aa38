//! `patchctl test`: the override's round trips on every pin, as far as this machine has a real backend.

use patchctl_apply::LockedPin;

use crate::exit::Exit;
use crate::report::{ReleaseResult, Report, Status};

use super::args::examples;
use super::locked::Locked;
use super::{CommandError, Context, Output, metal, stub};

/// Set the override and read it back on every pin; writes nothing
///
/// A table of pins by results. A pin that no real backend of this machine can run is 'not run', with the reason,
/// and never counts as passed. The stub has a row of its own, and proves nothing about a release.
#[derive(Debug, clap::Args)]
#[command(after_long_help = examples(EXAMPLES))]
pub struct TestArgs {
    /// Which pins
    #[command(flatten)]
    pub pins: PinSelection,

    /// How far; `run` by name is exit status 3 where a pin could not be run
    #[arg(long, value_enum, default_value_t)]
    pub level: TestLevel,
}

/// At most one of these; none is the current pin.
#[derive(Debug, Default, clap::Args)]
#[group(multiple = false)]
pub struct PinSelection {
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
    patchctl test --all-pins --level run";

impl PinSelection {
    /// The locked pins that are meant.
    ///
    /// # Errors
    /// When the lock has no such pin, or it is not said which is current.
    pub(super) fn of<'a>(&self, locked: &'a Locked) -> Result<Vec<&'a LockedPin>, CommandError> {
        if self.all_pins {
            return Ok(locked.lock.pins.iter().collect());
        }
        Ok(vec![locked.pin(self.mlx.as_deref())?])
    }
}

/// Tests.
///
/// # Errors
/// When there is no report to give: the root or its lock cannot be read, or no such pin is locked.
pub fn run(args: &TestArgs, context: &Context) -> Result<Output, CommandError> {
    let locked = Locked::open(context)?;
    let pins = args.pins.of(&locked)?;
    let mut report = Report::new("test");
    let mut exit = Exit::Success;
    for pin in pins {
        let result = on_real_backend(pin);
        exit = exit.and(match (result.status, args.level) {
            (Status::Passed, _) | (Status::NotRun, TestLevel::Auto) => Exit::Success,
            (Status::NotRun, TestLevel::Run) => Exit::Surroundings,
            _ => Exit::Check,
        });
        report.results.push(result);
    }
    let (check, ended) = stub::check(context);
    report.checks.push(check);
    Ok(Output::ending(report, exit.and(ended)))
}

/// A pin's row.
fn on_real_backend(pin: &LockedPin) -> ReleaseResult {
    ReleaseResult {
        release: pin.release.clone(),
        revision: pin.revision.clone(),
        status: Status::NotRun,
        level: "run".to_owned(),
        landed: Vec::new(),
        findings: vec![metal::not_here()],
    }
}
