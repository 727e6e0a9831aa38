//! `patchctl test`: MLX's real encoder with the lock's files, on every pin, as far as this machine has a real backend.

use camino::Utf8PathBuf;
use patchctl_apply::LockedPin;

use crate::exit::Exit;
use crate::overlay::{Overlay, overlay_digest};
use crate::report::{ReleaseResult, Report, Status};
use crate::upstream::Upstream;
use crate::verify::decode::{Model, load};

use super::args::{Level, examples};
use super::locked::{Locked, lock_mismatch, patched_files};
use super::project::{Project, spec_of};
use super::proving::{Proposed, Proving, no_real_backend, proven};
use super::telling::proofs;
use super::verify::not_reached;
use super::{CommandError, Context, Output, stub};

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
    pub pins: PinSelection,

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
    patchctl test --all-pins --level run
  Command buffers a token:
    patchctl test --decode docs/examples/decode/command-r7b.yaml";

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
/// When there is no report to give: the repository's files cannot be read, or no such pin is locked.
pub fn run(args: &TestArgs, context: &Context) -> Result<Output, CommandError> {
    let locked = Locked::open(context)?;
    let project = Project::open(context)?;
    let pins = args.pins.of(&locked)?;
    let model = args.decode.as_deref().map(load).transpose()?;
    let mut report = Report::new("test");
    let mut exit = Exit::Success;
    let bench = Bench {
        project: &project,
        upstream: project.upstream(context, true),
        proving: Proving::new(context, Level::Auto),
        model: model.as_ref(),
    };
    for pin in pins {
        let (result, is_broken) = bench.row(pin)?;
        exit = exit.and(match (result.status, args.level) {
            (Status::NotRun, _) if is_broken => Exit::Surroundings,
            (Status::Passed, _) | (Status::NotRun, TestLevel::Auto) => Exit::Success,
            (Status::NotRun, TestLevel::Run) => Exit::Surroundings,
            _ => Exit::Check,
        });
        if result.status == Status::Passed && model.is_none() {
            // The levels below were not looked at here.
            let run = proven(&result).pop();
            report
                .proven
                .extend(proofs(&result.release, run.as_slice()));
        }
        report.results.push(result);
    }
    if model.is_none() {
        let (check, ended) = stub::check(context);
        report.checks.push(check);
        exit = exit.and(ended);
    }
    Ok(Output::ending(report, exit))
}

/// What every pin's row is made with.
struct Bench<'a> {
    project: &'a Project,
    upstream: Upstream,
    proving: Proving<'a>,
    /// What is driven in the place of the scenarios.
    model: Option<&'a Model>,
}

impl Bench<'_> {
    /// A pin's row: the files that the lock makes, on a real backend; and whether something here is broken.
    fn row(&self, pin: &LockedPin) -> Result<(ReleaseResult, bool), CommandError> {
        let mut result = ReleaseResult {
            release: pin.release.clone(),
            revision: pin.revision.clone(),
            status: Status::Passed,
            level: "run".to_owned(),
            landed: Vec::new(),
            shown: Vec::new(),
            measured: Vec::new(),
            findings: Vec::new(),
        };
        if let Some(error) = self.proving.lacks() {
            result.status = Status::NotRun;
            result.findings.push(no_real_backend(&error));
            return Ok((result, false));
        }
        let overlays = self.overlays(pin, &mut result);
        let found = match self.upstream.resolve(&spec_of(pin)) {
            Ok(found) => found,
            Err(error) => return Ok((not_reached(pin, &error), false)),
        };
        let files = match patched_files(&found, pin)? {
            Ok(files) => files,
            Err(finding) => {
                result.status = Status::Failed;
                result.findings.push(finding);
                return Ok((result, false));
            }
        };
        if result.status == Status::Failed {
            return Ok((result, false));
        }
        let proposed = Proposed {
            revision: &found.revision,
            source: &found.source,
            files: &files,
            overlays: &overlays,
        };
        let error = match self.model {
            None => self.proving.show(&proposed, &mut result)?,
            Some(model) => self.proving.measure(&proposed, model, &mut result)?,
        };
        if let Some(error) = &error {
            result.status = Status::NotRun;
            result.findings.push(no_real_backend(error));
        }
        Ok((result, error.is_some_and(|error| error.is_breakdown())))
    }

    /// The pin's overlays, which say what they provide. One that is gone or is another by now is a failure: what it
    /// provides could not be looked up.
    fn overlays(&self, pin: &LockedPin, result: &mut ReleaseResult) -> Vec<&Overlay> {
        let mut overlays = Vec::new();
        for locked in &pin.overlays {
            let now = self.project.overlays.get(&locked.id);
            match now.filter(|overlay| overlay_digest(overlay) == locked.digest) {
                Some(overlay) => overlays.push(overlay),
                None => {
                    let gone = if now.is_none() {
                        "is not there"
                    } else {
                        "has changed"
                    };
                    result.status = Status::Failed;
                    result.findings.push(lock_mismatch(format!(
                        "{} is locked with the overlay `{}`, which {gone}",
                        pin.release, locked.id
                    )));
                }
            }
        }
        overlays
    }
}
