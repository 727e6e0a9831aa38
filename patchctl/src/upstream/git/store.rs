//! A repository that many threads read.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use camino::{Utf8Path, Utf8PathBuf};
use git2::{Oid, Repository};
use patchctl_apply::BlobId;

use super::loose::Loose;
use super::open::open;
use super::repo::Repo;
use crate::upstream::SourceError;

/// A repository that many threads read: each operation borrows an opened handle, as `Repository` is not `Sync`.
pub(in crate::upstream) struct Store {
    path: Utf8PathBuf,
    source: String,
    keeper: Keeper,
    /// Blobs that trees name and that may be absent all the same; then their files are passed over.
    pub(super) left_out: HashSet<Oid>,
    idle: Mutex<Vec<Repository>>,
    pub(super) loose: OnceLock<Loose>,
    /// Set by every error that a new copy would not have.
    is_damaged: AtomicBool,
}

/// Whose the repository is, which decides what can be advised when it is damaged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::upstream) enum Keeper {
    /// The user's own.
    User,
    /// The cache's: it can be made again.
    Cache,
}

impl Store {
    /// Nothing is opened until it is asked. `source` is the name for errors.
    pub(in crate::upstream) fn new(path: Utf8PathBuf, source: String, keeper: Keeper) -> Self {
        Self {
            path,
            source,
            keeper,
            left_out: HashSet::new(),
            idle: Mutex::new(Vec::new()),
            loose: OnceLock::new(),
            is_damaged: AtomicBool::new(false),
        }
    }

    /// The same, where trees may lack these blobs.
    pub(in crate::upstream) fn leaving_out(mut self, blobs: HashSet<Oid>) -> Self {
        self.left_out = blobs;
        self
    }

    /// The source's name for errors.
    pub(in crate::upstream) fn source(&self) -> &str {
        &self.source
    }

    /// The repository's place.
    pub(in crate::upstream) fn path(&self) -> &Utf8Path {
        &self.path
    }

    /// Runs `work` with a handle of its own.
    pub(in crate::upstream) fn with<T>(
        &self,
        work: impl FnOnce(Repo<'_>) -> Result<T, SourceError>,
    ) -> Result<T, SourceError> {
        let idle = self.lock().pop();
        let repository = match idle {
            Some(repository) => repository,
            None => open(&self.path).map_err(|failed| self.damage(failed.why, failed.help))?,
        };
        let answer = work(Repo {
            store: self,
            git: &repository,
        });
        self.lock().push(repository);
        answer
    }

    /// Forgets the opened handles: after git itself changed the repository.
    pub(in crate::upstream) fn reopen(&self) {
        self.lock().clear();
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Repository>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An error about this repository.
    pub(in crate::upstream) fn unreachable(
        &self,
        why: impl Into<String>,
        help: impl Into<String>,
    ) -> SourceError {
        SourceError::Unreachable {
            source_name: self.source.clone(),
            why: why.into(),
            help: Some(help.into()),
        }
    }

    /// An error about this repository that a new copy would not have. `own` is the help for a repository of the user's.
    pub(in crate::upstream) fn damage(
        &self,
        why: impl Into<String>,
        own: impl Into<String>,
    ) -> SourceError {
        self.is_damaged.store(true, Ordering::Relaxed);
        match self.keeper {
            Keeper::User => self.unreachable(why, own),
            Keeper::Cache => {
                let path = &self.path;
                let help = format!("remove {path}: it is made again when it is needed");
                self.unreachable(why, help)
            }
        }
    }

    /// Returns true once after something was found damaged.
    pub(in crate::upstream) fn take_damage(&self) -> bool {
        self.is_damaged.swap(false, Ordering::Relaxed)
    }

    /// An error about what upstream put into the repository.
    pub(super) fn refused(&self, why: impl Into<String>) -> SourceError {
        SourceError::Refused {
            source_name: self.source.clone(),
            why: why.into(),
        }
    }

    /// A blob by its id, where it is here; not here is no failure, another source may have it.
    pub(in crate::upstream) fn blob_at_hand(&self, id: &BlobId) -> Option<Vec<u8>> {
        let id = Oid::from_str(id.as_str()).ok()?;
        if self.keeper == Keeper::Cache && !self.path.exists() {
            return None;
        }
        let read = self.with(|repo| {
            let is_here = repo.git.odb().is_ok_and(|odb| odb.exists(id));
            is_here.then(|| repo.blob(id)).transpose()
        });
        read.ok().flatten()
    }
}
