//! The files of a folder.

use camino::{Utf8Path, Utf8PathBuf};

use super::ToolError;

/// Lists all files under a folder, sorted by path.
///
/// # Errors
/// When a folder cannot be read.
pub(crate) fn files(folder: &Utf8Path) -> Result<Vec<Utf8PathBuf>, ToolError> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let failed = |error| ToolError::unusable(&folder, &error);
        for entry in folder.read_dir_utf8().map_err(failed)? {
            let entry = entry.map_err(failed)?;
            match entry.file_type().map_err(failed)?.is_dir() {
                true => folders.push(entry.into_path()),
                false => found.push(entry.into_path()),
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Reads a file that a tool needs or has made.
///
/// # Errors
/// When it cannot be read.
pub(crate) fn read(path: &Utf8Path) -> Result<Vec<u8>, ToolError> {
    fs_err::read(path).map_err(|error| ToolError::unusable(path, &error))
}
