//! The mutants of a case.

use std::sync::Arc;

use patchctl_apply::BlobId;

use super::{Case, SEQUENCES, Workbench};
use crate::cpp::Parsed;
use crate::overlay::Overlay;
use crate::patch::{Texts, macros};
use crate::toolchain::ToolError;
use crate::verify::mutants::{Mutant, Trial, Tried, mutants};

/// A case and its mutants.
pub struct Mutants<'a> {
    case: Case<'a>,
    texts: Texts,
    all: Vec<Mutant>,
}

impl<'a> Mutants<'a> {
    /// Makes the mutants of a case.
    ///
    /// # Errors
    /// When a file of the tree cannot be read, or is not the one that the overlays were carried onto.
    pub fn of(case: Case<'a>) -> Result<Self, ToolError> {
        let overlays: Vec<Overlay> = case.overlays.iter().map(|&one| one.clone()).collect();
        let macros = macros(&overlays);
        let mut texts = Texts::default();
        for file in case.files {
            let bytes = fs_err::read(case.tree.join(&file.path))
                .map_err(|error| ToolError::unusable(&file.path, &error))?;
            let parsed = Arc::new(Parsed::new(&bytes, &macros));
            texts.insert(file.path.clone(), BlobId::of(&bytes), parsed);
        }
        let all = mutants(case.files, &texts, &macros)
            .map_err(|error| ToolError::unusable(case.tree, &error))?;
        Ok(Self { case, texts, all })
    }

    /// All of them.
    pub fn all(&self) -> &[Mutant] {
        &self.all
    }
}

impl Workbench<'_> {
    /// Tries every mutant of a case whose overlays pass levels `compile` and `run` as they are. `told` hears of each.
    ///
    /// # Errors
    /// When the surroundings fail.
    pub fn try_mutants<'m>(
        &self,
        mutants: &'m Mutants<'_>,
        told: &(dyn Fn(&Tried<'_>) + Sync),
    ) -> Result<Vec<Tried<'m>>, ToolError> {
        let (workshop, tools) = self.workshop()?;
        let provides: Vec<&str> = mutants
            .case
            .overlays
            .iter()
            .flat_map(|overlay| overlay.provides.values())
            .map(|name| &**name)
            .collect();
        Trial {
            workshop: &workshop,
            tree: mutants.case.tree,
            texts: &mutants.texts,
            provides: &provides,
            scenarios: &tools.scenarios,
            sequences: SEQUENCES,
        }
        .run(&mutants.all, told)
    }
}
