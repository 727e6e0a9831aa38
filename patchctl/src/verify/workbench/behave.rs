//! Level `run`: scenarios, then random sequences against upstream alone.

use std::collections::BTreeMap;

use camino::Utf8Path;

use super::{Built, Case, SEQUENCES, said};
use crate::report::Finding;
use crate::toolchain::{Runner, ToolError};
use crate::verify::run::{
    Diagnosis, Differential, Outcome, Scenario, Subject, Workshop, diagnose, drive, judge,
    nothing_run,
};

/// What came of it.
pub(super) struct Behaved {
    pub(super) findings: Vec<Finding>,
    pub(super) seen: Vec<String>,
    /// Whether the program has the override's entry points.
    has_override: bool,
    /// The program's last words, where it died.
    dies: Option<String>,
}

/// Drives a program through the scenarios.
pub(super) fn scenarios(
    program: &Utf8Path,
    scenarios: &[Scenario],
    runner: &dyn Runner,
) -> Result<Behaved, ToolError> {
    let observed = drive(program, scenarios, runner)?;
    let pairs = scenarios.iter().zip(&observed);
    let outcomes: Vec<Outcome> = pairs.map(|(one, seen)| judge(one, seen)).collect();
    let mut devices = observed.iter().filter_map(|one| one.device.as_ref());
    let has_override = devices.any(|device| device.has_override);
    if let Some(diagnosis) = diagnose(scenarios, &outcomes) {
        let finding = said::behaviour(scenarios, &outcomes, &diagnosis);
        return Ok(Behaved {
            findings: vec![finding],
            seen: Vec::new(),
            has_override,
            dies: match diagnosis {
                Diagnosis::Dies(how) => Some(how),
                _ => None,
            },
        });
    }
    let passed = outcomes.iter().filter(|it| **it == Outcome::Passed).count();
    if let (0, Some(Outcome::NotRun(why))) = (passed, outcomes.first()) {
        return Err(nothing_run(why));
    }
    let backend = observed.iter().find_map(|one| one.device.as_ref());
    let backend = backend.map_or("nothing", |device| &*device.backend);
    let mut seen = vec![format!(
        "{passed} of {} scenarios on {backend}",
        scenarios.len()
    )];
    seen.extend(said::not_run(scenarios, &outcomes));
    Ok(Behaved {
        findings: Vec::new(),
        seen,
        has_override,
        dies: None,
    })
}

/// The scenarios, and then random sequences against upstream alone.
pub(super) fn behave(
    workshop: &Workshop<'_>,
    case: Case<'_>,
    built: &Built,
    all: &[Scenario],
) -> Result<Behaved, ToolError> {
    let mut behaved = scenarios(&built.program, all, workshop.runner)?;
    if !behaved.findings.is_empty() && behaved.dies.is_none() {
        return Ok(behaved);
    }
    let nothing = BTreeMap::new();
    let upstream = workshop.build(Subject {
        tree: case.tree,
        patched: &nothing,
    })?;
    if behaved.dies.is_some() {
        // What upstream alone dies of as well is no fault of the overlays.
        let alone = scenarios(&upstream.program, all, workshop.runner)?;
        return match alone.dies.filter(|how| Some(how) == behaved.dies.as_ref()) {
            Some(how) => Err(upstream_dies(&how)),
            None => Ok(behaved),
        };
    }
    let difference = Differential {
        upstream: &upstream.program,
        patched: &built.program,
        has_override: behaved.has_override,
        runner: workshop.runner,
        seed: 1,
        sequences: SEQUENCES,
    }
    .compare()?;
    match difference {
        Some(difference) => behaved.findings.push(said::difference(&difference)),
        None => behaved.seen.push(format!(
            "{SEQUENCES} random sequences as upstream alone does"
        )),
    }
    Ok(behaved)
}

fn upstream_dies(how: &str) -> ToolError {
    ToolError::missing(format!("upstream alone dies on host-metal too: {how}")).help(
        "host-metal may lack what this release newly calls: that line names it, and where to add it",
    )
}
