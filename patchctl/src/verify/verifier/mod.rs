//! Levels `compile` and `run` on one tree, with the tools of this machine.
//!
//! A [`Verifier`] serves a whole command: it looks for its tools when the first tree needs them. What it makes is kept
//! in the cache under names that say what it was made of, so that the same tree costs nothing the next time.

mod behaviour;
mod compile;
mod metal;
#[cfg(test)]
mod tests;

use std::sync::OnceLock;

use camino::Utf8PathBuf;

pub use metal::MetalBuild;

use super::decode::{self, Measured, Model};
use super::mutants::Trial;
use super::run::{DriverBuild, Headers, Scenario, has_thread_local_tracing, suite};
use super::{Level, PatchedTree};
use crate::embedded_sources::EmbeddedSources;
use crate::report::{Code, Finding};
use crate::toolchain::{Compiler, Runner, ToolError, Zig};
use crate::upstream::Settings;

/// The proof of a tree.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Proof {
    /// The highest level that holds; none where the first does not.
    pub reached: Option<Level>,
    /// Faults of the code.
    pub findings: Vec<Finding>,
    /// The reason for which a level could not be looked at.
    pub not_run: Option<ToolError>,
    /// Lines about what holds.
    pub seen: Vec<String>,
}

impl Proof {
    /// Takes an error for what it is: a finding about the code, or the reason why a level was not run.
    pub fn ended(mut self, shown: Result<(), ToolError>) -> Self {
        match shown {
            Ok(()) => {}
            Err(error) if error.is_not_run() => self.not_run = Some(error),
            Err(error) => self.findings.push(error.reported()),
        }
        self
    }

    /// Notes that a level holds, unless something was found. Returns true if `highest` asks for more.
    fn reaches(&mut self, level: Level, highest: Level) -> bool {
        if self.findings.is_empty() {
            self.reached = Some(level);
        }
        self.findings.is_empty() && level < highest
    }
}

/// Verifies trees, with tools that are looked for when they are first needed.
pub struct Verifier<'a> {
    settings: Settings,
    runner: &'a dyn Runner,
    compiler: OnceLock<Result<Compiler, ToolError>>,
    zig: OnceLock<Result<Zig, ToolError>>,
    driver: OnceLock<Result<Driver<'a>, ToolError>>,
}

/// The driver's parts.
struct Driver<'a> {
    build: DriverBuild<'a>,
    scenarios: Vec<Scenario>,
}

/// The number of random sequences that are compared with upstream's.
const SEQUENCES: usize = 200;

impl<'a> Verifier<'a> {
    /// Looks for nothing yet. `settings` are the sources', for the headers that packages carry.
    pub fn new(settings: Settings, runner: &'a dyn Runner) -> Self {
        Self {
            settings,
            runner,
            compiler: OnceLock::new(),
            zig: OnceLock::new(),
            driver: OnceLock::new(),
        }
    }

    /// Finds the compiler, which is all that a machine has to have of its own.
    ///
    /// # Errors
    /// When there is none, or none that is fit.
    pub fn compiler(&self) -> Result<&Compiler, ToolError> {
        let found = self.compiler.get_or_init(|| Compiler::clang(self.runner));
        found.as_ref().map_err(Clone::clone)
    }

    /// Proves what it can up to `highest`: on host-metal, or with an MLX with Metal that was built from the tree's files on a
    /// Mac.
    pub fn prove(
        &self,
        tree: PatchedTree<'_>,
        metal: Option<MetalBuild<'_>>,
        highest: Level,
    ) -> Proof {
        let mut proof = Proof::default();
        let shown = match metal {
            None => self.on_host_metal(tree, highest, &mut proof),
            Some(built) => self.on_metal(tree, built, highest, &mut proof),
        };
        proof.ended(shown)
    }

    /// Builds the encoder with the patched files on host-metal, as a static library that is kept in the cache.
    ///
    /// # Errors
    /// When it does not compile, or the surroundings fail.
    pub fn library(&self, tree: PatchedTree<'_>) -> Result<Utf8PathBuf, ToolError> {
        has_thread_local_tracing(tree.root)?;
        self.driver()?.build.library(tree)
    }

    /// Drives a decode model through the encoder on host-metal.
    ///
    /// # Errors
    /// When the tree cannot be built or driven here.
    pub fn measure(
        &self,
        tree: PatchedTree<'_>,
        model: &Model,
    ) -> Result<Vec<Measured>, ToolError> {
        has_thread_local_tracing(tree.root)?;
        let built = compile::build(&self.driver()?.build, tree)?;
        decode::measure(model, &built.program, self.runner)
    }

    /// Returns the trial of a tree's mutants.
    ///
    /// # Errors
    /// When the surroundings fail.
    pub fn trial<'t>(&'t self, tree: PatchedTree<'t>) -> Result<Trial<'t>, ToolError> {
        let driver = self.driver()?;
        Ok(Trial {
            build: &driver.build,
            tree,
            scenarios: &driver.scenarios,
            sequences: SEQUENCES,
        })
    }

    fn on_host_metal(
        &self,
        tree: PatchedTree<'_>,
        highest: Level,
        proof: &mut Proof,
    ) -> Result<(), ToolError> {
        has_thread_local_tracing(tree.root)?;
        let driver = self.driver()?;
        driver.build.standalone_checks(tree)?;
        let built = compile::build(&driver.build, tree)?;
        let objects: Vec<Utf8PathBuf> = built.patched.values().cloned().collect();
        compile::provided(tree, &objects, proof)?;
        if !proof.findings.is_empty() {
            return Ok(());
        }
        compile::all_compiled(tree)?;
        self.for_macos(&driver.build, tree, proof)?;
        if proof.reaches(Level::Compile, highest) {
            compile::all_driven(tree)?;
            let upstream = || Ok(driver.build.build(tree.with(&[]))?.program);
            behaviour::behave(driver, &built.program, Some(&upstream), proof)?;
            proof.reaches(Level::Run, highest);
        }
        Ok(())
    }

    /// Makes objects for macOS where there is a zig; else it is said how to get one, and the level holds without.
    fn for_macos(
        &self,
        build: &DriverBuild<'_>,
        tree: PatchedTree<'_>,
        proof: &mut Proof,
    ) -> Result<(), ToolError> {
        let zig = self.zig.get_or_init(|| Zig::find(self.runner));
        let zig = zig.as_ref().map_err(Clone::clone);
        match zig.and_then(|zig| compile::for_macos(build, zig, tree, proof)) {
            Err(error) if error.is_not_run() => {
                let help = error.advice().map(|help| format!(" ({help})"));
                let help = help.unwrap_or_default();
                let line = format!("not run: objects for macOS: {error}{help}");
                proof.seen.push(line);
                Ok(())
            }
            ended => ended,
        }
    }

    fn driver(&self) -> Result<&Driver<'a>, ToolError> {
        let driver = self.driver.get_or_init(|| self.find_driver());
        driver.as_ref().map_err(Clone::clone)
    }

    fn find_driver(&self) -> Result<Driver<'a>, ToolError> {
        Ok(Driver {
            build: DriverBuild {
                compiler: self.compiler()?.clone(),
                headers: Headers::bring(&self.settings)?,
                sources: EmbeddedSources::lay_out(&self.settings.cache)?,
                flags: Vec::new(),
                cache: self.settings.cache.clone(),
                runner: self.runner,
            },
            scenarios: suite().map_err(|error| {
                ToolError::of_code(
                    Code::RunFailed,
                    format!("a scenario cannot be read: {error}"),
                )
            })?,
        })
    }
}
