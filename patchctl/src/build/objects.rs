//! The object files of a build, by what is in them.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};
use sha2::{Digest, Sha256};

use super::BuildError;

/// Every object under a folder, with the SHA-256 of its bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Objects(BTreeMap<Utf8PathBuf, [u8; 32]>);

impl Objects {
    /// Reads them.
    ///
    /// # Errors
    /// When the folder or a file cannot be read.
    pub fn of(folder: &Utf8Path) -> Result<Self, BuildError> {
        let mut objects = Self::default();
        objects.collect(folder, folder)?;
        Ok(objects)
    }

    fn collect(&mut self, root: &Utf8Path, folder: &Utf8Path) -> Result<(), BuildError> {
        let failed = |error| BuildError::file(folder, &error);
        for entry in folder.read_dir_utf8().map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let path = entry.path();
            if entry.file_type().map_err(failed)?.is_dir() {
                self.collect(root, path)?;
            } else if path.extension() == Some("o") {
                let bytes = fs_err::read(path).map_err(|error| BuildError::file(path, &error))?;
                let inside = path.strip_prefix(root).unwrap_or(path);
                self.0
                    .insert(inside.to_owned(), Sha256::digest(bytes).into());
            }
        }
        Ok(())
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Those that are in only one of the two, or differ, by path.
    pub fn differing(&self, other: &Self) -> Vec<Utf8PathBuf> {
        let mut paths: Vec<Utf8PathBuf> = self
            .0
            .iter()
            .filter(|(path, digest)| other.0.get(*path) != Some(digest))
            .map(|(path, _)| path.clone())
            .collect();
        let new = other.0.keys().filter(|path| !self.0.contains_key(*path));
        paths.extend(new.cloned());
        paths.sort();
        paths
    }
}
