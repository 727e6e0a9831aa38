//! Drives MLX's real encoder with the lock's files, on every pin, as far as this machine has a real backend.

use camino::Utf8Path;
use patchctl_apply::LockedPin;

use crate::overlay::{Overlay, overlay_digest};
use crate::report::{Error, Exit, ReleaseResult, Report, Status};
use crate::upstream::Upstream;
use crate::verify::decode::{Model, load};

use super::build::stub;
use super::patched_revision::{PatchedRevision, lock_mismatch, patched_files};
use super::step_text::proofs;
use super::verification::{Verification, no_real_backend, proven};
use super::verify::not_reached;
use super::workspace::{Workspace, spec};
use super::{Context, Output, PinSelection};

/// Tests the pins. With `must_run` a pin that could not be run is a failure of the surroundings; `decode` is a decode
/// model to count command buffers with, in the place of the scenarios.
///
/// # Errors
/// When there is no report to give: the repository's files cannot be read, or no such pin is locked.
pub(crate) fn run(
    pins: &PinSelection,
    must_run: bool,
    decode: Option<&Utf8Path>,
    context: &Context,
) -> Result<Output, Error> {
    let workspace = Workspace::of_lock(context)?.complete()?;
    let pins = workspace.selected(pins)?;
    let model = decode.map(load).transpose()?;
    let mut report = Report::new("test");
    let mut exit = Exit::Success;
    let bench = Bench {
        workspace: &workspace,
        upstream: workspace.upstream(true),
        proving: Verification::new(context, None),
        model: model.as_ref(),
    };
    for pin in pins {
        let (result, is_broken) = bench.row(pin)?;
        exit = exit.and(match result.status {
            Status::NotRun if is_broken || must_run => Exit::Surroundings,
            Status::Passed | Status::NotRun => Exit::Success,
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

/// Everything that each pin's row is made with.
struct Bench<'a> {
    workspace: &'a Workspace<'a>,
    upstream: Upstream,
    proving: Verification<'a>,
    /// The decode model to drive in the place of the scenarios.
    model: Option<&'a Model>,
}

impl Bench<'_> {
    /// A pin's row: the files that the lock makes, on a real backend; and whether something here is broken.
    fn row(&self, pin: &LockedPin) -> Result<(ReleaseResult, bool), Error> {
        let mut result = ReleaseResult::new(&pin.release, &pin.revision, "run");
        if let Some(error) = self.proving.lacks() {
            result.status = Status::NotRun;
            result.findings.push(no_real_backend(&error));
            return Ok((result, false));
        }
        let overlays = self.overlays(pin, &mut result);
        let found = match self.upstream.resolve(&spec(&pin.release, &pin.revision)) {
            Ok(found) => found,
            Err(error) => return Ok((not_reached(pin, &error), false)),
        };
        let files = match patched_files(&found, pin) {
            Ok(files) => files,
            Err(stopped) => {
                result.status = Status::Failed;
                result.findings.push(*stopped.row()?.finding);
                return Ok((result, false));
            }
        };
        if result.status == Status::Failed {
            return Ok((result, false));
        }
        let patched = PatchedRevision {
            found: &found,
            files: &files,
            overlays: &overlays,
        };
        let error = match self.model {
            None => self.proving.show(patched, &mut result)?,
            Some(model) => self.proving.measure(patched, model, &mut result)?,
        };
        if let Some(error) = &error {
            result.status = Status::NotRun;
            result.findings.push(no_real_backend(error));
        }
        Ok((result, error.is_some_and(|error| error.is_broken())))
    }

    /// The pin's overlays, which say what they provide. One that is gone or is another by now is a failure: what it
    /// provides could not be looked up.
    fn overlays(&self, pin: &LockedPin, result: &mut ReleaseResult) -> Vec<&Overlay> {
        let mut overlays = Vec::new();
        for locked in &pin.overlays {
            let now = self.workspace.overlays.get(&locked.id);
            match now.filter(|overlay| overlay_digest(overlay) == locked.digest) {
                Some(overlay) => overlays.push(overlay),
                None => {
                    let gone = if now.is_none() {
                        "is not there"
                    } else {
                        "has changed"
                    };
                    result.status = Status::Failed;
                    let changed = lock_mismatch(format!(
                        "{} is locked with the overlay `{}`, which {gone}",
                        pin.release, locked.id
                    ));
                    result.findings.push(*changed.finding);
                }
            }
        }
        overlays
    }
}
