//! Tries mutants: each goes through the checks from the cheapest on, and the first that fails has noticed it.

use std::collections::BTreeMap;
use std::io;
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use rayon::prelude::*;

use crate::patch::Texts;
use crate::toolchain::{Finished, Invocation, Runner, ToolError};
use crate::verify::compile::{not_provided, own_code};
use crate::verify::run::{
    Built, Differential, Ended, Outcome, Scenario, Subject, Workshop, diagnose, drive, judge,
};

use super::generate::Mutant;
use super::killer::Killer;

/// A tree, and the checks that its mutants go through. The overlays without a fault have to pass them.
pub struct Trial<'a> {
    /// Builds them.
    pub workshop: &'a Workshop<'a>,
    /// The folder that holds `mlx/`, as upstream has it.
    pub tree: &'a Utf8Path,
    /// Upstream's files that the overlays change.
    pub texts: &'a Texts,
    /// The names that the overlays provide.
    pub provides: &'a [&'a str],
    /// The suite.
    pub scenarios: &'a [Scenario],
    /// How many random sequences are compared with upstream's.
    pub sequences: usize,
}

/// A mutant and what came of it.
#[derive(Debug, Clone)]
pub struct Tried<'a> {
    /// The mutant.
    pub mutant: &'a Mutant,
    /// What noticed it; none where it survived.
    pub killer: Option<Killer>,
    /// How long it took.
    pub time: Duration,
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
        let nothing = BTreeMap::new();
        let upstream = self.workshop.build(Subject {
            tree: self.tree,
            patched: &nothing,
        })?;
        let tried = mutants.par_iter().map(|mutant| {
            let start = Instant::now();
            let tried = Tried {
                mutant,
                killer: self.killer(mutant, &upstream)?,
                time: start.elapsed(),
            };
            told(&tried);
            Ok(tried)
        });
        tried.collect()
    }

    /// What notices a mutant. Whatever is made for it is gone afterwards.
    fn killer(&self, mutant: &Mutant, upstream: &Built) -> Result<Option<Killer>, ToolError> {
        let failed = |error: io::Error| ToolError::unusable(self.workshop.cache, &error);
        let passing = tempfile::Builder::new()
            .prefix("mutant-")
            .tempdir_in(self.workshop.cache)
            .map_err(failed)?;
        let apart = Utf8Path::from_path(passing.path())
            .ok_or_else(|| failed(io::ErrorKind::InvalidFilename.into()))?;
        let (compiling, driving) = (self.limited(COMPILE), self.limited(DRIVE));
        let workshop = Workshop {
            runner: &compiling,
            ..*self.workshop
        };
        if let Some(error) = noticed(self.own_code(mutant, &workshop, apart))? {
            return Ok(Some(Killer::OwnCode(error)));
        }
        let patched = mutant.files.iter();
        let patched = patched
            .map(|file| (file.path.clone(), file.bytes.clone()))
            .collect();
        let subject = Subject {
            tree: self.tree,
            patched: &patched,
        };
        let built = match workshop.build_apart(subject, apart) {
            Ok(built) => built,
            Err(error) if error.is_not_run() => return Err(error),
            Err(error) => return Ok(Some(Killer::Build(error))),
        };
        let objects: Vec<Utf8PathBuf> = built.patched.values().cloned().collect();
        for name in self.provides {
            if let Some(fault) = not_provided(&objects, name)? {
                return Ok(Some(Killer::Provided(fault)));
            }
        }
        let behaved = self
            .behaviour(&built, &driving)
            .and_then(|behaved| match behaved.killer {
                None => self.difference(&built, behaved.has_override, upstream, &driving),
                killer => Ok(killer),
            });
        match behaved {
            Err(error) if !error.is_not_run() => Ok(Some(Killer::Driver(error))),
            ended => ended,
        }
    }

    fn limited(&self, limit: Duration) -> Limited<'_> {
        Limited {
            runner: self.workshop.runner,
            limit,
        }
    }

    fn own_code(
        &self,
        mutant: &Mutant,
        workshop: &Workshop<'_>,
        apart: &Utf8Path,
    ) -> Result<(), ToolError> {
        let workshop = Workshop {
            cache: apart,
            ..*workshop
        };
        for file in &mutant.files {
            let upstream = self.texts.get(&file.path);
            if let Some(code) = upstream.and_then(|text| own_code(&text.parsed, &file.splices)) {
                workshop.own_code(self.tree, &file.path, &code)?;
            }
        }
        Ok(())
    }

    fn behaviour(&self, built: &Built, runner: &dyn Runner) -> Result<Behaved, ToolError> {
        let mut has_override = false;
        let mut outcomes = Vec::new();
        for group in self.scenarios.chunk_by(Scenario::shares_process) {
            let observed = drive(&built.program, group, runner)?;
            let pairs = group.iter().zip(&observed);
            outcomes.extend(pairs.map(|(scenario, seen)| judge(scenario, seen)));
            let mut devices = observed.iter().filter_map(|one| one.device.as_ref());
            has_override |= devices.any(|device| device.has_override);
            // The next would hang as well, each to its limit.
            if observed.iter().any(|one| one.ended == Ended::Hangs) {
                break;
            }
        }
        let pairs = self.scenarios.iter().zip(&outcomes);
        let mut failed = pairs.filter_map(|(scenario, outcome)| match outcome {
            Outcome::Failed(mismatches) => Some((&scenario.name, mismatches.first()?)),
            Outcome::Passed | Outcome::NotRun(_) => None,
        });
        let killer = failed.next().map(|(name, saw)| Killer::Scenario {
            name: name.clone(),
            saw: saw.clone(),
            diagnosis: diagnose(&self.scenarios[..outcomes.len()], &outcomes),
        });
        Ok(Behaved {
            killer,
            has_override,
        })
    }

    fn difference(
        &self,
        built: &Built,
        has_override: bool,
        upstream: &Built,
        runner: &dyn Runner,
    ) -> Result<Option<Killer>, ToolError> {
        let differential = Differential {
            upstream: &upstream.program,
            patched: &built.program,
            has_override,
            runner,
            seed: 1,
            sequences: self.sequences,
        };
        let difference = differential.compare()?;
        Ok(difference.map(|difference| Killer::Sequence(difference.setting)))
    }
}

/// What the scenarios say.
struct Behaved {
    killer: Option<Killer>,
    has_override: bool,
}

/// An error that is about the mutant; one about the surroundings stays one.
fn noticed(ended: Result<(), ToolError>) -> Result<Option<ToolError>, ToolError> {
    match ended {
        Ok(()) => Ok(None),
        Err(error) if error.is_not_run() => Err(error),
        Err(error) => Ok(Some(error)),
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
