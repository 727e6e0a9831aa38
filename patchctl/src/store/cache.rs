//! The cache's layout, its locks, and the one way in which an entry comes to be there.
//!
//! | folder | holds |
//! | --- | --- |
//! | `KIND/KEY` | an entry, a file or a folder |
//! | `digests/KIND/KEY` | the digest by which the entry is believed |
//! | `unfinished/` | what is being made, a folder for each process |
//! | `locks/KIND-KEY` | held while an entry is made, or changed in its place |
//! | `lock` | held while a process begins to write |

use std::fs::{File, TryLockError};
use std::io;
use std::sync::{Arc, OnceLock};

use camino::{Utf8Path, Utf8PathBuf};
use sha2::{Digest, Sha256};

use super::session::{Session, Unfinished, remove};
use super::{folder, unwritable};
use crate::progress::{Progress, Quiet, Working};
use crate::report::Error;

/// A folder for everything that can be made again, shared by processes.
#[derive(Clone)]
pub(crate) struct Cache {
    root: Utf8PathBuf,
    progress: Arc<dyn Progress>,
    session: Arc<OnceLock<Session>>,
}

/// An entry, or something that goes with this value.
pub(crate) struct Kept {
    /// Where it is.
    pub(crate) path: Utf8PathBuf,
    _passing: Option<Unfinished>,
}

/// A lock on a file. It ends when it is dropped, and with the process.
pub(crate) struct Lock {
    _file: File,
}

impl Cache {
    /// Makes nothing yet.
    pub(crate) fn new(root: &Utf8Path, progress: &Arc<dyn Progress>) -> Self {
        Self {
            root: root.to_owned(),
            progress: Arc::clone(progress),
            session: Arc::default(),
        }
    }

    /// One whose waiting is told to nobody.
    pub(crate) fn quiet(root: &Utf8Path) -> Self {
        let progress: Arc<dyn Progress> = Arc::new(Quiet);
        Self::new(root, &progress)
    }

    /// The place of an entry, whether something is there or not.
    pub(crate) fn path(&self, kind: &str, key: &str) -> Utf8PathBuf {
        self.root.join(kind).join(key)
    }

    /// Returns true if the entry at `path` is there and as it was made.
    pub(crate) fn is_whole(&self, path: &Utf8Path) -> bool {
        let expected = fs_err::read_to_string(self.digest_file(path));
        expected.is_ok_and(|expected| digest(path).is_ok_and(|found| found == expected))
    }

    /// The entry, which `make` makes at the path that it is given where it is missing or damaged. One process makes it, the
    /// others wait for it.
    ///
    /// # Errors
    /// When the cache cannot be written, and what `make` fails with; then nothing is there.
    pub(crate) fn entry<E: From<Error>>(
        &self,
        kind: &str,
        key: &str,
        make: impl FnOnce(&Utf8Path) -> Result<(), E>,
    ) -> Result<Utf8PathBuf, E> {
        let path = self.path(kind, key);
        if self.is_whole(&path) {
            return Ok(path);
        }
        let _lock = self.lock(kind, key)?;
        if !self.is_whole(&path) {
            self.make(&path, make)?;
        }
        Ok(path)
    }

    /// As [`Cache::entry`], for the entry at `path` below the cache's root, and without a lock.
    ///
    /// # Errors
    /// As [`Cache::entry`].
    pub(crate) fn ensure<E: From<Error>>(
        &self,
        path: &Utf8Path,
        make: impl FnOnce(&Utf8Path) -> Result<(), E>,
    ) -> Result<(), E> {
        match self.is_whole(path) {
            true => Ok(()),
            false => self.make(path, make),
        }
    }

    /// Writes a small file, whole or not at all, unless it is there with these bytes. No digest: the reader knows the bytes.
    ///
    /// # Errors
    /// When the cache cannot be written.
    pub(crate) fn keep(&self, path: &Utf8Path, bytes: &[u8]) -> Result<(), Error> {
        if fs_err::read(path).is_ok_and(|there| there == bytes) {
            return Ok(());
        }
        let unfinished = self.session()?.place();
        fs_err::write(&unfinished.path, bytes).map_err(|error| unwritable(path, &error))?;
        put(&unfinished, path)
    }

    /// Makes the entry at `path`, below the cache's root, without a lock: where two make it at once, each is whole.
    ///
    /// # Errors
    /// As [`Cache::entry`].
    pub(crate) fn make<E: From<Error>>(
        &self,
        path: &Utf8Path,
        make: impl FnOnce(&Utf8Path) -> Result<(), E>,
    ) -> Result<(), E> {
        let unfinished = self.session()?.place();
        make(&unfinished.path)?;
        let digest = digest(&unfinished.path).map_err(|error| unwritable(path, &error))?;
        // A file is replaced by the rename; a folder is not.
        if path.is_dir() {
            self.remove(path)?;
        }
        // The digest comes first: an entry without one is not believed.
        self.keep(&self.digest_file(path), digest.as_bytes())?;
        Ok(put(&unfinished, path)?)
    }

    /// As [`Cache::entry`]; where there is no key, which says what it is made of, nothing is kept.
    ///
    /// # Errors
    /// As [`Cache::entry`].
    pub(crate) fn kept<E: From<Error>>(
        &self,
        kind: &str,
        key: Option<&str>,
        make: impl FnOnce(&Utf8Path) -> Result<(), E>,
    ) -> Result<Kept, E> {
        if let Some(key) = key {
            let path = self.entry(kind, key, make)?;
            return Ok(Kept {
                path,
                _passing: None,
            });
        }
        let passing = self.session()?.place();
        make(&passing.path)?;
        Ok(Kept {
            path: passing.path.clone(),
            _passing: Some(passing),
        })
    }

