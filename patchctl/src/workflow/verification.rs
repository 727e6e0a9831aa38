//! Levels `compile` and `run` for a command: which were asked for, what they show, and what could not be looked at.

use patchctl_apply::Proven;

use crate::report::{Code, Error, Exit, Finding, ReleaseResult, Report, Status};
use crate::toolchain::ToolError;
use crate::upstream::Working;
use crate::verify::decode::{Model, compare};
use crate::verify::run::{nothing_run, suite_digest};
use crate::verify::verifier::{Proof, Verifier};
use crate::verify::{Level, PatchedTree};

use super::build::metal;
use super::patched_revision::PatchedRevision;
use super::step_text::host_kind;
use super::{Context, mutants};

/// The levels above `structure`, as a command was asked for them.
pub(super) struct Verification<'a> {
    context: &'a Context,
    asked: Option<Level>,
    verifier: Verifier<'a>,
}

impl<'a> Verification<'a> {
    pub fn new(context: &'a Context, asked: Option<Level>) -> Self {
        let verifier = Verifier::new(context.source_settings(), &context.programs);
        Self {
            context,
            asked,
            verifier,
        }
    }

    /// The highest level to prove.
    fn target(&self) -> Level {
        self.asked.unwrap_or(Level::Run)
    }

    fn with_mutants(&self) -> bool {
        self.target() == Level::Mutants
    }

    /// Returns the tool that this machine lacks for the levels above `structure`; `None` if none is known to be missing.
    pub fn lacks(&self) -> Option<ToolError> {
        self.verifier.compiler().err()
    }

    /// Proves as far as was asked for and tells it in `result`, which passed level `structure`, and in the report.
    ///
    /// # Errors
    /// When the source cannot give the tree.
    pub fn prove(
        &self,
        patched: PatchedRevision<'_>,
        result: &mut ReleaseResult,
        report: &mut Report,
    ) -> Result<Exit, Error> {
        let Some(error) = self.show(patched, result)? else {
            return match result.status {
                Status::Passed if self.with_mutants() => {
                    self.with_tree(patched, |verifier, tree| {
                        mutants::try_all(verifier, tree, &self.context.progress, result, report)
                    })
                }
                Status::Passed => Ok(Exit::Success),
                _ => Ok(Exit::Check),
            };
        };
        let reached = Level::named(&result.level);
        let is_missing = |level: &Level| Some(*level) > reached && *level <= self.target();
        for level in Level::ALL.into_iter().filter(is_missing) {
            report.not_run_on(
                level.name(),
                error.to_string(),
                error.finding.help.clone(),
                &result.release,
            );
        }
        Ok(match self.asked {
            // A missing tool leaves a level out; a broken one must be repaired.
            None | Some(Level::Structure) if !error.is_broken() => Exit::Success,
            _ => Exit::Surroundings,
        })
    }

    /// Proves as far as was asked for and tells it in `result`. Gives what stood in the way of a level.
    ///
    /// # Errors
    /// When the source cannot give the tree.
    pub fn show(
        &self,
        patched: PatchedRevision<'_>,
        result: &mut ReleaseResult,
    ) -> Result<Option<ToolError>, Error> {
        let level = self.target().min(Level::Run);
        if level == Level::Structure {
            return Ok(None);
        }
        let what = format!("compiling and driving the encoder of {}", result.release);
        let _working = Working::on(&self.context.progress, &what);
        let proof = self.with_tree(patched, |verifier, tree| match metal::is_here() {
            true => self.on_metal(patched, tree, level, &result.release),
            false => Ok(verifier.prove(tree, None, level)),
        })??;
        if let Some(reached) = proof.reached {
            reached.name().clone_into(&mut result.level);
        }
        result.shown.extend(proof.seen);
        if !proof.findings.is_empty() {
            let failed = match proof.reached {
                None => Level::Compile,
                Some(_) => Level::Run,
            };
            failed.name().clone_into(&mut result.level);
            result.status = Status::Failed;
            result.findings.extend(proof.findings);
        }
        Ok(proof.not_run)
    }

