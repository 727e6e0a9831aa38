//! The number of failures have in common, in one sentence for a person.

use std::collections::BTreeSet;
use std::fmt;

use serde_json::{Map, Value};

use super::judge::{Mismatch, Outcome};
use super::scenario::Scenario;

/// The likeliest cause of a suite's failures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Diagnosis {
    /// It fails only where an override is in force, and there it reads back as it was set.
    NotUsed,
    /// The override does not read back as it was set.
    NotKept,
    /// Command buffers are committed at other places than where the check is asked.
    OwnPlace,
    /// Without any override the command buffers end elsewhere than by upstream's rule.
    OtherRule,
    /// The program dies.
    Dies(String),
}

impl fmt::Display for Diagnosis {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotUsed => out.write_str(
                "the override is set and read back, and command buffers do not end by it: \
                 the commit check does not use it as it should",
            ),
            Self::NotKept => out.write_str("the override does not read back as it was set"),
            Self::OwnPlace => out.write_str(
                "this tree commits command buffers at a place of its own, not where gpu::eval asks the commit check",
            ),
            Self::OtherRule => out.write_str(
                "with no override, command buffers end elsewhere than by upstream's rule (more ops than the limit, or \
                 more Mi elements of distinct arrays than the budget): this tree counts in another way",
            ),
            Self::Dies(how) => write!(out, "the program dies: {how}"),
        }
    }
}

impl Diagnosis {
    /// Where to look.
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
    let failed: Vec<(&Scenario, &[Mismatch])> = scenarios
        .iter()
        .zip(outcomes)
        .filter_map(|(scenario, outcome)| match outcome {
            Outcome::Failed(mismatches) => Some((scenario, &mismatches[..])),
            Outcome::Passed | Outcome::NotRun(_) => None,
        })
        .collect();
    let all = || failed.iter().flat_map(|(_, mismatches)| mismatches.iter());
    all().next()?;
    // First: what commits in mid-op may well die of it.
    if all().any(|mismatch| matches!(mismatch, Mismatch::Unasked { .. } | Mismatch::Torn { .. })) {
        return Some(Diagnosis::OwnPlace);
    }
    let dies = all().find_map(|mismatch| match mismatch {
        Mismatch::Ended { how } => Some(how.clone()),
        _ => None,
    });
    if let Some(how) = dies {
        return Some(Diagnosis::Dies(how));
    }
    let moved_without = failed.iter().any(|(scenario, mismatches)| {
        let overridden = overridden(scenario);
        mismatches.iter().any(
            |mismatch| matches!(mismatch, Mismatch::Commits { phase, .. } if !overridden.contains(&**phase)),
        )
    });
    if moved_without {
        return Some(Diagnosis::OtherRule);
    }
    if all().any(|mismatch| matches!(mismatch, Mismatch::Read { .. })) {
        return Some(Diagnosis::NotKept);
    }
    Some(Diagnosis::NotUsed)
}

fn meanwhile(step: &Map<String, Value>) -> bool {
    step.get("meanwhile").and_then(Value::as_bool) == Some(true)
}

/// The phases in which an override was in force at some op, or had been: 0 must take it away again.
fn overridden(scenario: &Scenario) -> BTreeSet<String> {
    let mut phases = BTreeSet::new();
    let sets = scenario.sets_override();
    let mut was_set = false;
    let mut current = std::collections::BTreeMap::new();
    for step in &scenario.steps {
        let text = |key: &str| step.get(key).and_then(Value::as_str);
        let lane = text("on").unwrap_or("main").to_owned();
        match text("step") {
            Some("override" | "guard" | "unguard") => was_set = true,
            Some("phase") => {
                current.insert(lane, text("name").unwrap_or_default().to_owned());
            }
            // What a thread encodes meanwhile may come after a later step of another.
            Some("op") if was_set || (sets && meanwhile(step)) => {
                let phase = current.get(&lane).map_or("default", |phase| &**phase);
                phases.insert(if lane == "main" {
                    phase.to_owned()
                } else {
                    format!("{phase}@{lane}")
                });
            }
            _ => {}
        }
    }
    phases
}
