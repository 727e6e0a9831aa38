//! The findings of levels `compile` and `run`.

use std::fmt::Write as _;

use camino::Utf8Path;

use crate::report::{Code, Finding};
use crate::toolchain::ToolError;
use crate::verify::compile::ProvidedFault;
use crate::verify::run::{Diagnosis, Difference, Outcome, Scenario};

/// Lines of an excerpt.
const SHOWN: usize = 12;

/// Something that does not build.
pub fn failed(error: &ToolError) -> Finding {
    let finding = (*error.finding).clone();
    match finding.code {
        // The error stands at the end, and what came before it was cut off.
        Code::BuildFailed => finding,
        _ => {
            let first = finding.excerpt.as_deref().map(first_lines);
            finding.excerpt(first)
        }
    }
}

/// A provided name that is not there.
pub(super) fn provided(overlay: &str, fault: &ProvidedFault) -> Finding {
    Finding::new(
        Code::NotProvided,
        format!("`{overlay}` provides what the compiled files do not have: {fault}"),
    )
    .help(match fault {
        ProvidedFault::Hidden(_) => {
            "MLX hides what is not marked: write `[[gnu::visibility(\"default\")]]` before it"
                .to_owned()
        }
        _ => "define it in an edit, or correct `provides:`".to_owned(),
    })
}

/// An object for macOS that does not hold what it has to.
pub(super) fn mac(name: &Utf8Path, fault: &str) -> Finding {
    Finding::new(
        Code::MacObjectWrong,
        format!("compiled for macOS on Apple silicon, {fault}"),
    )
    .file(name.as_str())
    .help("look at the `#if` conditions around the overlay's code, and at its `provides:`")
}

/// Scenarios that fail, with what they have in common first.
pub(super) fn behaviour(
    scenarios: &[Scenario],
    outcomes: &[Outcome],
    diagnosis: &Diagnosis,
) -> Finding {
    let mut lines = String::new();
    let mut failing = 0;
    for (scenario, outcome) in scenarios.iter().zip(outcomes) {
        if let Outcome::Failed(mismatches) = outcome {
            failing += 1;
            for mismatch in mismatches {
                // Writing to a string cannot fail.
                let _ = writeln!(lines, "{}: {mismatch}", scenario.name);
            }
        }
    }
    Finding::new(
        Code::BehaviourDiffers,
        format!(
            "{failing} of {} scenarios fail on the real encoder: {diagnosis}",
            scenarios.len()
        ),
    )
    .help(diagnosis.help().to_owned())
    .excerpt(first_lines(&lines))
}

/// Scenarios that could not be asked, in one line.
pub(super) fn not_run(scenarios: &[Scenario], outcomes: &[Outcome]) -> Option<String> {
    let mut not_run = scenarios.iter().zip(outcomes).filter_map(|(one, outcome)| {
        let Outcome::NotRun(why) = outcome else {
            return None;
        };
        Some((one, why))
    });
    let (first, why) = not_run.next()?;
    let others = not_run.count();
    Some(match others {
        0 => format!("not run: scenario {}: {why}", first.name),
        _ => format!(
            "not run: scenario {} and {others} others: {why}",
            first.name
        ),
    })
}

/// A sequence on which the patched tree does not do as upstream does.
pub(super) fn difference(difference: &Difference) -> Finding {
    let setting = difference.setting;
    let under = match setting.budget {
        None => "with the override at 0".to_owned(),
        Some(budget) => format!(
            "with the override at {budget}, upstream with MLX_MAX_MB_PER_BUFFER at {budget}"
        ),
    };
    let mut lines = String::new();
    for step in &difference.steps {
        let _ = writeln!(lines, "{}", serde_json::Value::Object(step.clone()));
    }
    let _ = writeln!(lines, "upstream: {}", buffers(&difference.upstream));
    let _ = writeln!(lines, "patched:  {}", buffers(&difference.patched));
    Finding::new(Code::BehaviourDiffers, format!(
            "a random sequence ends its command buffers elsewhere than upstream alone, {under} (architecture {})",
            setting.architecture
        )).help("the steps below are the fewest that show it; the overlay must leave upstream's rule alone but for the budget").excerpt(first_lines(&lines))
}

fn buffers(behaviour: &crate::verify::run::Behaviour) -> String {
    let each = behaviour.commits.iter();
    let mut all: Vec<String> = each
        .map(|((first, last), _)| format!("{first}-{last}"))
        .collect();
    if !behaviour.ended {
        all.push("did not end".to_owned());
    }
    all.join(" ")
}

/// The beginning: a compiler's first error is the one.
fn first_lines(text: &str) -> String {
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let mut shown = lines[..lines.len().min(SHOWN)].join("\n");
    if lines.len() > SHOWN {
        let _ = write!(shown, "\n… and {} more lines", lines.len() - SHOWN);
    }
    shown
}
