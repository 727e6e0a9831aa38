//! Writes a lock file: the same bytes for the same lock, and the same lock from those bytes.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{Lock, LockError, LockedPin, SCHEMA};

/// The first version that reads what [`Lock::to_yaml`] writes. It stands in the file, so that an older
/// version can name it when it refuses the file's schema.
pub(super) const NEEDS: &str = "0.1.0";

const HEADER: &str = "# Written by `patchctl bump`, read by `patchctl apply` and by the crate patchctl-apply: which bytes\n\
                      # go where, for each pin. Not for editing: every file is checked against the blob ids here.\n";

/// The key of a pin's digest of itself, see [`LockedPin::digest`].
pub(super) const ENTRY_DIGEST: &str = "entry_digest";

/// The file's own form.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File<'a> {
    schema: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    needs: Option<Cow<'a, str>>,
    #[serde(default)]
    pins: Cow<'a, [LockedPin]>,
}

impl From<File<'_>> for Lock {
    fn from(file: File<'_>) -> Self {
        Self {
            schema: file.schema,
            pins: file.pins.into_owned(),
        }
    }
}

impl Lock {
    /// The lock as YAML, in the schema of this version.
    ///
    /// Every text comes back byte for byte: what YAML would normalise (CRLF, tabs, white space at line ends)
    /// is written in double quotes, the rest as blocks that a reader can compare. Fails for a lock that
    /// [`Lock::parse`] would refuse, so that such a one is never written.
    pub fn to_yaml(&self) -> Result<String, LockError> {
        let file = File {
            schema: SCHEMA,
            needs: Some(NEEDS.into()),
            pins: self.pins.as_slice().into(),
        };
        let kept = |error: serde_json::Error| LockError::NotKept(error.to_string());
        let mut file = serde_json::to_value(&file).map_err(kept)?;
        let entries = file["pins"].as_array_mut().into_iter().flatten();
        for (entry, pin) in entries.zip(&self.pins) {
            entry[ENTRY_DIGEST] = pin.digest().into();
        }
        let yaml = crate::yaml::to_yaml(&file).map_err(kept)?;
        let yaml = format!("{HEADER}{yaml}");
        if Self::parse(yaml.as_bytes())?.pins == self.pins {
            Ok(yaml)
        } else {
            Err(LockError::NotKept("a text changes on the way".to_owned()))
        }
    }
}
