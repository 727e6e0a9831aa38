//! Files with the edits of their landings put in.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};
use patchctl_apply::{BlobId, Splice, markers};

use super::landing::Landing;
use super::texts::Texts;

/// A file before and after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatchedFile {
    /// Its path.
    pub path: Utf8PathBuf,
    /// Upstream's blob.
    pub before: BlobId,
    /// The patched one.
    pub after: BlobId,
    /// The patched bytes.
    pub bytes: Vec<u8>,
    /// The splices that lead from one to the other, in order of offset.
    pub splices: Vec<Splice>,
}

/// Puts the edits of each file in. The landings come in the order in which overlays are applied.
///
/// # Errors
/// When two edits overlap, for a reader.
pub(super) fn write<'a>(
    landings: impl IntoIterator<Item = &'a Landing>,
    texts: &Texts,
) -> Result<Vec<PatchedFile>, String> {
    let mut by_file: BTreeMap<&Utf8Path, Vec<&Landing>> = BTreeMap::new();
    for landing in landings {
        by_file.entry(&landing.file).or_default().push(landing);
    }
    let mut files = Vec::new();
    for (path, landings) in by_file {
        let Some(text) = texts.get(path) else {
            continue;
        };
        let placed = landings
            .iter()
            .map(|landing| landing.placed.clone())
            .collect();
        let splices = markers::arrange(placed).map_err(|error| error.to_string())?;
        let bytes = patchctl_apply::splice(path.as_str(), text.parsed.text(), &splices)
            .map_err(|error| error.to_string())?;
        files.push(PatchedFile {
            path: path.to_owned(),
            before: text.id.clone(),
            after: BlobId::of(&bytes),
            bytes,
            splices,
        });
    }
    Ok(files)
}
