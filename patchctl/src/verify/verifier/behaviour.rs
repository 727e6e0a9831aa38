//! Level `run`: scenarios, then random sequences against upstream alone.

use camino::Utf8Path;

use super::{Driver, Proof, SEQUENCES, findings};
use crate::toolchain::{Runner, ToolError};
use crate::verify::PatchedTree;
use crate::verify::run::{
    Built, Diagnosis, Differential, Outcome, Scenario, SuiteRun, nothing_run, run_suite,
};

/// Drives a program through the scenarios, and notes those that pass where none fails.
pub(super) fn scenarios(
    program: &Utf8Path,
    all: &[Scenario],
    runner: &dyn Runner,
    proof: &mut Proof,
) -> Result<SuiteRun, ToolError> {
    let suite = run_suite(program, all, runner)?;
    if suite.diagnosis.is_some() {
        return Ok(suite);
    }
    let outcomes = suite.outcomes.iter();
    let passed = outcomes.filter(|it| **it == Outcome::Passed).count();
    if let (0, Some(Outcome::NotRun(why))) = (passed, suite.outcomes.first()) {
        return Err(nothing_run(why));
    }
    let backend = suite.device.as_ref();
    let backend = backend.map_or("nothing", |device| &*device.backend);
    let line = format!("{passed} of {} scenarios on {backend}", all.len());
    proof.seen.push(line);
    proof.seen.extend(findings::not_run(all, &suite.outcomes));
    Ok(suite)
}

/// Runs the scenarios, and then random sequences against upstream alone.
pub(super) fn behave(
    driver: &Driver<'_>,
    tree: PatchedTree<'_>,
    built: &Built,
    proof: &mut Proof,
) -> Result<(), ToolError> {
    let (build, all) = (&driver.build, &driver.scenarios);
    let suite = scenarios(&built.program, all, build.runner, proof)?;
    let upstream = || build.build(tree.with(&[]));
    if let Some(diagnosis) = &suite.diagnosis {
        if let Diagnosis::Dies(how) = diagnosis {
            let alone = run_suite(&upstream()?.program, all, build.runner)?;
            if alone.diagnosis.as_ref() == Some(diagnosis) {
                return Err(upstream_dies(how));
            }
        }
        let finding = findings::behaviour(all, &suite.outcomes, diagnosis);
        proof.findings.push(finding);
        return Ok(());
    }
    let difference = Differential {
        upstream: &upstream()?.program,
        patched: &built.program,
        has_override: suite.has_override(),
        runner: build.runner,
        seed: 1,
        sequences: SEQUENCES,
    }
    .compare()?;
    match difference {
        Some(difference) => proof.findings.push(findings::difference(&difference)),
        None => proof.seen.push(format!(
            "{SEQUENCES} random sequences as upstream alone does"
        )),
    }
    Ok(())
}

fn upstream_dies(how: &str) -> ToolError {
    ToolError::missing(format!("upstream alone dies on host-metal too: {how}")).help(
        "host-metal may lack what this release newly calls: that line names it, and where to add it",
    )
}
