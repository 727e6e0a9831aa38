//! The record at a tree's root: what was written there, and how to take it off again without the lock.

use std::borrow::Cow;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::ApplyError;
use super::plan::open;
use crate::beneath::{Error, Root};
use crate::lock::{self, blob_id, tree_path};
use crate::markers::line_at;
use crate::{BlobId, LockedFile, LockedOverlay, LockedPin, SIZE_LIMIT, Splice, splice};

/// The record's name, at the root of a patched tree.
pub const RECORD_FILE: &str = ".patchctl-tree.json";

/// The version of the record's form. Newer ones are refused.
const SCHEMA: u32 = 1;

/// The first version that reads it.
const NEEDS: &str = "0.1.0";

/// What `apply` wrote in a tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TreeRecord {
    /// See [`SCHEMA`].
    schema: u32,
    /// The oldest patchctl that reads it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    needs: Option<Cow<'static, str>>,
    /// A digest of the lock's entry for the pin, see [`lock_digest`].
    #[serde(deserialize_with = "blob_id")]
    pub lock: BlobId,
    /// The pin's release.
    pub release: String,
    /// The pin's commit.
    pub revision: String,
    /// The overlays that the files carry.
    pub overlays: Vec<LockedOverlay>,
    /// Overlays of the lock that were left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub omitted: Vec<String>,
    /// The files. While an apply is under way a path may stand here twice, with its earlier bytes and with its new
    /// ones.
    pub files: Vec<RecordedFile>,
}

/// One file that was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedFile {
    /// Relative to the tree's root, with `/`.
    #[serde(deserialize_with = "tree_path")]
    pub path: String,
    /// Upstream's blob.
    #[serde(deserialize_with = "blob_id")]
    pub before: BlobId,
    /// The blob that was written.
    #[serde(deserialize_with = "blob_id")]
    pub after: BlobId,
    /// The splices that make `before` of `after`, in order of offset. Left out where upstream's replaced bytes are
    /// no text; then the markers alone can give them back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inverse: Option<Vec<Splice>>,
}

/// What is needed before the form is known.
#[derive(Deserialize)]
struct Head {
    schema: Option<u64>,
    needs: Option<String>,
}

impl TreeRecord {
    /// The record of the tree at `dir`; `None` where there is none. Fails on a record that is damaged or newer.
    pub fn read(dir: &Path) -> Result<Option<Self>, ApplyError> {
        Self::read_in(&open(dir)?)
    }

    pub(super) fn read_in(tree: &Root) -> Result<Option<Self>, ApplyError> {
        let path = tree.path().join(RECORD_FILE);
        let damaged = |why: String| ApplyError::Record {
            path: path.clone(),
            why,
        };
        let bytes = match tree.read_if_there(RECORD_FILE, SIZE_LIMIT) {
            Ok(Some(bytes)) => bytes,
            Ok(None) => return Ok(None),
            Err(Error::Io { source, .. }) => {
                return Err(ApplyError::RecordUnreadable { path, source });
            }
            Err(other) => return Err(damaged(other.to_string())),
        };
        // The schema first: a newer form may have keys that this version would call unknown.
        let head: Head =
            serde_json::from_slice(&bytes).map_err(|error| damaged(error.to_string()))?;
        if let Some(found) = head.schema.filter(|found| *found > u64::from(SCHEMA)) {
            let needs = lock::needs_text(head.needs.as_deref());
            return Err(damaged(format!(
                "it has schema {found}, this version reads up to {SCHEMA}: use {needs}"
            )));
        }
        let record: Self =
            serde_json::from_slice(&bytes).map_err(|error| damaged(error.to_string()))?;
        Ok(Some(record))
    }

    /// What applying `pin` writes. `upstream` gives a file's bytes before the overlays, where they are known.
    pub(super) fn of(pin: &LockedPin, upstream: &dyn Fn(&str) -> Option<Vec<u8>>) -> Self {
        let changed = pin.files.iter().filter(|file| file.before != file.after);
        let files = changed.map(|file| RecordedFile {
            path: file.path.clone(),
            before: file.before.clone(),
            after: file.after.clone(),
            inverse: inverse(file, upstream(&file.path).as_deref()),
        });
        Self {
            schema: SCHEMA,
            needs: Some(NEEDS.into()),
            lock: lock_digest(pin),
            release: pin.release.clone(),
            revision: pin.revision.clone(),
            overlays: pin.overlays.clone(),
            omitted: Vec::new(),
            files: files.collect(),
        }
    }

    /// The files of both: valid while some are already written and some are not yet.
    fn with_files_of(&self, earlier: &Self) -> Self {
        let mut both = self.clone();
        for file in &earlier.files {
            if !both.files.contains(file) {
                both.files.push(file.clone());
            }
        }
        both
    }