    /// Has `make` make a folder that appears whole at `into`, outside of the cache. Returns `None` if something is there,
    /// which another process may just have made.
    ///
    /// # Errors
    /// When the place cannot be written, and what `make` fails with; then nothing is there.
    pub(crate) fn folder_at<T, E: From<Error>>(
        &self,
        into: &Utf8Path,
        make: impl FnOnce(&Utf8Path) -> Result<T, E>,
    ) -> Result<Option<T>, E> {
        let failed = |error| unwritable(into, &error);
        let unfinished = self.session()?.place_beside(into)?;
        let place = unfinished
            .path
            .with_file_name(into.file_name().unwrap_or_default());
        let _lock = self.lock("outside", &sha256_hex(place.as_str().as_bytes())[..16])?;
        if !folder::is_empty_or_absent(into).map_err(failed)? {
            return Ok(None);
        }
        let made = make(&unfinished.path)?;
        // On every platform a rename wants its target out of the way.
        match fs_err::remove_dir(into) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => fs_err::rename(&unfinished.path, into),
        }
        .map_err(failed)?;
        Ok(Some(made))
    }

    /// Takes the lock of an entry that is changed in its place. Waits while another process has it, and says so.
    ///
    /// # Errors
    /// When the cache cannot be written.
    pub(crate) fn lock(&self, kind: &str, key: &str) -> Result<Lock, Error> {
        let locks = self.root.join("locks");
        fs_err::create_dir_all(&locks).map_err(|error| unwritable(&locks, &error))?;
        self.session()?;
        let waiting = OnceLock::new();
        Lock::take(&locks.join(format!("{kind}-{key}")), &|| {
            let place = self.path(kind, key);
            let what = format!("waiting for another patchctl that fills {place}");
            // The work ends when the lock is there and this is dropped.
            let _ = waiting.set(Working::on(&self.progress, &what));
        })
    }

    /// Makes an empty bare repository at `path` where there is none.
    ///
    /// # Errors
    /// When the cache cannot be written.
    pub(crate) fn ensure_repository(&self, path: &Utf8Path) -> Result<(), Error> {
        if path.exists() {
            return Ok(());
        }
        let made = self.session()?.place();
        // No template: it could bring hooks.
        let mut options = git2::RepositoryInitOptions::new();
        options
            .bare(true)
            .external_template(false)
            .initial_head("main");
        git2::Repository::init_opts(&made.path, &options)
            .map_err(|error| unwritable(path, &io::Error::other(error.message().to_owned())))?;
        put(&made, path)
    }

    /// Removes an entry that turned out to be damaged. The caller holds its lock.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub(crate) fn remove(&self, path: &Utf8Path) -> Result<(), Error> {
        remove(path).map_err(|error| unwritable(path, &error))
    }

    fn digest_file(&self, path: &Utf8Path) -> Utf8PathBuf {
        let inside = path.strip_prefix(&self.root).unwrap_or(path);
        self.root.join("digests").join(inside)
    }

    /// Begun when something is made for the first time: a command that only reads writes nothing.
    fn session(&self) -> Result<&Session, Error> {
        if let Some(session) = self.session.get() {
            return Ok(session);
        }
        let session = Session::begin(&self.root)?;
        // Another thread may have been quicker; then this one ends here.
        Ok(self.session.get_or_init(|| session))
    }
}

impl Lock {
    /// Waits for the lock; `on_wait` is called before that.
    pub(super) fn take(path: &Utf8Path, on_wait: &dyn Fn()) -> Result<Self, Error> {
        let failed = |error| unwritable(path, &error);
        if let Some(lock) = Self::try_take(path).map_err(failed)? {
            return Ok(lock);
        }
        on_wait();
        let file = open_lock(path).map_err(failed)?;
        file.lock().map_err(failed)?;
        Ok(Self { _file: file })
    }

    /// Returns `None` if another has the lock.
    pub(super) fn try_take(path: &Utf8Path) -> io::Result<Option<Self>> {
        let file = open_lock(path)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self { _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}

/// Puts what is finished into its place.
fn put(made: &Unfinished, path: &Utf8Path) -> Result<(), Error> {
    let folder = path.parent().map_or(Ok(()), fs_err::create_dir_all);
    folder
        .and_then(|()| fs_err::rename(&made.path, path))
        .map_err(|error| unwritable(path, &error))
}

/// Never truncated, and no link is followed: what is there may be somebody's file.
fn open_lock(path: &Utf8Path) -> io::Result<File> {
    let mut options = File::options();
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.custom_flags(rustix::fs::OFlags::NOFOLLOW.bits().cast_signed());
    }
    options
        .open(path)
        .map_err(|error| io::Error::new(error.kind(), format!("{path}: {error}")))
}

/// Git's id of a folder's tree; SHA-256 of a file.
fn digest(path: &Utf8Path) -> io::Result<String> {
    let data = fs_err::symlink_metadata(path)?;
    if data.is_dir() {
        return folder::tree_id(path);
    }
    if !data.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    Ok(sha256_hex(&fs_err::read(path)?))
}

/// SHA-256 in lower-case hex.
pub(crate) fn sha256_hex(bytes: &[u8]) -> String {
    patchctl_apply::hex(&Sha256::digest(bytes))
}

#[cfg(test)]
mod tests;
