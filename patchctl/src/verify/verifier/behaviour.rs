//! Level `run`: scenarios, then random sequences against upstream alone.

use camino::{Utf8Path, Utf8PathBuf};

use super::{Driver, Proof, SEQUENCES};
use crate::report::{Code, Finding, first_lines};
use crate::toolchain::ToolError;
use crate::verify::run::{
    Behaviour, Diagnosis, Difference, Differential, Outcome, Scenario, SuiteRun, nothing_run,
    run_suite,
};

/// Drives a program through the scenarios, and then through random sequences beside `upstream`, the program of upstream
/// alone, where that can be built.
pub(super) fn behave(
    driver: &Driver<'_>,
    program: &Utf8Path,
    upstream: Option<&dyn Fn() -> Result<Utf8PathBuf, ToolError>>,
    proof: &mut Proof,
) -> Result<(), ToolError> {
    let (runner, all) = (driver.build.runner, &driver.scenarios);
    let suite = run_suite(program, all, runner)?;
    if let Some(diagnosis) = &suite.diagnosis {
        if let (Diagnosis::Dies(how), Some(upstream)) = (diagnosis, upstream)
            && run_suite(&upstream()?, all, runner)?.diagnosis.as_ref() == Some(diagnosis)
        {
            let message = format!("upstream alone dies on host-metal too: {how}");
            return Err(ToolError::missing(message).help(
                "host-metal may lack what this release newly calls: that line names it, and where to add it",
            ));
        }
        proof
            .findings
            .push(failing(all, &suite.outcomes, diagnosis));
        return Ok(());
    }
    proof.seen.extend(passing(all, &suite)?);
    let Some(upstream) = upstream else {
        return Ok(());
    };
    let difference = Differential {
        upstream: &upstream()?,
        patched: program,
        has_override: suite.has_override(),
        runner,
        seed: 1,
        sequences: SEQUENCES,
    }
    .compare()?;
    match difference {
        Some(difference) => proof.findings.push(parted(&difference)),
        None => proof.seen.push(format!(
            "{SEQUENCES} random sequences as upstream alone does"
        )),
    }
    Ok(())
}

/// Makes the lines about a suite in which nothing failed.
fn passing(all: &[Scenario], suite: &SuiteRun) -> Result<Vec<String>, ToolError> {
    let outcomes = suite.outcomes.iter();
    let passed = outcomes.filter(|it| **it == Outcome::Passed).count();
    let pairs = all.iter().zip(&suite.outcomes);
    let mut not_run = pairs.filter_map(|(scenario, outcome)| match outcome {
        Outcome::NotRun(why) => Some((&scenario.name, why)),
        _ => None,
    });
    let backend = suite.device.as_ref();
    let backend = backend.map_or("nothing", |device| &*device.backend);
    let mut seen = vec![format!("{passed} of {} scenarios on {backend}", all.len())];
    if let Some((first, why)) = not_run.next() {
        if passed == 0 {
            return Err(nothing_run(why));
        }
        let others = match not_run.count() {
            0 => String::new(),
            others => format!(" and {others} others"),
        };
        seen.push(format!("not run: scenario {first}{others}: {why}"));
    }
    Ok(seen)
}

/// Makes the finding about scenarios that fail, with what they have in common first.
fn failing(scenarios: &[Scenario], outcomes: &[Outcome], diagnosis: &Diagnosis) -> Finding {
    let mut lines = Vec::new();
    let mut failing = 0;
    for (scenario, outcome) in scenarios.iter().zip(outcomes) {
        if let Outcome::Failed(mismatches) = outcome {
            failing += 1;
            lines.extend(
                mismatches
                    .iter()
                    .map(|one| format!("{}: {one}", scenario.name)),
            );
        }
    }
    let count = scenarios.len();
    let message = format!("{failing} of {count} scenarios fail on the real encoder: {diagnosis}");
    Finding::new(Code::BehaviourDiffers, message)
        .help(diagnosis.help())
        .excerpt(first_lines(&lines.join("\n")))
}

/// Makes the finding about a sequence on which the patched tree does not do as upstream does.
fn parted(difference: &Difference) -> Finding {
    let setting = difference.setting;
    let under = match setting.budget {
        None => "with the override at 0".to_owned(),
        Some(budget) => format!(
            "with the override at {budget}, upstream with MLX_MAX_MB_PER_BUFFER at {budget}"
        ),
    };
    let steps = difference.steps.iter();
    let steps = steps.map(|step| serde_json::Value::Object(step.clone()).to_string());
    let mut lines: Vec<String> = steps.collect();
    lines.push(format!("upstream: {}", buffers(&difference.upstream)));
    lines.push(format!("patched:  {}", buffers(&difference.patched)));
    let message = format!(
        "a random sequence ends its command buffers elsewhere than upstream alone, {under} (architecture {})",
        setting.architecture
    );
    Finding::new(Code::BehaviourDiffers, message)
        .help("the steps below are the fewest that show it; the overlay must leave upstream's rule alone but for the budget")
        .excerpt(first_lines(&lines.join("\n")))
}

fn buffers(behaviour: &Behaviour) -> String {
    let each = behaviour.commits.iter();
    let mut all: Vec<String> = each
        .map(|((first, last), _)| format!("{first}-{last}"))
        .collect();
    if !behaviour.ended {
        all.push("did not end".to_owned());
    }
    all.join(" ")
}