    pub(super) fn of_path(&self, path: &str) -> impl Iterator<Item = &RecordedFile> {
        self.files.iter().filter(move |file| file.path == path)
    }

    fn to_json(&self) -> Result<String, serde_json::Error> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }
}

impl RecordedFile {
    /// Upstream's bytes, where `patched` are the bytes that were written. Checked against [`RecordedFile::before`].
    pub(super) fn restore(&self, patched: &[u8]) -> Option<Vec<u8>> {
        if BlobId::of(patched) != self.after {
            return None;
        }
        let upstream = splice(&self.path, patched, self.inverse.as_ref()?).ok()?;
        (BlobId::of(&upstream) == self.before).then_some(upstream)
    }
}

/// The splices that undo those of `file`. Upstream's bytes are needed only where some were replaced.
fn inverse(file: &LockedFile, upstream: Option<&[u8]>) -> Option<Vec<Splice>> {
    let patched = upstream.and_then(|bytes| file.patch(bytes).ok());
    let (mut added, mut removed) = (0, 0);
    let mut inverse = Vec::with_capacity(file.splices.len());
    for splice in &file.splices {
        let text = match splice.length {
            0 => String::new(),
            length => {
                let start = usize::try_from(splice.offset).ok()?;
                let end = start.checked_add(usize::try_from(length).ok()?)?;
                String::from_utf8(upstream?.get(start..end)?.to_vec()).ok()?
            }
        };
        let offset = splice.offset + added - removed;
        inverse.push(Splice {
            edit: splice.edit.clone(),
            line: patched.as_deref().map_or(splice.line, |patched| {
                line_at(patched, usize::try_from(offset).unwrap_or(usize::MAX)) as u64
            }),
            offset,
            length: splice.text.len() as u64,
            text,
        });
        added += splice.text.len() as u64;
        removed += splice.length;
    }
    Some(inverse)
}

/// A digest of what a pin's entry says of bytes: its release, revision, overlays and files, without its proofs. It
/// is git's blob id of that part as JSON.
pub fn lock_digest(pin: &LockedPin) -> BlobId {
    let bytes = LockedPin {
        proven: Vec::new(),
        lowered_from: None,
        ..pin.clone()
    };
    // Texts and numbers: none cannot be written.
    BlobId::of(&serde_json::to_vec(&bytes).unwrap_or_default())
}

/// The record while files are being written.
pub(super) struct Update<'a> {
    tree: &'a Root,
    old: Option<TreeRecord>,
    new: Option<TreeRecord>,
}

impl<'a> Update<'a> {
    pub(super) fn new(tree: &'a Root, old: Option<TreeRecord>, new: Option<TreeRecord>) -> Self {
        let new = new.filter(|record| !record.files.is_empty());
        Self { tree, old, new }
    }

    /// Before the first file is written: a killed run then leaves a record that knows every file in both states.
    pub(super) fn begin(&self) -> Result<(), ApplyError> {
        match (&self.old, &self.new) {
            (_, None) => Ok(()),
            (None, Some(new)) => self.write(new),
            (Some(old), Some(new)) if old == new => Ok(()),
            (Some(old), Some(new)) => self.write(&new.with_files_of(old)),
        }
    }

    /// After the last. A record that cannot be written now is still true, so that is no failure.
    pub(super) fn finish(self) {
        let _ = match (&self.old, &self.new) {
            (Some(old), Some(new)) if old == new => Ok(()),
            (_, Some(new)) => self.write(new),
            (Some(_), None) => self.remove(),
            (None, None) => Ok(()),
        };
    }

    /// Where the files were put back. The record of both states stays true if this fails.
    pub(super) fn undo(self) {
        let _ = match &self.old {
            Some(old) => self.write(old),
            None => self.remove(),
        };
    }

    fn write(&self, record: &TreeRecord) -> Result<(), ApplyError> {
        let failed = |source: std::io::Error| ApplyError::Write {
            path: self.tree.path().join(RECORD_FILE),
            source,
            left: Vec::new(),
        };
        let text = record
            .to_json()
            .map_err(|error| failed(std::io::Error::other(error)))?;
        if let Ok(Some(there)) = self.tree.read_if_there(RECORD_FILE, SIZE_LIMIT)
            && there == text.as_bytes()
        {
            return Ok(());
        }
        self.tree
            .replace(RECORD_FILE, text.as_bytes())
            .map_err(|error| failed(error.into()))
    }

    fn remove(&self) -> Result<(), ApplyError> {
        self.tree
            .remove_file(RECORD_FILE)
            .and_then(|()| self.tree.sync_folder_of(RECORD_FILE))
            .map_err(|error| super::write::failed(self.tree, RECORD_FILE, error, Vec::new()))
    }
}
