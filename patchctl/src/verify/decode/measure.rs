//! Runs a model under every setting, counts, and compares the phases that must be alike.

use camino::Utf8Path;

use super::model::Model;
use super::scenario::{Budget, Phase, Setting, scenario, settings};
use crate::report::{self, Code, Finding};
use crate::toolchain::{Runner, ToolError};
use crate::verify::run::{Ended, Observed, Scenario, drive, nothing_run};

/// The command buffers and bytes that one phase took under one setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Measured {
    /// The limits.
    pub setting: Setting,
    /// The phase.
    pub phase: Phase,
    /// Command buffers with something in them, over all passes.
    pub buffers: u64,
    /// The number of passes: 1 for prefill, else the tokens.
    pub passes: u64,
    /// The most bytes of activations that command buffers which were not completed referred to.
    pub peak: u64,
}

impl Measured {
    /// Returns the rows of the report: command buffers for each prompt or token, and bytes.
    pub fn reported(&self, model: &Model) -> [report::Measured; 2] {
        // Every token is encoded alike; should tokens differ, the mean says more than the sum.
        let buffers = match self.buffers % self.passes {
            0 => Some((self.buffers / self.passes).into()),
            _ => serde_json::Number::from_f64(self.buffers as f64 / self.passes as f64),
        };
        let unit = match self.phase {
            Phase::Prefill => "a prompt",
            Phase::Pipelined | Phase::Synchronous => "a token",
        };
        let row = |what: &str, value, unit: &str| report::Measured {
            what: what.to_owned(),
            phase: self.phase.name().to_owned(),
            under: self.setting.named(model),
            value,
            unit: unit.to_owned(),
        };
        [
            row("command buffers", buffers.unwrap_or_else(|| 0.into()), unit),
            row("peak in flight", self.peak.into(), "bytes"),
        ]
    }
}

/// Runs `program`, the driver of a patched tree, under every setting. The measures stand by setting, then by phase.
///
/// # Errors
/// When a process cannot be started or does not come to its end, or the tree has no override.
pub fn measure(
    model: &Model,
    program: &Utf8Path,
    runner: &dyn Runner,
) -> Result<Vec<Measured>, ToolError> {
    let settings = settings();
    let scenarios: Vec<Scenario> = settings.iter().map(|one| scenario(model, *one)).collect();
    let observed = drive(program, &scenarios, runner)?;
    let mut all = Vec::new();
    for (setting, observed) in settings.iter().zip(&observed) {
        all.extend(of_observed(model, *setting, observed)?);
    }
    Ok(all)
}

/// Counts the command buffers that were seen under one setting.
///
/// # Errors
/// When there is nothing to count: see [`measure`].
pub fn of_observed(
    model: &Model,
    setting: Setting,
    observed: &Observed,
) -> Result<Vec<Measured>, ToolError> {
    let device = observed.device.as_ref();
    if device.is_some_and(|device| !device.has_override) {
        return Err(nothing_run("the tree has no override of the budget"));
    }
    let stopped = |how: &str| {
        let message = format!("the driver did not come to its end: {how}");
        ToolError::of_code(Code::RunFailed, message)
    };
    let seen = match (&observed.ended, &observed.seen) {
        (Ended::Well, Some(seen)) if seen.ended => seen,
        (Ended::Badly { how, said }, _) => return Err(stopped(how).output(said)),
        (Ended::Hangs, _) => return Err(stopped("it does not end")),
        _ => return Err(stopped("without a word")),
    };
    let measured = Phase::ALL.map(|phase| {
        let commits = seen.commits.iter().filter(|it| it.phase == phase.name());
        let peak = seen.peaks.iter().find(|it| it.phase == phase.name());
        let peak = peak.ok_or_else(|| stopped("it says no peak: this is not host-metal"))?;
        Ok(Measured {
            setting,
            phase,
            buffers: commits.count() as u64,
            passes: match phase {
                Phase::Prefill => 1,
                Phase::Pipelined | Phase::Synchronous => model.tokens.decode,
            },
            peak: peak.bytes,
        })
    });
    measured.into_iter().collect()
}

/// Holds the guarded rows against the others. With the guard around pipelined decode, prefill and synchronous decode must
/// be as on the device's own budget, and pipelined decode as with the budget everywhere.
pub fn compare(model: &Model, all: &[Measured]) -> Vec<Finding> {
    let taken = |measured: &Measured| {
        format!(
            "{} command buffers and {} bytes in flight under `{}`",
            measured.buffers,
            measured.peak,
            measured.setting.named(model)
        )
    };
    let mut findings = Vec::new();
    for guarded in all.iter().filter(|it| it.setting.budget == Budget::Guarded) {
        let (budget, code, help) = match guarded.phase {
            Phase::Prefill | Phase::Synchronous => (
                Budget::Device,
                Code::GuardReachesTooFar,
                "the override is in force outside of its guard: see that it is read anew each time, and that 0 means none",
            ),
            Phase::Pipelined => (
                Budget::Everywhere,
                Code::GuardDoesNotReach,
                "the override is not what the commit check compares with: see where the overlay reads it",
            ),
        };
        let max_ops = guarded.setting.max_ops;
        let setting = Setting { max_ops, budget };
        let mut others = all.iter().filter(|it| it.phase == guarded.phase);
        if let Some(other) = others.find(|it| it.setting == setting)
            && (guarded.buffers, guarded.peak) != (other.buffers, other.peak)
        {
            let message = format!(
                "{} takes {}, and {}: they must be alike",
                guarded.phase.name(),
                taken(guarded),
                taken(other),
            );
            findings.push(Finding::new(code, message).help(help));
        }
    }
    findings
}
