//! A revision with the files that the overlays make of it.

use std::sync::Arc;

use crate::overlay::Overlay;
use crate::patch::PatchedFile;
use crate::store::Kept;
use crate::upstream::{Resolved, Source};
use crate::verify::PatchedTree;

/// A revision with its patched files.
pub(super) struct PatchedRevision<'a> {
    pub revision: &'a Resolved,
    pub source: &'a Arc<dyn Source>,
    pub files: &'a [PatchedFile],
    pub overlays: &'a [&'a Overlay],
}

impl<'a> PatchedRevision<'a> {
    /// The same, in a tree that was laid out.
    pub(super) fn in_tree(&self, tree: &'a Kept) -> PatchedTree<'a> {
        PatchedTree {
            root: &tree.path,
            files: self.files,
            overlays: self.overlays,
        }
    }
}
