//! The mutants of a tree's overlays.

use std::sync::Arc;

use patchctl_apply::BlobId;

use super::{SEQUENCES, Verifier};
use crate::cpp::Parsed;
use crate::overlay::Overlay;
use crate::patch::{Texts, macros};
use crate::toolchain::ToolError;
use crate::verify::PatchedTree;
use crate::verify::mutants::{Mutant, Trial, Tried, mutants};

/// A tree and the mutants of its overlays.
pub struct Mutants<'a> {
    tree: PatchedTree<'a>,
    all: Vec<Mutant>,
}

impl<'a> Mutants<'a> {
    /// Makes the mutants of a tree's overlays.
    ///
    /// # Errors
    /// When a file of the tree cannot be read, or is not the one that the overlays were carried onto.
    pub fn of(tree: PatchedTree<'a>) -> Result<Self, ToolError> {
        let overlays: Vec<Overlay> = tree.overlays.iter().map(|&one| one.clone()).collect();
        let macros = macros(&overlays);
        let mut texts = Texts::default();
        for file in tree.files {
            let bytes = tree.upstream(&file.path)?;
            let parsed = Arc::new(Parsed::new(&bytes, &macros));
            texts.insert(file.path.clone(), BlobId::of(&bytes), parsed);
        }
        let all = mutants(tree.files, &texts, &macros)
            .map_err(|error| ToolError::unusable(tree.root, &error))?;
        Ok(Self { tree, all })
    }

    /// Returns all of them.
    pub fn all(&self) -> &[Mutant] {
        &self.all
    }
}

impl Verifier<'_> {
    /// Tries every mutant of a tree whose overlays pass levels `compile` and `run` as they are. `told` hears of each.
    ///
    /// # Errors
    /// When the surroundings fail.
    pub fn try_mutants<'m>(
        &self,
        mutants: &'m Mutants<'_>,
        told: &(dyn Fn(&Tried<'_>) + Sync),
    ) -> Result<Vec<Tried<'m>>, ToolError> {
        let driver = self.driver()?;
        Trial {
            build: &driver.build,
            tree: mutants.tree,
            scenarios: &driver.scenarios,
            sequences: SEQUENCES,
        }
        .run(&mutants.all, told)
    }
}
