//! The likeliest cause of failures, in one sentence for a person.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::drive::full_phase;
use super::judge::{Mismatch, Outcome};
use super::scenario::Scenario;

/// The likeliest cause of a suite's failures.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Diagnosis {
    /// It fails only where an override is in force, and there it reads back as it was set.
    #[error(
        "the override is set and read back, and command buffers do not end by it: the commit check does not use it as \
         it should"
    )]
    NotUsed,
    /// The override does not read back as it was set.
    #[error("the override does not read back as it was set")]
    NotKept,
    /// Command buffers are committed at other places than where the check is asked.
    #[error(
        "this tree commits command buffers at a place of its own, not where gpu::eval asks the commit check"
    )]
    OwnPlace,
    /// Without any override the command buffers end elsewhere than by upstream's rule.
    #[error(
        "with no override, command buffers end elsewhere than by upstream's rule (more ops than the limit, or more Mi \
         elements of distinct arrays than the budget): this tree counts in another way"
    )]
    OtherRule,
    /// The program dies.
    #[error("the program dies: {0}")]
    Dies(String),
}

impl Diagnosis {
    /// Says where to look.
    pub fn help(&self) -> &'static str {
        match self {
            Self::NotUsed => {
                "look at the edit inside the commit check: is it still there, does what it sets still decide?"
            }
            Self::NotKept => "look at the setter and the getter, and at what they share",
            Self::OwnPlace => {
                "this upstream asks the check at another place than MLX does: the scenarios do not describe it; compare its eval.cpp and device.cpp with MLX's"
            }
            Self::OtherRule => {
                "compare the commit check and what it sums with MLX's; a fork with a rule of its own needs scenarios of its own"
            }
            Self::Dies(_) => {
                "host-metal may lack what this release newly calls: its last line names it"
            }
        }
    }
}

/// Finds it; none where nothing failed.
pub fn diagnose(scenarios: &[Scenario], outcomes: &[Outcome]) -> Option<Diagnosis> {
    let failed = scenarios
        .iter()
        .zip(outcomes)
        .filter_map(|pair| match pair {
            (scenario, Outcome::Failed(mismatches)) => Some((scenario, mismatches)),
            _ => None,
        });
    let all: Vec<(&Scenario, &Mismatch)> = failed
        .flat_map(|(scenario, mismatches)| mismatches.iter().map(move |one| (scenario, one)))
        .collect();
    let any = |is_it: fn(&Mismatch) -> bool| all.iter().any(|(_, mismatch)| is_it(mismatch));
    let dies = all.iter().find_map(|(_, mismatch)| match mismatch {
        Mismatch::Ended(how) => Some(how.clone()),
        _ => None,
    });
    let moves_without_override = |(scenario, mismatch): &(&Scenario, &Mismatch)| matches!(mismatch, Mismatch::Commits { phase, .. } if !overridden(scenario).contains(phase));
    if all.is_empty() {
        None
    } else if any(|it| matches!(it, Mismatch::OwnPlace(_))) {
        // First: a tree that commits in mid-op may well die of it.
        Some(Diagnosis::OwnPlace)
    } else if let Some(how) = dies {
        Some(Diagnosis::Dies(how))
    } else if all.iter().any(moves_without_override) {
        Some(Diagnosis::OtherRule)
    } else if any(|it| matches!(it, Mismatch::Read(_))) {
        Some(Diagnosis::NotKept)
    } else {
        Some(Diagnosis::NotUsed)
    }
}

/// Returns the phases in which an override was in force at some op, or had been: 0 must take it away again.
fn overridden(scenario: &Scenario) -> BTreeSet<String> {
    let mut phases = BTreeSet::new();
    let sets = scenario.sets_override();
    let mut was_set = false;
    let mut current: BTreeMap<&str, &str> = BTreeMap::new();
    for step in &scenario.steps {
        let text = |key: &str| step.get(key).and_then(Value::as_str);
        let thread = text("on").unwrap_or("main");
        let is_meanwhile = || step.get("meanwhile") == Some(&Value::Bool(true));
        match text("step") {
            Some("override" | "guard" | "unguard") => was_set = true,
            Some("phase") => {
                current.insert(thread, text("name").unwrap_or_default());
            }
            // An op that a thread encodes meanwhile may come after a later step of another.
            Some("op") if was_set || (sets && is_meanwhile()) => {
                let phase = current.get(thread).unwrap_or(&"default");
                phases.insert(full_phase(phase, thread));
            }
            _ => {}
        }
    }
    phases
}
