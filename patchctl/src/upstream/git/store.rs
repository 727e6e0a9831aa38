//! The objects of one repository: trees, blobs, files. Every failure names the object and the repository.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Mutex, OnceLock, PoisonError};

use camino::{Utf8Path, Utf8PathBuf};
use git2::{Commit, ErrorCode, ObjectType, Oid, Repository, Tree};
use patchctl_apply::BlobId;

use super::loose::Loose;
use super::open::open;
use crate::upstream::tree_writer::TreeWriter;
use crate::upstream::{Blob, SourceError};

const LINK: i32 = 0o120_000;

/// A repository that many threads read: each operation borrows an opened handle, as `Repository` is not `Sync`.
pub(in crate::upstream) struct Store {
    path: Utf8PathBuf,
    source: String,
    keeper: Keeper,
    /// Blobs that trees name and that may be absent all the same; then their files are passed over.
    left_out: HashSet<Oid>,
    idle: Mutex<Vec<Repository>>,
    loose: OnceLock<Loose>,
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
            None => open(&self.path)
                .map_err(|failed| self.unreachable(failed.why, self.remedy(failed.help)))?,
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

    /// What the user can do: a repository of the cache is made again, whatever is wrong with it.
    fn remedy(&self, own: String) -> String {
        match self.keeper {
            Keeper::User => own,
            Keeper::Cache => format!("remove {}: it is made again when it is needed", self.path),
        }
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
        if repository.is_shallow() {
            self.unreachable(
                format!("{what} {id} is missing from {path}, a shallow clone"),
                self.remedy(format!("`git -C {path} fetch --unshallow --tags`")),
            )
        } else if is_partial(repository) {
            self.unreachable(
                format!("{what} {id} is missing from {path}, a partial clone"),
                format!("`git -C {path} fetch --refetch --no-filter`, or use a whole clone"),
            )
        } else {
            self.unreachable(
                format!("{what} {id} is missing from {path}"),
                self.remedy(format!(
                    "`git -C {path} fsck` tells more; clone the repository again"
                )),
            )
        }
    }

    /// Refuses a loose object that libgit2 would not return from.
    fn guard(&self, repository: &Repository, what: &str, id: Oid) -> Result<(), SourceError> {
        match self.loose.get_or_init(|| Loose::of(repository)).damage(id) {
            None => Ok(()),
            Some(why) => Err(self.damaged(what, id, &why)),
        }
    }

    fn damaged(&self, what: &str, id: Oid, why: &str) -> SourceError {
        let path = &self.path;
        self.unreachable(
            format!("{what} {id} in {path} is damaged: {why}"),
            self.remedy(format!(
                "`git -C {path} fsck` tells more; clone the repository again"
            )),
        )
    }

    pub(in crate::upstream) fn commit<'r>(
        &self,
        repository: &'r Repository,
        id: Oid,
    ) -> Result<Commit<'r>, SourceError> {
        self.guard(repository, "commit", id)?;
        repository
            .find_commit(id)
            .map_err(|error| self.object_error(repository, "commit", id, &error))
    }

    pub(in crate::upstream) fn tree<'r>(
        &self,
        repository: &'r Repository,
        id: Oid,
    ) -> Result<Tree<'r>, SourceError> {
        self.guard(repository, "tree", id)?;
        repository
            .find_tree(id)
            .map_err(|error| self.object_error(repository, "tree", id, &error))
    }

    /// The commit that an object leads to: itself, or a tag's. `None` for a tree or a blob.
    pub(in crate::upstream) fn peel(
        &self,
        repository: &Repository,
        id: Oid,
    ) -> Result<Option<Oid>, SourceError> {
        let mut at = id;
        loop {
            self.guard(repository, "object", at)?;
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
            let Some(entry) = tree.get_name(component.as_str()) else {
                return Ok(None);
            };
            let last = components.peek().is_none();
            if entry.filemode() == LINK {
                return Err(self.unreachable(
                    format!("{component} in {path} is a symbolic link in this revision"),
                    "name the file that it leads to",
                ));
            }
            match (entry.kind(), last) {
                (Some(ObjectType::Blob), true) => return Ok(Some(entry.id())),
                (Some(ObjectType::Tree), false) => at = entry.id(),
                _ => return Ok(None),
            }
        }
        Ok(None)
    }

    /// The bytes of a blob.
    pub(in crate::upstream) fn blob(
        &self,
        repository: &Repository,
        id: Oid,
    ) -> Result<Vec<u8>, SourceError> {
        self.guard(repository, "blob", id)?;
        repository
            .find_blob(id)
            .map(|blob| blob.content().to_vec())
            .map_err(|error| self.object_error(repository, "blob", id, &error))
    }

    /// A blob by its id, where it is here; not here is no failure, another source may have it.
    pub(in crate::upstream) fn blob_at_hand(&self, id: &BlobId) -> Option<Vec<u8>> {
        let id = Oid::from_str(id.as_str()).ok()?;
        self.with(|repository| self.blob(repository, id)).ok()
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
        let mut writer = TreeWriter::new(into)?;
        self.write_below(repository, root, "", &mut writer, into)?;
        writer.finish()
    }

    fn write_below(
        &self,
        repository: &Repository,
        root: Oid,
        prefix: &str,
        writer: &mut TreeWriter,
        into: &Utf8Path,
    ) -> Result<(), SourceError> {
        for entry in &self.tree(repository, root)? {
            let Ok(name) = entry.name() else {
                return Err(self.unreachable(
                    format!("a name in tree {root} is not UTF-8"),
                    "such a tree cannot be written",
                ));
            };
            let path = format!("{prefix}{name}");
            let written = match entry.kind() {
                Some(ObjectType::Tree) => {
                    self.write_below(repository, entry.id(), &format!("{path}/"), writer, into)?;
                    continue;
                }
                Some(ObjectType::Blob) if self.is_left_out(repository, entry.id()) => continue,
                Some(ObjectType::Blob) => {
                    let bytes = self.blob(repository, entry.id())?;
                    match entry.filemode() {
                        LINK => writer.link(&path, &String::from_utf8_lossy(&bytes)),
                        mode => writer.file(&path, mode & 0o111 != 0, &bytes),
                    }
                }
                // A submodule: its files are another repository's.
                _ => continue,
            };
            written.map_err(|why| SourceError::Unwritable {
                path: into.to_owned(),
                why,
                help: "look at the place, its free space, and the tree".into(),
            })?;
        }
        Ok(())
    }

    /// All files and links below the tree `root`, with their blobs.
    pub(in crate::upstream) fn files(
        &self,
        repository: &Repository,
        root: Oid,
    ) -> Result<BTreeMap<String, Oid>, SourceError> {
        let mut files = BTreeMap::new();
        self.collect(repository, root, "", &mut files)?;
        Ok(files)
    }

    fn collect(
        &self,
        repository: &Repository,
        root: Oid,
        prefix: &str,
        files: &mut BTreeMap<String, Oid>,
    ) -> Result<(), SourceError> {
        for entry in &self.tree(repository, root)? {
            // A name that is not UTF-8 can be no overlay's file.
            let Ok(name) = entry.name() else { continue };
            let path = format!("{prefix}{name}");
            match entry.kind() {
                Some(ObjectType::Blob) if self.is_left_out(repository, entry.id()) => {}
                Some(ObjectType::Blob) => {
                    files.insert(path, entry.id());
                }
                Some(ObjectType::Tree) => {
                    self.collect(repository, entry.id(), &format!("{path}/"), files)?;
                }
                _ => {}
            }
        }
        Ok(())
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
