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
            let kind = entry.file_type().map_err(failed)?;
            if kind.is_dir() {
                folders.push(entry.into_path());
            } else {
                found.push(entry.into_path());
            }
        }
    }
    found.sort();
    Ok(found)
}
