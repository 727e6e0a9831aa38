//! Files that patchctl writes as a whole and reads again.

use std::fmt::Debug;

use camino::Utf8Path;
use patchctl_apply::Lock;

use super::snapshots::{Front, Snapshot};

/// A file that patchctl writes as a whole and reads again.
pub trait Record: Clone + PartialEq + Debug + 'static {
    /// The file's text, with line feeds.
    ///
    /// # Errors
    /// When it has no text that could be read again.
    fn to_text(&self) -> Result<String, String>;

    /// Reads the bytes of `file`.
    ///
    /// # Errors
    /// When they are not of this form.
    fn read_back(file: &Utf8Path, bytes: &[u8]) -> Result<Self, String>;
}

impl Record for Lock {
    fn to_text(&self) -> Result<String, String> {
        self.to_yaml().map_err(|error| error.to_string())
    }

    fn read_back(_: &Utf8Path, bytes: &[u8]) -> Result<Self, String> {
        Self::parse(bytes).map_err(|error| error.to_string())
    }
}

/// A snapshot's file.
impl Record for (Front, Snapshot) {
    fn to_text(&self) -> Result<String, String> {
        Ok(self.0.to_text() + &self.1.to_text())
    }

    fn read_back(_: &Utf8Path, bytes: &[u8]) -> Result<Self, String> {
        let file = String::from_utf8_lossy(bytes);
        let (front, text) = Front::split(&file).map_err(|error| error.to_string())?;
        let snapshot = Snapshot::parse(&text).map_err(|error| error.to_string())?;
        Ok((front, snapshot))
    }
}
