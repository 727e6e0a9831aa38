//! The name of something that is kept, which says what it was made of.

use camino::Utf8PathBuf;
use sha2::{Digest, Sha256};

use crate::toolchain::{ToolError, files, read};
use crate::verify::PatchedTree;

/// A digest of pieces, such that no two lists of pieces look the same.
#[derive(Clone, Default)]
pub(super) struct Key(Sha256);

impl Key {
    pub(super) fn add(&mut self, piece: impl AsRef<[u8]>) {
        let piece = piece.as_ref();
        self.0.update((piece.len() as u64).to_le_bytes());
        self.0.update(piece);
    }

    pub(super) fn of<T: AsRef<[u8]>>(pieces: impl IntoIterator<Item = T>) -> Self {
        let mut key = Self::default();
        pieces.into_iter().for_each(|piece| key.add(piece));
        key
    }

    /// Adds files of ours. Their names alone would do: where they lie is part of no object.
    pub(super) fn add_files(&mut self, paths: &[Utf8PathBuf]) -> Result<(), ToolError> {
        for path in paths {
            self.add(path.file_name().unwrap_or_default());
            self.add(read(path)?);
        }
        Ok(())
    }

    /// Adds every header of the tree as it is seen: the compiler alone knows which of them a file includes.
    pub(super) fn add_headers(&mut self, tree: PatchedTree<'_>) -> Result<(), ToolError> {
        for path in files(&tree.root.join("mlx"))? {
            let inside = path.strip_prefix(tree.root).unwrap_or(&path);
            if path.extension() == Some("h") && tree.patched(inside).is_none() {
                self.add(inside.as_str());
                self.add(read(&path)?);
            }
        }
        for file in tree.files {
            if file.path.extension() == Some("h") {
                self.add(file.path.as_str());
                self.add(&file.bytes);
            }
        }
        Ok(())
    }

    pub(super) fn name(self) -> String {
        patchctl_apply::hex(&self.0.finalize())
    }
}
