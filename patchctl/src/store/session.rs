//! Unfinished work. Each process makes things in a folder of its own below `unfinished/`, whose lock the system lets go
//! when the process dies; the next one that begins to write removes what such a process left.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};

use camino::{Utf8Path, Utf8PathBuf};
use tempfile::TempDir;

use super::cache::Lock;
use super::unwritable;
use crate::report::Error;

/// The prefix of a folder's name while a tree is made beside its place outside of the cache.
const BESIDE: &str = ".patchctl-";
/// The lock of a session's folder.
const ALIVE: &str = "alive";
/// Records the folder beside a place outside of the cache.
const OUTSIDE: &str = ".outside";

/// The folder for one process's unfinished work. Removed with all in it when dropped; what cannot be removed then, the
/// next session removes.
pub(super) struct Session {
    /// Before the folder, so that it ends before the folder is removed.
    _alive: Lock,
    _removed: TempDir,
    folder: Utf8PathBuf,
    next: AtomicUsize,
}

impl Session {
    /// Removes what dead sessions left, and begins a new one. One process at a time.
    pub(super) fn begin(root: &Utf8Path) -> Result<Self, Error> {
        let failed = |error| unwritable(root, &error);
        fs_err::create_dir_all(root).map_err(failed)?;
        let _alone = Lock::take(&root.join("lock"), &|| ())?;
        let unfinished = root.join("unfinished");
        fs_err::create_dir_all(&unfinished).map_err(failed)?;
        for entry in unfinished.read_dir_utf8().map_err(failed)?.flatten() {
            remove_if_dead(entry.path());
        }
        let folder = tempfile::Builder::new()
            .prefix("session-")
            .tempdir_in(&unfinished)
            .map_err(failed)?;
        let path = Utf8PathBuf::try_from(folder.path().to_owned())
            .map_err(|error| failed(error.into_io_error()))?;
        Ok(Self {
            _alive: Lock::take(&path.join(ALIVE), &|| ())?,
            _removed: folder,
            folder: path,
            next: AtomicUsize::new(0),
        })
    }

    /// Ends as a killed process does.
    #[cfg(test)]
    pub(super) fn die(self) {
        let _ = self._removed.keep();
    }

    /// A place for something unfinished; nothing is there yet.
    pub(super) fn place(&self) -> Unfinished {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        Unfinished {
            // Some compilers go by the name's end.
            path: self.folder.join(format!("{number}.o")),
            record: None,
        }
    }

    /// A place for something unfinished beside `into`, on the same file system.
    pub(super) fn place_beside(&self, into: &Utf8Path) -> Result<Unfinished, Error> {
        let failed = |error| unwritable(into, &error);
        let parent = match into.parent() {
            Some(parent) if !parent.as_str().is_empty() => parent,
            _ => Utf8Path::new("."),
        };
        fs_err::create_dir_all(parent).map_err(failed)?;
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let session = self.folder.file_name().unwrap_or_default();
        let path = parent
            .canonicalize_utf8()
            .map_err(failed)?
            .join(format!("{BESIDE}{session}-{number}"));
        // Recorded before it is there, so that it is never there unrecorded.
        let record = self.folder.join(format!("{number}{OUTSIDE}"));
        fs_err::write(&record, path.as_str()).map_err(failed)?;
        Ok(Unfinished {
            path,
            record: Some(record),
        })
    }
}

/// A place for something unfinished. What is still there when it is dropped is removed.
pub(super) struct Unfinished {
    pub(super) path: Utf8PathBuf,
    record: Option<Utf8PathBuf>,
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        let _ = remove(&self.path);
        if let Some(record) = &self.record {
            let _ = fs_err::remove_file(record);
        }
    }
}

/// Removes a session's folder, and what it made outside of the cache, where its process has ended.
fn remove_if_dead(folder: &Utf8Path) {
    let Ok(Some(_dead)) = Lock::try_take(&folder.join(ALIVE)) else {
        return;
    };
    for entry in folder.read_dir_utf8().into_iter().flatten().flatten() {
        if !entry.file_name().ends_with(OUTSIDE) {
            continue;
        }
        let left = fs_err::read_to_string(entry.path()).unwrap_or_default();
        let left = Utf8Path::new(&left);
        if left
            .file_name()
            .is_some_and(|name| name.starts_with(BESIDE))
        {
            let _ = remove(left);
        }
    }
    let _ = fs_err::remove_dir_all(folder);
}

/// Removes a file, a link or a folder; that nothing is there is no error.
pub(super) fn remove(path: &Utf8Path) -> io::Result<()> {
    let removed = match fs_err::symlink_metadata(path) {
        Ok(data) if data.is_dir() => fs_err::remove_dir_all(path),
        Ok(_) => fs_err::remove_file(path),
        Err(error) => Err(error),
    };
    match removed {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
