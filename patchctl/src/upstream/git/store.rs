//! The objects of one repository: trees, blobs, files. Every failure names the object and the repository.

use std::collections::{BTreeMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use camino::{Utf8Path, Utf8PathBuf};
use git2::{Commit, ErrorCode, ObjectType, Oid, Repository};
use patchctl_apply::BlobId;

use super::loose::Loose;
use super::open::open;
use super::tree_object::{self, Entry, Mode};
use crate::store::{GitTree, Kind, limits, write_tree};
use crate::upstream::{Blob, SourceError};

/// A repository that many threads read: each operation borrows an opened handle, as `Repository` is not `Sync`.
pub(in crate::upstream) struct Store {
    path: Utf8PathBuf,
    source: String,
    keeper: Keeper,
    /// Blobs that trees name and that may be absent all the same; then their files are passed over.
    left_out: HashSet<Oid>,
    idle: Mutex<Vec<Repository>>,
    loose: OnceLock<Loose>,
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

    fn is_left_out(&self, repository: &Repository, id: Oid) -> bool {
        self.left_out.contains(&id) && !repository.odb().is_ok_and(|odb| odb.exists(id))
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
        work: impl FnOnce(&Repository) -> Result<T, SourceError>,
    ) -> Result<T, SourceError> {
        let idle = self.lock().pop();
        let repository = match idle {
            Some(repository) => repository,
            None => open(&self.path).map_err(|failed| self.damage(failed.why, failed.help))?,
        };
        let answer = work(&repository);
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

    /// What libgit2 said of an object, in our words: missing (and why that may be) or damaged.
    pub(in crate::upstream) fn object_error(
        &self,
        repository: &Repository,
        what: &str,
        id: Oid,
        error: &git2::Error,
    ) -> SourceError {
        let path = &self.path;
        if error.code() != ErrorCode::NotFound {
            return self.damaged(what, id, error.message());
        }
        let missing = |why: &str| format!("{what} {id} is missing from {path}{why}");
        if repository.is_shallow() {
            let help = format!("`git -C {path} fetch --unshallow --tags`");
            self.damage(missing(", a shallow clone"), help)
        } else if is_partial(repository) {
            self.unreachable(
                missing(", a partial clone"),
                format!("`git -C {path} fetch --refetch --no-filter`, or use a whole clone"),
            )
        } else {
            self.damage(missing(""), self.fsck())
        }
    }

    fn fsck(&self) -> String {
        let path = &self.path;
        format!("`git -C {path} fsck` tells more; clone the repository again")
    }

    /// Refuses an object that is larger than `limit`, before it is inflated, and a loose one that libgit2 would not
    /// return from. A missing one is left to the caller. Gives its size.
    fn guard(
        &self,
        repository: &Repository,
        what: &str,
        id: Oid,
        limit: u64,
    ) -> Result<u64, SourceError> {
        let loose = self.loose.get_or_init(|| Loose::of(repository));
        let size = match loose.size(id, limit) {
            Err(why) => return Err(self.damaged(what, id, &why)),
            Ok(Some(size)) => size,
            Ok(None) => {
                let header = repository.odb().and_then(|odb| odb.read_header(id));
                header.map_or(0, |(size, _)| size as u64)
            }
        };
        if size > limit {
            return Err(self.refused(limits::too_large(&format!("{what} {id}"), size, limit)));
        }
        Ok(size)
    }

    /// The bytes of an object of a kind.
    fn object(
        &self,
        repository: &Repository,
        kind: ObjectType,
        id: Oid,
        limit: u64,
    ) -> Result<Vec<u8>, SourceError> {
        let what = kind.str();
        self.guard(repository, what, id, limit)?;
        let read = || -> Result<_, git2::Error> {
            let odb = repository.odb()?;
            let object = odb.read(id)?;
            Ok((object.kind(), object.data().to_vec()))
        };
        match read() {
            Ok((found, bytes)) if found == kind => Ok(bytes),
            Ok((found, _)) => Err(self.damaged(what, id, &format!("it is a {found}"))),
            Err(error) => Err(self.object_error(repository, what, id, &error)),
        }
    }

    /// An error about what upstream put into the repository.
    pub(super) fn refused(&self, why: impl Into<String>) -> SourceError {
        SourceError::Refused {
            source_name: self.source.clone(),
            why: why.into(),
        }
    }

    fn damaged(&self, what: &str, id: Oid, why: &str) -> SourceError {
        let path = &self.path;
        self.damage(
            format!("{what} {id} in {path} is damaged: {why}"),
            self.fsck(),
        )
    }

    pub(in crate::upstream) fn commit<'r>(
        &self,
        repository: &'r Repository,
        id: Oid,
    ) -> Result<Commit<'r>, SourceError> {
        self.guard(repository, "commit", id, limits::OBJECT)?;
        repository
            .find_commit(id)
            .map_err(|error| self.object_error(repository, "commit", id, &error))
    }

    /// The entries of a tree object.
    pub(super) fn tree(&self, repository: &Repository, id: Oid) -> Result<Vec<Entry>, SourceError> {
        let bytes = self.object(repository, ObjectType::Tree, id, limits::OBJECT)?;
        tree_object::entries(&bytes)
            .map_err(|why| self.refused(format!("tree {id} is no tree of files: {why}")))
    }

    /// The commit that an object leads to: itself, or a tag's. `None` for a tree or a blob.
    pub(in crate::upstream) fn peel(
        &self,
        repository: &Repository,
        id: Oid,
    ) -> Result<Option<Oid>, SourceError> {
        let mut at = id;
        loop {
            // It may be a blob: that is no commit, whatever its size.
            self.guard(repository, "object", at, limits::FILE)?;
            let object = repository
                .find_object(at, None)
                .map_err(|error| self.object_error(repository, "object", at, &error))?;
            match object.as_tag() {
                Some(tag) => at = tag.target_id(),
                None => return Ok((object.kind() == Some(ObjectType::Commit)).then_some(at)),
            }
        }
    }

    /// The blob at `path` below the tree `root`, by id alone; `None` where no file is there.
    pub(in crate::upstream) fn entry(
        &self,
        repository: &Repository,
        root: Oid,
        path: &Utf8Path,
    ) -> Result<Option<Oid>, SourceError> {
        let mut at = root;
        let mut components = path.components().peekable();
        while let Some(component) = components.next() {
            let tree = self.tree(repository, at)?;
            let name = component.as_str().as_bytes();
            let Some(entry) = tree.iter().find(|entry| entry.name == name) else {
                return Ok(None);
            };
            match (entry.mode, components.peek()) {
                (Mode::File(Kind::Link), _) => {
                    return Err(self.unreachable(
                        format!("{component} in {path} is a symbolic link in this revision"),
                        "name the file that it leads to",
                    ));
                }
                (Mode::File(_), None) => return Ok(Some(entry.id)),
                (Mode::Folder, Some(_)) => at = entry.id,
                _ => return Ok(None),
            }
        }
        Ok(None)
    }

    /// The bytes of a blob that is read as text.
    pub(in crate::upstream) fn blob(
        &self,
        repository: &Repository,
        id: Oid,
    ) -> Result<Vec<u8>, SourceError> {
        self.object(repository, ObjectType::Blob, id, limits::TEXT)
    }

    /// A blob by its id, where it is here; not here is no failure, another source may have it.
    pub(in crate::upstream) fn blob_at_hand(&self, id: &BlobId) -> Option<Vec<u8>> {
        let id = Oid::from_str(id.as_str()).ok()?;
        if self.keeper == Keeper::Cache && !self.path.exists() {
            return None;
        }
        let read = self.with(|repository| {
            let is_here = repository.odb().is_ok_and(|odb| odb.exists(id));
            is_here.then(|| self.blob(repository, id)).transpose()
        });
        read.ok().flatten()
    }

    /// A file's id and bytes.
    pub(in crate::upstream) fn file(
        &self,
        repository: &Repository,
        root: Oid,
        path: &Utf8Path,
    ) -> Result<Option<Blob>, SourceError> {
        let Some(id) = self.entry(repository, root, path)? else {
            return Ok(None);
        };
        Ok(Some(Blob {
            id: blob_id(id),
            bytes: self.blob(repository, id)?,
        }))
    }

    /// Writes all below the tree `root` into `into`, which is empty or absent.
    pub(in crate::upstream) fn write(
        &self,
        repository: &Repository,
        root: Oid,
        into: &Utf8Path,
    ) -> Result<(), SourceError> {
        let mut tree = GitTree::default();
        let mut left = limits::TREE;
        for (path, kind, id) in self.walk(repository, root)? {
            let unfit = |why: String| self.refused(format!("tree {root} is not written: {why}"));
            let path = String::from_utf8(path).map_err(|error| {
                unfit(format!(
                    "the name {:?} is not UTF-8",
                    String::from_utf8_lossy(error.as_bytes())
                ))
            })?;
            let limit = if kind == Kind::Link {
                limits::LINK
            } else {
                limits::FILE
            };
            let size = self.guard(repository, &format!("{path}, blob"), id, limit)?;
            left = left.checked_sub(size).ok_or_else(|| {
                unfit(format!(
                    "its files have more than {} bytes, which is the limit",
                    limits::TREE
                ))
            })?;
            match kind {
                Kind::Link => {
                    let target = self.object(repository, ObjectType::Blob, id, limit)?;
                    tree.add_link(&path, &target, id)
                }
                kind => tree.add(&path, kind == Kind::Executable, id),
            }
            .map_err(unfit)?;
        }
        write_tree(into, &tree, |_, id| {
            self.object(repository, ObjectType::Blob, id, limits::FILE)
        })
    }

    /// All files and links below the tree `root`, with their blobs.
    pub(in crate::upstream) fn files(
        &self,
        repository: &Repository,
        root: Oid,
    ) -> Result<BTreeMap<String, Oid>, SourceError> {
        let all = self.walk(repository, root)?;
        // A name that is not UTF-8 can be no overlay's file.
        let named = |(path, _, id)| Some((String::from_utf8(path).ok()?, id));
        Ok(all.into_iter().filter_map(named).collect())
    }

    /// All files and links below the tree `root`: path, kind and blob. The files of a submodule are another repository's.
    fn walk(
        &self,
        repository: &Repository,
        root: Oid,
    ) -> Result<Vec<(Vec<u8>, Kind, Oid)>, SourceError> {
        let mut found = Vec::new();
        let mut count = limits::Count::default();
        let mut open = vec![(Vec::new(), root)];
        while let Some((prefix, folder)) = open.pop() {
            for entry in self.tree(repository, folder)? {
                let mut path = [prefix.as_slice(), &entry.name].concat();
                count
                    .add(&path)
                    .map_err(|why| self.refused(format!("tree {root}: {why}")))?;
                match entry.mode {
                    Mode::Folder => {
                        path.push(b'/');
                        open.push((path, entry.id));
                    }
                    Mode::File(_) if self.is_left_out(repository, entry.id) => {}
                    Mode::File(kind) => found.push((path, kind, entry.id)),
                    Mode::Submodule => {}
                }
            }
        }
        Ok(found)
    }
}

/// Whether some objects were left with the server, which git marks at the remote.
fn is_partial(repository: &Repository) -> bool {
    let marked = || -> Result<bool, git2::Error> {
        let config = repository.config()?;
        let mut entries = config.entries(Some(r"^remote\..*\.promisor$"))?;
        Ok(entries.next().is_some() || config.get_string("extensions.partialclone").is_ok())
    };
    marked().unwrap_or(false)
}

/// libgit2's id as ours.
pub(in crate::upstream) fn blob_id(id: Oid) -> BlobId {
    BlobId::from_hex(id.to_string())
}
