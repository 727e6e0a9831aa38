//! Compares phases that must be alike, whatever the numbers are.

use super::measure::Measured;
use super::model::Model;
use super::scenario::{Budget, Phase};
use crate::report::{Code, Finding};

/// Holds the guarded rows against the others. With the guard around pipelined decode, prefill and synchronous decode must
/// be as on the device's own budget, and pipelined decode as with the budget everywhere.
pub fn compare(model: &Model, all: &[Measured]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for guarded in all.iter().filter(|it| it.setting.budget == Budget::Guarded) {
        let (budget, code) = match guarded.phase {
            Phase::Prefill | Phase::Synchronous => (Budget::Device, Code::GuardReachesTooFar),
            Phase::Pipelined => (Budget::Everywhere, Code::GuardDoesNotReach),
        };
        let other = all.iter().find(|it| {
            it.phase == guarded.phase
                && it.setting.budget == budget
                && it.setting.max_ops == guarded.setting.max_ops
        });
        let Some(other) = other else { continue };
        if (guarded.buffers, guarded.peak) != (other.buffers, other.peak) {
            findings.push(
                Finding::new(
                    code,
                    format!(
                        "{} takes {} under `{}`, and {} under `{}`: they must be alike",
                        guarded.phase.name(),
                        taken(guarded),
                        guarded.setting.named(model),
                        taken(other),
                        other.setting.named(model),
                    ),
                )
                .help(help(guarded.phase)),
            );
        }
    }
    findings
}

fn taken(measured: &Measured) -> String {
    format!(
        "{} command buffers and {} bytes in flight",
        measured.buffers, measured.peak
    )
}

fn help(phase: Phase) -> &'static str {
    match phase {
        Phase::Prefill | Phase::Synchronous => {
            "the override is in force outside of its guard: see that it is read anew each time, and that 0 means none"
        }
        Phase::Pipelined => {
            "the override is not what the commit check compares with: see where the overlay reads it"
        }
    }
}
