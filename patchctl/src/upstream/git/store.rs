//! A repository that many threads read, opened with libgit2 whatever the user's configuration says and whoever owns it.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, Once, OnceLock, PoisonError};

use camino::{Utf8Path, Utf8PathBuf};
use git2::{ConfigLevel, ErrorClass, Oid, Repository, RepositoryOpenFlags};
use patchctl_apply::BlobId;

use super::loose::Loose;
use super::repo::Repo;
use crate::report::Error;
use crate::store::{Cache, Lock};
use crate::upstream::Settings;
use crate::upstream::revision::unreachable;

/// A repository that many threads read: each operation borrows an opened handle, as `Repository` is not `Sync`.
pub(in crate::upstream) struct Store {
    path: Utf8PathBuf,
    /// The source's name, for errors.
    pub(super) source: String,
    /// The cache that it is an entry of, with the entry's kind and key; `None` for a repository of the user's, which is
    /// only read.
    entry: Option<(Cache, &'static str, String)>,
    /// Blobs that trees name and that may be absent all the same; then their files are passed over.
    pub(in crate::upstream) left_out: HashSet<Oid>,
    idle: Mutex<Vec<Repository>>,
    pub(super) loose: OnceLock<Loose>,
    /// Set by every error that a new copy would not have.
    is_damaged: AtomicBool,
}

impl Store {
    /// A repository of the user's. Nothing is opened until it is asked. `source` is the name for errors.
    pub(super) fn of_user(path: &Utf8Path, source: &str) -> Self {
        Self {
            path: path.to_owned(),
            source: source.to_owned(),
            entry: None,
            left_out: HashSet::new(),
            idle: Mutex::new(Vec::new()),
            loose: OnceLock::new(),
            is_damaged: AtomicBool::new(false),
        }
    }

    /// A repository in the cache, which can be made again.
    pub(in crate::upstream) fn cached(
        settings: &Settings,
        kind: &'static str,
        key: &str,
        source: &str,
    ) -> Self {
        let cache = settings.store();
        let new = Self::of_user(&cache.path(kind, key), source);
        Self {
            entry: Some((cache, kind, key.to_owned())),
            ..new
        }
    }

    /// The repository's folder.
    pub(in crate::upstream) fn path(&self) -> &Utf8Path {
        &self.path
    }

    /// Returns false if the cache has no such repository yet. A repository of the user's is opened in any case.
    pub(in crate::upstream) fn exists(&self) -> bool {
        self.entry.is_none() || self.path.exists()
    }

    /// Takes the lock of the repository in the cache.
    pub(in crate::upstream) fn lock(&self) -> Result<Option<Lock>, Error> {
        let entry = self.entry.as_ref();
        entry
            .map(|(cache, kind, key)| cache.lock(kind, key))
            .transpose()
    }

    /// Makes an empty repository in the cache where there is none. The caller holds the lock.
    pub(in crate::upstream) fn ensure(&self) -> Result<(), Error> {
        let entry = self.entry.as_ref();
        entry.map_or(Ok(()), |(cache, ..)| cache.ensure_repository(&self.path))
    }

    /// Removes the repository from the cache. The caller holds the lock.
    pub(in crate::upstream) fn remove(&self) -> Result<(), Error> {
        if let Some((cache, ..)) = &self.entry {
            cache.remove(&self.path)?;
        }
        self.reopen();
        Ok(())
    }

