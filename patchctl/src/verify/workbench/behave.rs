//! Level `run`: scenarios, then random sequences against upstream alone.

use std::collections::BTreeMap;

use super::{Built, Case, SEQUENCES, said};
use crate::report::Finding;
use crate::verify::run::{
    Differential, Outcome, RunError, Scenario, Subject, Workshop, diagnose, drive, judge,
};

/// What came of it.
pub(super) struct Behaved {
    pub(super) findings: Vec<Finding>,
    pub(super) seen: Vec<String>,
}

pub(super) fn behave(
    workshop: &Workshop<'_>,
    case: Case<'_>,
    built: &Built,
    scenarios: &[Scenario],
) -> Result<Behaved, RunError> {
    let observed = drive(&built.program, scenarios, workshop.runner)?;
    let pairs = scenarios.iter().zip(&observed);
    let outcomes: Vec<Outcome> = pairs.map(|(one, seen)| judge(one, seen)).collect();
    let diagnosis = diagnose(scenarios, &outcomes);
    if let Some(diagnosis) = diagnosis {
        let finding = said::behaviour(scenarios, &outcomes, &diagnosis);
        return Ok(Behaved {
            findings: vec![finding],
            seen: Vec::new(),
        });
    }
    let passed = outcomes.iter().filter(|it| **it == Outcome::Passed).count();
    let backend = observed.iter().find_map(|one| one.device.as_ref());
    let backend = backend.map_or("nothing", |device| &*device.backend);
    let mut seen = vec![format!(
        "{passed} of {} scenarios on {backend}",
        scenarios.len()
    )];
    seen.extend(said::not_run(scenarios, &outcomes));
    let nothing = BTreeMap::new();
    let upstream = workshop.build(Subject {
        tree: case.tree,
        patched: &nothing,
    })?;
    let difference = Differential {
        upstream: &upstream.program,
        patched: &built.program,
        runner: workshop.runner,
        seed: 1,
        sequences: SEQUENCES,
    }
    .compare()?;
    match difference {
        Some(difference) => Ok(Behaved {
            findings: vec![said::difference(&difference)],
            seen,
        }),
        None => {
            seen.push(format!(
                "{SEQUENCES} random sequences as upstream alone does"
            ));
            Ok(Behaved {
                findings: Vec::new(),
                seen,
            })
        }
    }
}
