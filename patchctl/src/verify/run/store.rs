//! What was made is kept under a name that says what it was made of.

use std::fmt::Write as _;

use camino::{Utf8Path, Utf8PathBuf};
use sha2::{Digest, Sha256};

use super::error::RunError;
use super::kit::files;
use super::workshop::Subject;

/// Files of ours. Their names alone would do: where they lie is part of no object.
pub(super) fn add_files(digest: &mut Sha256, paths: &[Utf8PathBuf]) -> Result<(), RunError> {
    for path in paths {
        add(digest, path.file_name().unwrap_or_default().as_bytes());
        add(digest, &read(path)?);
    }
    Ok(())
}

/// Makes a file under a passing name and renames it: in the cache it is whole or not there.
pub(super) fn into_place(
    path: &Utf8Path,
    make: impl FnOnce(&Utf8Path) -> Result<(), RunError>,
) -> Result<(), RunError> {
    let failed = |error| RunError::unreadable(path, &error);
    let folder = path.parent().unwrap_or(Utf8Path::new("."));
    fs_err::create_dir_all(folder).map_err(failed)?;
    let unfinished = tempfile::Builder::new()
        .prefix(".unfinished-")
        .suffix(".o")
        .tempfile_in(folder)
        .map_err(failed)?
        .into_temp_path();
    let name = Utf8Path::from_path(&unfinished).ok_or_else(|| RunError::File {
        path: folder.to_owned(),
        why: "its name is no UTF-8".to_owned(),
    })?;
    make(name)?;
    // Renamed and not persisted: the linker replaces the file, with its own permissions.
    fs_err::rename(name, path).map_err(failed)
}

pub(super) fn read(path: &Utf8Path) -> Result<Vec<u8>, RunError> {
    fs_err::read(path).map_err(|error| RunError::unreadable(path, &error))
}

/// Writes a file unless it is there with these bytes.
pub(super) fn write(path: &Utf8Path, bytes: &[u8]) -> Result<(), RunError> {
    if fs_err::read(path).is_ok_and(|there| there == bytes) {
        return Ok(());
    }
    into_place(path, |unfinished| {
        fs_err::write(unfinished, bytes).map_err(|error| RunError::unreadable(path, &error))
    })
}

/// Adds a piece so that no two lists of pieces look the same.
pub(super) fn add(digest: &mut Sha256, piece: &[u8]) {
    digest.update((piece.len() as u64).to_le_bytes());
    digest.update(piece);
}

pub(super) fn hex(digest: Sha256) -> String {
    let mut text = String::new();
    for byte in digest.finalize() {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// Every header of the tree as it is seen: which of them a file includes is the compiler's business.
pub(super) fn add_headers(digest: &mut Sha256, subject: Subject<'_>) -> Result<(), RunError> {
    for path in files(&subject.tree.join("mlx"))? {
        let inside = path.strip_prefix(subject.tree).unwrap_or(&path);
        if path.extension() == Some("h") && !subject.patched.contains_key(inside) {
            add(digest, inside.as_str().as_bytes());
            add(digest, &read(&path)?);
        }
    }
    for (path, bytes) in subject.patched {
        if path.extension() == Some("h") {
            add(digest, path.as_str().as_bytes());
            add(digest, bytes);
        }
    }
    Ok(())
}