    /// Runs `work` with a handle of its own.
    pub(in crate::upstream) fn with<T>(
        &self,
        work: impl FnOnce(Repo<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let idle = self.lock_idle().pop();
        let repository = match idle {
            Some(repository) => repository,
            None => self.open()?,
        };
        let answer = work(Repo {
            store: self,
            git: &repository,
        });
        self.lock_idle().push(repository);
        answer
    }

    /// As [`Store::with`]; `None` where the repository is not there or `work` fails.
    pub(in crate::upstream) fn if_there<T>(
        &self,
        work: impl FnOnce(Repo<'_>) -> Result<T, Error>,
    ) -> Option<T> {
        self.exists().then(|| self.with(work).ok())?
    }

    /// Forgets the opened handles: after git itself changed the repository.
    pub(super) fn reopen(&self) {
        self.lock_idle().clear();
    }

    fn lock_idle(&self) -> std::sync::MutexGuard<'_, Vec<Repository>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens the repository, bare or not, and nothing above it.
    fn open(&self) -> Result<Repository, Error> {
        set_up();
        let path = &self.path;
        // Without a search upwards: a folder inside another repository must never be taken for that repository.
        let (flags, nothing) = (RepositoryOpenFlags::NO_SEARCH, [""; 0]);
        Repository::open_ext(path.as_std_path(), flags, nothing).map_err(|error| {
            let said = error.message();
            let help = if !path.exists() {
                "check the path: nothing is there".to_owned()
            } else if said.contains("refstorage") {
                format!("it keeps its references in a form that is not read here: `git clone --bare --ref-format=files {path}`")
            } else if said.contains("objectformat") || said.contains("object format") {
                "repositories with SHA-256 ids are not read: MLX's ids are SHA-1".to_owned()
            } else if error.class() == ErrorClass::Config {
                format!("its own `config` file is damaged: look at {path}")
            } else {
                format!("{path} must be a git repository, bare or with a `.git`: try `git -C {path} fsck`")
            };
            self.damage(format!("{path} is no readable git repository: {said}"), help)
        })
    }

    /// An error about this repository.
    pub(in crate::upstream) fn unreachable(
        &self,
        why: impl Into<String>,
        help: impl Into<String>,
    ) -> Error {
        unreachable(&self.source, why.into(), help)
    }

    /// An error about this repository that a new copy would not have. `own` is the help for a repository of the user's.
    pub(super) fn damage(&self, why: impl Into<String>, own: impl Into<String>) -> Error {
        self.is_damaged.store(true, Ordering::Relaxed);
        let path = &self.path;
        match self.entry {
            None => self.unreachable(why, own),
            Some(_) => self.unreachable(
                why,
                format!("remove {path}: it is made again when it is needed"),
            ),
        }
    }

    /// Returns true once after something was found damaged.
    pub(super) fn take_damage(&self) -> bool {
        self.is_damaged.swap(false, Ordering::Relaxed)
    }

    /// A blob by its id, where it is here; not here is no failure, another source may have it.
    pub(super) fn blob_at_hand(&self, id: &BlobId) -> Option<Vec<u8>> {
        let id = Oid::from_str(id.as_str()).ok()?;
        self.if_there(|repo| {
            let is_here = repo.git.odb().is_ok_and(|odb| odb.exists(id));
            is_here.then(|| repo.blob(id)).transpose()
        })?
    }
}

/// Once a process, before the first repository: libgit2 keeps these in globals.
fn set_up() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let levels = [
            ConfigLevel::ProgramData,
            ConfigLevel::System,
            ConfigLevel::XDG,
            ConfigLevel::Global,
        ];
        for level in levels {
            // The user's configuration must change nothing. A failure leaves libgit2's default, which is harmless.
            #[expect(
                unsafe_code,
                reason = "libgit2's globals; `Once` runs this before any use and alone"
            )]
            let _ = unsafe { git2::opts::set_search_path(level, "") };
        }
        // Ownership is checked against configuration that runs programs (hooks, filters, fsmonitor). Objects are
        // read here and nothing is run, so a repository of another user, as in a container, is fine.
        #[expect(unsafe_code, reason = "as above")]
        let _ = unsafe { git2::opts::set_verify_owner_validation(false) };
        // A partial clone is readable; what it lacks is named when it is missed.
        #[expect(unsafe_code, reason = "as above")]
        let _ = unsafe { git2::opts::set_extensions(&["partialclone"]) };
    });
}
