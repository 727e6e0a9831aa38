//! The journal of a set of writes: what is to be done, and how far that is certain.

use std::io;
use std::path::PathBuf;

use camino::{Utf8Path, Utf8PathBuf};
use patchctl_apply::beneath::{self, Root};
use patchctl_apply::{BlobId, check_tree_path};
use serde::{Deserialize, Serialize};

use super::state_dir::{self, STATE_DIR};
use crate::report::{Code, Error};

pub(super) const SCHEMA: u32 = 1;
const NAME: &str = "journal.json";
const UNDO: &str = "undo";

/// The largest file that is kept, compared or put back, in bytes; also of a journal.
pub(super) const FILE_LIMIT: u64 = 16 << 20;

/// The progress of the writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Phase {
    /// No target is other than before: only what was staged is to be taken away.
    Staging,
    /// Everything is staged and kept; targets may have been replaced.
    Ready,
    /// All targets are replaced. Only where no file decides, see [`Journal::decides`].
    Committed,
}

/// The writes that are to be made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Journal {
    pub schema: u32,
    pub phase: Phase,
    /// The command's words, to tell the reader what was interrupted.
    pub command: String,
    /// True if the last of the files decides: once it is the new one, the writes count as done.
    pub decides: bool,
    /// Folders that the writes create, outermost first, relative to the root.
    pub folders: Vec<Utf8PathBuf>,
    /// In the order in which they are replaced.
    pub files: Vec<Entry>,
}

/// One file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Entry {
    /// Relative to the root, links resolved.
    pub path: Utf8PathBuf,
    /// Blob id of the old bytes; none where there was no file.
    pub old: Option<BlobId>,
    /// Blob id of the new bytes; none where it is to be deleted.
    pub new: Option<BlobId>,
}

impl Entry {
    /// Returns the name under which its new bytes wait: beside it, so that a rename brings them in.
    pub fn staged(&self) -> PathBuf {
        Root::staged(self.path.as_std_path())
    }

    /// The blob id of what stands there now.
    pub fn current(&self, root: &Root) -> Result<Option<BlobId>, beneath::Error> {
        let bytes = root.read_if_there(&self.path, FILE_LIMIT)?;
        Ok(bytes.as_deref().map(BlobId::of))
    }
}

/// Returns the name under which the old bytes of the file with this index are kept.
pub(super) fn kept(index: usize) -> Utf8PathBuf {
    undo_dir().join(index.to_string())
}

pub(super) fn undo_dir() -> Utf8PathBuf {
    Utf8Path::new(STATE_DIR).join(UNDO)
}

fn journal_path() -> Utf8PathBuf {
    Utf8Path::new(STATE_DIR).join(NAME)
}

/// Its name while it is written.
fn unfinished() -> Utf8PathBuf {
    journal_path().with_extension("new")
}

impl Journal {
    /// The same writes, in another phase.
    pub fn in_phase(&self, phase: Phase) -> Self {
        Self {
            phase,
            ..self.clone()
        }
    }

    /// Reads the journal of the repository at `root`; `None` where there is none. Fails on one that may have come with
    /// the repository, see [`state_dir::check`].
    pub fn read(root: &Root) -> Result<Option<Self>, Error> {
        let path = journal_path();
        // A link or a file in the folder's place is an error of its own.
        if root
            .kind(&path)
            .map_err(|error| state_dir::untrusted(&error))?
            .is_none()
        {
            return Ok(None);
        }
        state_dir::check(root)?;
        let bytes = match root.read(&path, FILE_LIMIT) {
            Ok(bytes) => bytes,
            Err(error @ beneath::Error::Unexpected { .. }) => {
                return Err(state_dir::untrusted(&error));
            }
            Err(error) => {
                let message = format!("cannot read the journal {path}");
                return Err(Error::new(Code::RecoveryFailed, message)
                    .because(&io::Error::from(error))
                    .help("give this user the right to read it"));
            }
        };
        let damaged = |why: String| {
            let message = format!("the journal {path} is damaged: {why}");
            Error::new(Code::RecoveryFailed, message).help(
                "compare the repository's files with version control, then delete the folder .patchctl",
            )
        };
        let value: serde_json::Value =
            serde_json::from_slice(&bytes).map_err(|error| damaged(error.to_string()))?;
        if let Some(found) = value.get("schema").and_then(serde_json::Value::as_u64)
            && found > u64::from(SCHEMA)
        {
            let message =
                format!("the journal {path} has schema {found}, this version reads up to {SCHEMA}");
            return Err(Error::new(Code::RecoveryFailed, message).help(
                "run the patchctl that wrote it once more; it finishes or undoes its writes",
            ));
        }
        let journal: Self =
            serde_json::from_value(value).map_err(|error| damaged(error.to_string()))?;
        let files = journal.files.iter().map(|entry| &entry.path);
        for name in files.chain(&journal.folders) {
            check_tree_path(name.as_str()).map_err(damaged)?;
        }
        Ok(Some(journal))
    }

    /// Puts the journal on the disk, whole or not at all.
    pub fn write(&self, root: &Root) -> io::Result<()> {
        let text = serde_json::to_string_pretty(self).map_err(io::Error::other)?;
        root.write_new(unfinished(), text.as_bytes(), None)?;
        root.rename(unfinished(), journal_path())?;
        match root.sync_folder_of(journal_path()) {
            // The decision stands, synced or not: to undo it now could leave half of each.
            Err(_) if self.phase == Phase::Committed => Ok(()),
            synced => Ok(synced?),
        }
    }

    /// Removes the journal and what is kept for undoing: the writes are over.
    pub fn remove(root: &Root) -> io::Result<()> {
        root.remove_file(journal_path())?;
        root.sync_folder_of(journal_path())?;
        clear_undo(root)
    }
}

/// Removes kept bytes that no journal speaks of.
pub(super) fn clear_undo(root: &Root) -> io::Result<()> {
    root.remove_all(undo_dir())?;
    Ok(root.remove_file(unfinished())?)
}
