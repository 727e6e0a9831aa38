//! Files that patchctl writes as a whole and reads again.

use std::fmt::Debug;

use camino::Utf8Path;
use patchctl_apply::Lock;

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
