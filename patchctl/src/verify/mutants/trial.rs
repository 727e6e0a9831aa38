//! Tries mutants: each goes through the checks from the cheapest on, and the first that fails has detected it.

use std::io;
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use rayon::prelude::*;

use super::generate::Mutant;
use crate::toolchain::{Finished, Invocation, Runner, ToolError};
use crate::verify::PatchedTree;
use crate::verify::run::{Built, Differential, DriverBuild, Outcome, Scenario, run_suite};
use crate::verify::symbols::not_provided;

/// A tree, and the checks that its mutants go through. The overlays without a fault have to pass them.
pub struct Trial<'a> {
    /// Builds them.
    pub build: &'a DriverBuild<'a>,
    /// The tree, with the overlays' files as they are.
    pub tree: PatchedTree<'a>,
    /// The suite.
    pub scenarios: &'a [Scenario],
    /// The number of random sequences that are compared with upstream's.
    pub sequences: usize,
}

/// A mutant that was tried.
#[derive(Debug, Clone)]
pub struct Tried<'a> {
    /// The mutant.
    pub mutant: &'a Mutant,
    /// The first check that failed; none where it survived.
    pub detection: Option<Detection>,
    /// The time that it took.
    pub time: Duration,
}

/// The first check that failed on a mutant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Detection {
    /// The check: `own-code`, `build`, `provided`, `scenario`, `sequence` or `driver`.
    pub check: &'static str,
    /// The scenario that failed, where it was one.
    pub scenario: Option<String>,
    /// The failure, in one line.
    pub how: String,
}

impl Detection {
    fn new(check: &'static str, how: impl Into<String>) -> Self {
        Self {
            check,
            scenario: None,
            how: how.into(),
        }
    }

    /// By a compiler or linker. Its first error is shown without the place: the code there is not what is in the overlay.
    fn by_compiler(check: &'static str, what: &str, error: &ToolError) -> Self {
        let lines = error.output_text().lines();
        let mut errors = lines.filter_map(|line| line.split_once("error: "));
        let first = errors.next().map(|(_, message)| message.trim());
        Self::new(
            check,
            format!("{what}: {}", first.unwrap_or(&error.finding.message)),
        )
    }
}

/// Compiling one file of upstream's takes 45 s on a busy machine.
const COMPILE: Duration = Duration::from_secs(300);
/// A driver's process takes less than one; what takes longer does not end.
const DRIVE: Duration = Duration::from_secs(15);

impl Trial<'_> {
    /// Tries every mutant, as many at a time as there are cores. `told` hears of each when it is done.
    ///
    /// # Errors
    /// When the surroundings fail.
    pub fn run<'m>(
        &self,
        mutants: &'m [Mutant],
        told: &(dyn Fn(&Tried<'_>) + Sync),
    ) -> Result<Vec<Tried<'m>>, ToolError> {
        let upstream = self.build.build(self.tree.with(&[]))?;
        let tried = mutants.par_iter().map(|mutant| {
            let start = Instant::now();
            let tried = Tried {
                mutant,
                detection: self.detection(mutant, &upstream)?,
                time: start.elapsed(),
            };
            told(&tried);
            Ok(tried)
        });
        tried.collect()
    }

    /// Finds what detects a mutant. Whatever is made for it is gone afterwards.
    fn detection(&self, mutant: &Mutant, upstream: &Built) -> Result<Option<Detection>, ToolError> {
        let failed = |error: io::Error| ToolError::unusable(&self.build.cache, &error);
        let passing = tempfile::Builder::new()
            .prefix("mutant-")
            .tempdir_in(&self.build.cache)
            .map_err(failed)?;
        let apart = Utf8Path::from_path(passing.path())
            .ok_or_else(|| failed(io::ErrorKind::InvalidFilename.into()))?;
        let (compiling, driving) = (self.limited(COMPILE), self.limited(DRIVE));
        let build = DriverBuild {
            runner: &compiling,
            ..self.build.clone()
        };
        let checks = DriverBuild {
            cache: apart.to_owned(),
            ..build.clone()
        };
        let tree = self.tree.with(&mutant.files);
        // An error that is about the surroundings ends the trial; any other one is about the mutant.
        let noticed = |error: ToolError, detection: Detection| match error.is_not_run() {
            true => Err(error),
            false => Ok(Some(detection)),
        };
        if let Err(error) = checks.standalone_checks(tree) {
            let detection = Detection::by_compiler("own-code", "own code alone", &error);
            return noticed(error, detection);
        }
        let built = match build.build_apart(tree, apart) {
            Ok(built) => built,
            Err(error) => {
                let detection = Detection::by_compiler("build", "build", &error);
                return noticed(error, detection);
            }
        };
        let objects: Vec<Utf8PathBuf> = built.patched.values().cloned().collect();
        let provides = self.tree.overlays.iter();
        for name in provides.flat_map(|overlay| overlay.provides.values()) {
            if let Some(fault) = not_provided(&objects, name)? {
                let how = format!("provided names: {fault}");
                return Ok(Some(Detection::new("provided", how)));
            }
        }
        self.behaviour(&built, upstream, &driving).or_else(|error| {
            let detection = Detection::new("driver", error.to_string());
            noticed(error, detection)
        })
    }

    fn limited(&self, limit: Duration) -> Limited<'_> {
        Limited {
            runner: self.build.runner,
            limit,
        }
    }

    fn behaviour(
        &self,
        built: &Built,
        upstream: &Built,
        runner: &dyn Runner,
    ) -> Result<Option<Detection>, ToolError> {
        let suite = run_suite(&built.program, self.scenarios, runner)?;
        let pairs = self.scenarios.iter().zip(&suite.outcomes);
        let mut failed = pairs.filter_map(|(scenario, outcome)| match outcome {
            Outcome::Failed(mismatches) => Some((&scenario.name, mismatches.first()?)),
            Outcome::Passed | Outcome::NotRun(_) => None,
        });
        if let Some((name, saw)) = failed.next() {
            let diagnosis = suite.diagnosis.map(|one| format!(" ({one})"));
            let how = format!("scenario {name}: {saw}{}", diagnosis.unwrap_or_default());
            return Ok(Some(Detection {
                scenario: Some(name.clone()),
                ..Detection::new("scenario", how)
            }));
        }
        let differential = Differential {
            upstream: &upstream.program,
            patched: &built.program,
            has_override: suite.has_override(),
            runner,
            seed: 1,
            sequences: self.sequences,
        };
        let difference = differential.compare()?;
        Ok(difference.map(|difference| {
            let setting = difference.setting;
            let ops = setting.max_ops.map(|ops| format!(", ops limit {ops}"));
            let how = format!(
                "random sequence on {}{}, override at {}",
                setting.architecture,
                ops.unwrap_or_default(),
                setting.budget.unwrap_or(0)
            );
            Detection::new("sequence", how)
        }))
    }
}

/// A runner with less patience: a mutant may well not end.
struct Limited<'a> {
    runner: &'a dyn Runner,
    limit: Duration,
}

impl Runner for Limited<'_> {
    fn run(&self, invocation: &Invocation) -> io::Result<Finished> {
        let mut invocation = invocation.clone();
        invocation.limit = invocation.limit.min(self.limit);
        self.runner.run(&invocation)
    }
}
