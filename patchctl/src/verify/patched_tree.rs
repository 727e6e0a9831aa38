//! A revision with its patched files.

use std::sync::Arc;

use camino::Utf8Path;
use patchctl_apply::BlobId;

use crate::cpp::Parsed;
use crate::overlay::Overlay;
use crate::patch::{PatchedFile, Texts};
use crate::toolchain::ToolError;

/// A revision's tree on disk, and the files that overlays patch in it.
#[derive(Debug, Clone, Copy)]
pub struct PatchedTree<'a> {
    /// The folder that holds `mlx/`, as upstream has it.
    pub root: &'a Utf8Path,
    /// The patched files.
    pub files: &'a [PatchedFile],
    /// The overlays that are in them.
    pub overlays: &'a [&'a Overlay],
}

impl<'a> PatchedTree<'a> {
    /// Returns the same tree with other files in the place of the patched ones; none leave upstream alone.
    pub fn with(self, files: &'a [PatchedFile]) -> Self {
        Self { files, ..self }
    }

    /// Returns a patched file's bytes.
    pub(super) fn patched(&self, path: &Utf8Path) -> Option<&'a [u8]> {
        let file = self.files.iter().find(|file| file.path == path)?;
        Some(&file.bytes)
    }

    /// Returns the patched files with upstream's own bytes, so that they are compiled as the patched ones are.
    pub(super) fn untouched(&self) -> Result<Vec<PatchedFile>, ToolError> {
        let files = self.files.iter().map(|file| {
            Ok(PatchedFile {
                bytes: self.upstream(&file.path)?,
                ..file.clone()
            })
        });
        files.collect()
    }

    /// Reads a file as upstream has it.
    pub(super) fn upstream(&self, path: &Utf8Path) -> Result<Vec<u8>, ToolError> {
        fs_err::read(self.root.join(path)).map_err(|error| ToolError::unusable(path, &error))
    }

    /// Reads the patched files as upstream has them, each as each of its overlays reads it.
    pub(super) fn upstream_texts(&self) -> Result<Texts, ToolError> {
        let mut texts = Texts::default();
        for file in self.files {
            let bytes = self.upstream(&file.path)?;
            for overlay in self.overlays {
                let parsed = Arc::new(Parsed::new(&bytes, &overlay.reading(&file.path)));
                texts.insert(file.path.clone(), BlobId::of(&bytes), parsed);
            }
        }
        Ok(texts)
    }
}

/// Returns true for a file that the compiler is started on.
pub(super) fn is_source(path: &Utf8Path) -> bool {
    matches!(path.extension(), Some("cpp" | "cc" | "cxx"))
}
