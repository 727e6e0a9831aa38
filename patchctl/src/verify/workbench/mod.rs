//! Levels `compile` and `run` on one tree, with the tools of this machine.
//!
//! A [`Workbench`] serves a whole command: it looks for its tools when the first tree needs them. What it makes is kept
//! in the cache under names that say what it was made of, so that the same tree costs nothing the next time.

mod behave;
mod compile;
mod mac;
mod metal;
mod mutate;
mod reach;
mod said;
#[cfg(test)]
mod tests;

use std::sync::OnceLock;

use camino::{Utf8Path, Utf8PathBuf};

pub use metal::MetalBuild;
pub use said::failed;

use super::Level;
use super::decode::{self, Measured, Model};
use super::run::{Built, Headers, Scenario, Subject, Workshop, suite};
use crate::embedded_sources::EmbeddedSources;
use crate::overlay::Overlay;
use crate::patch::PatchedFile;
use crate::report::{Code, Finding};
use crate::toolchain::{Compiler, Runner, ToolError, Zig};
use crate::upstream::Settings;

pub use mutate::Mutants;

/// A tree and what the overlays make of it.
#[derive(Debug, Clone, Copy)]
pub struct Case<'a> {
    /// The folder that holds `mlx/`, as upstream has it.
    pub tree: &'a Utf8Path,
    /// The patched files.
    pub files: &'a [PatchedFile],
    /// The overlays that are in them.
    pub overlays: &'a [&'a Overlay],
}

/// What was shown of a case.
#[derive(Debug, Clone, PartialEq)]
pub struct Proof {
    /// The deepest level that holds; none where the first does not.
    pub reached: Option<Level>,
    /// What does not hold.
    pub findings: Vec<Finding>,
    /// Why a level could not be looked at.
    pub not_run: Option<ToolError>,
    /// What was seen to hold, one line.
    pub seen: Vec<String>,
}

impl Proof {
    /// Takes what a check found and saw; whether all holds so far.
    fn holds(&mut self, findings: Vec<Finding>, seen: Vec<String>) -> bool {
        self.findings.extend(findings);
        self.seen.extend(seen);
        self.findings.is_empty()
    }

    /// Of a build that ended badly: it fails where the compiler did, and is not run where the surroundings did.
    pub fn of_build(error: &ToolError) -> Self {
        proof(|proof| {
            if error.is_not_run() {
                return Err(error.clone());
            }
            proof.findings.push(said::not_built(error));
            Ok(())
        })
    }
}

/// The tools, looked for when they are first needed.
pub struct Workbench<'a> {
    cache: Utf8PathBuf,
    settings: Settings,
    runner: &'a dyn Runner,
    compiler: OnceLock<Result<Compiler, ToolError>>,
    mac: OnceLock<Result<Zig, ToolError>>,
    tools: OnceLock<Result<Tools, ToolError>>,
}

/// What a driver is built with.
struct Tools {
    sources: EmbeddedSources,
    headers: Headers,
    scenarios: Vec<Scenario>,
}

/// So many random sequences are compared with upstream's, each time.
const SEQUENCES: usize = 200;

impl<'a> Workbench<'a> {
    /// Looks for nothing yet. `settings` are the sources', for the headers that packages carry.
    pub fn new(settings: Settings, runner: &'a dyn Runner) -> Self {
        Self {
            cache: settings.cache.clone(),
            settings,
            runner,
            compiler: OnceLock::new(),
            mac: OnceLock::new(),
            tools: OnceLock::new(),
        }
    }

    /// The compiler, which is all that a machine has to have of its own.
    ///
    /// # Errors
    /// When there is none, or none that is fit.
    pub fn compiler(&self) -> Result<&Compiler, ToolError> {
        let found = self.compiler.get_or_init(|| Compiler::clang(self.runner));
        found.as_ref().map_err(Clone::clone)
    }

    /// Shows what it can on host-metal, up to `depth`.
    pub fn prove(&self, case: Case<'_>, depth: Level) -> Proof {
        proof(|proof| self.on_host_metal(case, depth, proof))
    }

    /// Shows what it can of an MLX with Metal that was built from the case's files, on a Mac.
    pub fn prove_on_metal(&self, case: Case<'_>, built: MetalBuild<'_>, depth: Level) -> Proof {
        proof(|proof| self.on_metal(case, built, depth, proof))
    }

