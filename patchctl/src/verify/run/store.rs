//! What was made is kept under a name that says what it was made of.

use camino::{Utf8Path, Utf8PathBuf};
use sha2::{Digest, Sha256};

use crate::store::Cache;
use crate::toolchain::{ToolError, files};
use crate::verify::PatchedTree;

/// Files of ours. Their names alone would do: where they lie is part of no object.
pub(super) fn add_files(digest: &mut Sha256, paths: &[Utf8PathBuf]) -> Result<(), ToolError> {
    for path in paths {
        add(digest, path.file_name().unwrap_or_default().as_bytes());
        add(digest, &read(path)?);
    }
    Ok(())
}

pub(super) fn read(path: &Utf8Path) -> Result<Vec<u8>, ToolError> {
    fs_err::read(path).map_err(|error| ToolError::unusable(path, &error))
}

/// Writes a file of the cache at `root` unless it is there with these bytes.
pub(super) fn write(root: &Utf8Path, path: &Utf8Path, bytes: &[u8]) -> Result<(), ToolError> {
    if fs_err::read(path).is_ok_and(|there| there == bytes) {
        return Ok(());
    }
    let written = Cache::quiet(root).write(path, bytes);
    written.map_err(|error| ToolError::unusable(path, &error))
}

/// Adds a piece so that no two lists of pieces look the same.
pub(super) fn add(digest: &mut Sha256, piece: &[u8]) {
    digest.update((piece.len() as u64).to_le_bytes());
    digest.update(piece);
}

pub(super) fn hex(digest: Sha256) -> String {
    patchctl_apply::hex(&digest.finalize())
}

/// Adds every header of the tree as it is seen: the compiler alone knows which of them a file includes.
pub(super) fn add_headers(digest: &mut Sha256, tree: PatchedTree<'_>) -> Result<(), ToolError> {
    for path in files(&tree.root.join("mlx"))? {
        let inside = path.strip_prefix(tree.root).unwrap_or(&path);
        if path.extension() == Some("h") && tree.patched(inside).is_none() {
            add(digest, inside.as_str().as_bytes());
            add(digest, &read(&path)?);
        }
    }
    for file in tree.files {
        if file.path.extension() == Some("h") {
            add(digest, file.path.as_str().as_bytes());
            add(digest, &file.bytes);
        }
    }
    Ok(())
}
