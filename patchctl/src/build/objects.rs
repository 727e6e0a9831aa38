//! The object files of a build, by what is in them.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};
use sha2::{Digest, Sha256};

use crate::toolchain::{ToolError, files};

/// Every object under a folder, with the SHA-256 of its bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Objects(BTreeMap<Utf8PathBuf, [u8; 32]>);

impl Objects {
    /// Reads them.
    ///
    /// # Errors
    /// When the folder or a file cannot be read.
    pub fn of(folder: &Utf8Path) -> Result<Self, ToolError> {
        let mut objects = BTreeMap::new();
        let all = files(folder)?.into_iter();
        for path in all.filter(|path| path.extension() == Some("o")) {
            let bytes = fs_err::read(&path).map_err(|error| ToolError::unusable(&path, &error))?;
            let inside = path.strip_prefix(folder).unwrap_or(&path).to_owned();
            objects.insert(inside, Sha256::digest(bytes).into());
        }
        Ok(Self(objects))
    }

    /// The number of them.
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