    /// Does something with the revision's files laid out.
    ///
    /// # Errors
    /// When the source cannot give the tree.
    pub fn with_tree<T>(
        &self,
        patched: PatchedRevision<'_>,
        act: impl FnOnce(&Verifier<'_>, PatchedTree<'_>) -> T,
    ) -> Result<T, Error> {
        let (revision, source) = (&patched.found.revision, &patched.found.source);
        let key = revision.tree.as_deref();
        let tree = self.context.store().kept("upstream-trees", key, |into| {
            source.materialise(revision, into)
        })?;
        let tree = PatchedTree {
            root: &tree.path,
            files: patched.files,
            overlays: patched.overlays,
        };
        Ok(act(&self.verifier, tree))
    }

    /// Drives a decode model through the encoder, and tells in `result` what was counted and whether it holds. Gives what
    /// stood in the way.
    ///
    /// # Errors
    /// When the source cannot give the tree.
    pub fn measure(
        &self,
        patched: PatchedRevision<'_>,
        model: &Model,
        result: &mut ReleaseResult,
    ) -> Result<Option<ToolError>, Error> {
        if metal::is_here() {
            return Ok(Some(nothing_run(
                "a decode model runs on host-metal, on Linux",
            )));
        }
        let what = format!(
            "decoding {} on the encoder of {}",
            model.name, result.release
        );
        let _working = Working::on(&self.context.progress, &what);
        let measured = self.with_tree(patched, |verifier, tree| verifier.measure(tree, model))?;
        let findings = match measured {
            Ok(measured) => {
                result.shown.extend(model.caption());
                result.measured = measured
                    .iter()
                    .flat_map(|one| one.reported(model))
                    .collect();
                compare(model, &measured)
            }
            Err(error) if error.is_not_run() => return Ok(Some(error)),
            Err(error) => vec![error.reported()],
        };
        if !findings.is_empty() {
            result.status = Status::Failed;
            result.findings.extend(findings);
        }
        Ok(None)
    }

    /// On a Mac the encoder is Metal's own, in an MLX that CMake builds from the patched tree.
    fn on_metal(
        &self,
        patched: PatchedRevision<'_>,
        tree: PatchedTree<'_>,
        level: Level,
        release: &str,
    ) -> Result<Proof, Error> {
        let proof = metal::with_patched(self.context, patched, release, |built| {
            self.verifier.prove(tree, Some(built), level)
        });
        match proof {
            Ok(proof) => Ok(proof),
            Err(stopped) => Ok(Proof::default().ended(Err(stopped.row()?))),
        }
    }

    /// Notes, where mutants were asked for, that a result which does not hold as it is has had none.
    pub fn note_untried(&self, result: &ReleaseResult, report: &mut Report) {
        let holds = matches!(result.status, Status::Passed | Status::Unsupported);
        if self.with_mutants() && !holds && result.level != Level::Mutants.name() {
            report.not_run_on(
                Level::Mutants.name(),
                "the overlays do not hold as they are".to_owned(),
                None,
                &result.release,
            );
        }
    }
}

/// Returns the proofs that the lock records for a result: every level up to the one that was reached.
pub(super) fn proven(result: &ReleaseResult) -> Vec<Proven> {
    let reached = Level::named(&result.level).unwrap_or(Level::Structure);
    let levels = Level::ALL.into_iter().take_while(|level| *level <= reached);
    levels
        .map(|level| Proven {
            level: level.name().to_owned(),
            host: host_kind(),
            by: format!("patchctl {}", env!("CARGO_PKG_VERSION")),
            suite: (level >= Level::Run).then(suite_digest),
        })
        .collect()
}

/// Returns the finding that says why a pin was not run.
pub(super) fn no_real_backend(error: &ToolError) -> Finding {
    Finding::new(
        Code::NoRealBackend,
        format!("no real backend here: {error}"),
    )
    .help(error.finding.help.clone())
    .excerpt(error.finding.excerpt.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn level_proves_levels_below() {
        let levels = |level: &str| {
            let result = ReleaseResult::new("1.0.0", "", level);
            let proven = proven(&result).into_iter().map(|one| one.level);
            proven.collect::<Vec<_>>().join(" ")
        };
        assert_eq!(levels("compile"), "structure compile");
        assert_eq!(levels("mutants"), "structure compile run mutants");
    }
}
