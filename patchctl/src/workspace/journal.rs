//! The journal of a set of writes: what is to be done, and how far that is certain.

use std::fs;
use std::io::{self, ErrorKind};

use camino::{Utf8Path, Utf8PathBuf};
use patchctl_apply::{BlobId, check_tree_path, durable};
use serde::{Deserialize, Serialize};

use super::state_dir::STATE_DIR;
use crate::report::{Code, Error};

const SCHEMA: u32 = 1;
const NAME: &str = "journal.json";
const UNDO: &str = "undo";

/// How far the writes are.
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

/// What is to be done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Journal {
    schema: u32,
    pub phase: Phase,
    /// The command's words, to tell the reader what was interrupted.
    pub command: String,
    /// Whether the last of the files decides: once it is the new one, the writes count as done.
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
    /// Blob id of what it was; none where there was no file.
    pub old: Option<BlobId>,
    /// Blob id of what it is to be; none where it is to be deleted.
    pub new: Option<BlobId>,
}

impl Entry {
    /// Where its new bytes wait: beside it, so that a rename brings them in.
    pub fn staged(&self, root: &Utf8Path) -> Utf8PathBuf {
        staged(&root.join(&self.path))
    }

    /// The blob id of what stands there now.
    pub fn current(&self, root: &Utf8Path) -> io::Result<Option<BlobId>> {
        current(&root.join(&self.path))
    }
}

pub(super) fn staged(path: &Utf8Path) -> Utf8PathBuf {
    let name = path.file_name().unwrap_or_default();
    path.with_file_name(format!(".{name}.patchctl-new"))
}

pub(super) fn current(path: &Utf8Path) -> io::Result<Option<BlobId>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(BlobId::of(&bytes))),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Where the old bytes of the file with this index are kept.
pub(super) fn kept(root: &Utf8Path, index: usize) -> Utf8PathBuf {
    undo_dir(root).join(index.to_string())
}

pub(super) fn undo_dir(root: &Utf8Path) -> Utf8PathBuf {
    root.join(STATE_DIR).join(UNDO)
}

pub(super) fn journal_path(root: &Utf8Path) -> Utf8PathBuf {
    root.join(STATE_DIR).join(NAME)
}

impl Journal {
    pub fn new(
        command: String,
        decides: bool,
        folders: Vec<Utf8PathBuf>,
        files: Vec<Entry>,
    ) -> Self {
        Self {
            schema: SCHEMA,
            phase: Phase::Staging,
            command,
            decides,
            folders,
            files,
        }
    }

    /// The same writes, in another phase.
    pub fn in_phase(&self, phase: Phase) -> Self {
        Self {
            phase,
            ..self.clone()
        }
    }

    /// Reads the journal of the repository at `root`; `None` where there is none.
    pub fn read(root: &Utf8Path) -> Result<Option<Self>, Error> {
        let path = journal_path(root);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(source) => {
                let message = format!("cannot read the journal {path}");
                return Err(Error::new(Code::RecoveryFailed, message)
                    .because(&source)
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
    pub fn write(&self, root: &Utf8Path) -> io::Result<()> {
        let path = journal_path(root);
        let new = path.with_extension("new");
        let text = serde_json::to_string_pretty(self).map_err(io::Error::other)?;
        durable::write_new(new.as_std_path(), text.as_bytes(), None)?;
        fs::rename(&new, &path)?;
        match durable::sync_folder_of(path.as_std_path()) {
            // The decision stands, synced or not: to undo it now could leave half of each.
            Err(_) if self.phase == Phase::Committed => Ok(()),
            synced => synced,
        }
    }

    /// Removes the journal and what is kept for undoing: the writes are over.
    pub fn remove(root: &Utf8Path) -> io::Result<()> {
        let path = journal_path(root);
        durable::remove_if_there(path.as_std_path())?;
        durable::sync_folder_of(path.as_std_path())?;
        clear_undo(root)
    }
}

/// Removes kept bytes that no journal speaks of.
pub(super) fn clear_undo(root: &Utf8Path) -> io::Result<()> {
    match fs::remove_dir_all(undo_dir(root)) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => durable::remove_if_there(journal_path(root).with_extension("new").as_std_path()),
    }
}