    /// The encoder with the case's files on host-metal, as a static library; kept in the cache.
    ///
    /// # Errors
    /// When it does not compile, or the surroundings fail.
    pub fn library(&self, case: Case<'_>) -> Result<Utf8PathBuf, ToolError> {
        super::run::is_fit(case.tree)?;
        let (workshop, _) = self.workshop()?;
        let patched = compile::patched(case.files);
        workshop.library(Subject {
            tree: case.tree,
            patched: &patched,
        })
    }

    /// Drives a decode model through the case's encoder on host-metal.
    ///
    /// # Errors
    /// When the tree cannot be built or driven here.
    pub fn measure(&self, case: Case<'_>, model: &Model) -> Result<Vec<Measured>, ToolError> {
        super::run::is_fit(case.tree)?;
        let (workshop, _) = self.workshop()?;
        let patched = compile::patched(case.files);
        let built = compile::build(&workshop, case.tree, &patched)?;
        decode::measure(model, &built.program, self.runner)
    }

    fn on_host_metal(
        &self,
        case: Case<'_>,
        depth: Level,
        proof: &mut Proof,
    ) -> Result<(), ToolError> {
        super::run::is_fit(case.tree)?;
        let (workshop, tools) = self.workshop()?;
        let compiled = compile::compile(&workshop, case)?;
        if !proof.holds(compiled.provided.findings, vec![compiled.provided.seen]) {
            return Ok(());
        }
        reach::all_compiled(case)?;
        self.for_mac(&workshop, case, proof)?;
        if !proof.findings.is_empty() {
            return Ok(());
        }
        proof.reached = Some(Level::Compile);
        if depth == Level::Compile {
            return Ok(());
        }
        reach::all_driven(case)?;
        let behaviour = behave::behave(&workshop, case, &compiled.built, &tools.scenarios)?;
        if proof.holds(behaviour.findings, behaviour.seen) {
            proof.reached = Some(Level::Run);
        }
        Ok(())
    }

    /// Objects for the Mac itself, where there is a zig; else it is said how to get one, and the level holds without.
    fn for_mac(
        &self,
        workshop: &Workshop<'_>,
        case: Case<'_>,
        proof: &mut Proof,
    ) -> Result<(), ToolError> {
        let mac = self.mac.get_or_init(|| Zig::find(self.runner));
        let made = mac.as_ref().map_err(Clone::clone);
        match made.and_then(|mac| mac::objects(workshop, mac, case)) {
            Ok(made) => {
                proof.holds(made.findings, vec![made.seen]);
            }
            Err(error) if error.is_not_run() => {
                let help = error.help.as_ref().map(|help| format!(" ({help})"));
                let help = help.unwrap_or_default();
                proof
                    .seen
                    .push(format!("not run: objects for macOS: {error}{help}"));
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }

    fn workshop(&self) -> Result<(Workshop<'_>, &Tools), ToolError> {
        let compiler = self.compiler()?;
        let tools = self.tools.get_or_init(|| self.find_tools());
        let tools = tools.as_ref().map_err(Clone::clone)?;
        let workshop = Workshop {
            compiler,
            sources: &tools.sources,
            headers: &tools.headers,
            flags: &[],
            cache: &self.cache,
            runner: self.runner,
        };
        Ok((workshop, tools))
    }

    fn find_tools(&self) -> Result<Tools, ToolError> {
        let headers = Headers::bring(&self.settings).map_err(|error| {
            let missing = ToolError::missing(error.to_string());
            match error.help() {
                Some(help) => missing.help(help),
                None => missing,
            }
        })?;
        Ok(Tools {
            sources: EmbeddedSources::lay_out(&self.cache)?,
            headers,
            scenarios: suite().map_err(|error| {
                ToolError::of_code(
                    Code::RunFailed,
                    format!("a scenario cannot be read: {error}"),
                )
            })?,
        })
    }
}

/// A proof as far as `show` comes: what stops it is a finding, or says that it was not run.
fn proof(show: impl FnOnce(&mut Proof) -> Result<(), ToolError>) -> Proof {
    let mut proof = Proof {
        reached: None,
        findings: Vec::new(),
        not_run: None,
        seen: Vec::new(),
    };
    if let Err(error) = show(&mut proof) {
        match error.is_not_run() {
            true => proof.not_run = Some(error),
            false => proof.findings.push(said::failed(&error)),
        }
    }
    proof
}
