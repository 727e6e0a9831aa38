//! The objects of one repository: trees, blobs, files. Every failure names the object and the repository.

use std::collections::BTreeMap;

use camino::Utf8Path;
use git2::{Commit, ErrorCode, ObjectType, Oid, Repository};
use patchctl_apply::BlobId;

use super::loose::Loose;
use super::store::Store;
use super::tree_object::{self, Entry, Mode};
use crate::store::{GitTree, Kind, limits, write_tree};
use crate::upstream::{Blob, SourceError};

/// An opened repository. [`Store::with`] lends it.
#[derive(Clone, Copy)]
pub(in crate::upstream) struct Repo<'r> {
    pub(in crate::upstream) store: &'r Store,
    pub(in crate::upstream) git: &'r Repository,
}

impl<'r> Repo<'r> {
    fn is_left_out(self, id: Oid) -> bool {
        self.store.left_out.contains(&id) && !self.git.odb().is_ok_and(|odb| odb.exists(id))
    }

    /// What libgit2 said of an object, in our words: missing (and why that may be) or damaged.
    pub(in crate::upstream) fn object_error(
        self,
        what: &str,
        id: Oid,
        error: &git2::Error,
    ) -> SourceError {
        let path = self.store.path();
        if error.code() != ErrorCode::NotFound {
            return self.damaged(what, id, error.message());
        }
        let missing = |why: &str| format!("{what} {id} is missing from {path}{why}");
        if self.git.is_shallow() {
            let help = format!("`git -C {path} fetch --unshallow --tags`");
            self.store.damage(missing(", a shallow clone"), help)
        } else if is_partial(self.git) {
            self.store.unreachable(
                missing(", a partial clone"),
                format!("`git -C {path} fetch --refetch --no-filter`, or use a whole clone"),
            )
        } else {
            self.store.damage(missing(""), self.fsck())
        }
    }

    fn fsck(self) -> String {
        let path = self.store.path();
        format!("`git -C {path} fsck` tells more; clone the repository again")
    }

    /// Refuses an object that is larger than `limit`, before it is inflated, and a loose one that libgit2 would not
    /// return from. A missing one is left to the caller. Gives its size.
    fn guard(self, what: &str, id: Oid, limit: u64) -> Result<u64, SourceError> {
        let loose = self.store.loose.get_or_init(|| Loose::of(self.git));
        let size = match loose.size(id, limit) {
            Err(why) => return Err(self.damaged(what, id, &why)),
            Ok(Some(size)) => size,
            Ok(None) => {
                let header = self.git.odb().and_then(|odb| odb.read_header(id));
                header.map_or(0, |(size, _)| size as u64)
            }
        };
        if size > limit {
            return Err(self.store.refused(limits::too_large(
                &format!("{what} {id}"),
                size,
                limit,
            )));
        }
        Ok(size)
    }

    /// The bytes of an object of a kind.
    fn object(self, kind: ObjectType, id: Oid, limit: u64) -> Result<Vec<u8>, SourceError> {
        let what = kind.str();
        self.guard(what, id, limit)?;
        let read = || -> Result<_, git2::Error> {
            let odb = self.git.odb()?;
            let object = odb.read(id)?;
            Ok((object.kind(), object.data().to_vec()))
        };
        match read() {
            Ok((found, bytes)) if found == kind => Ok(bytes),
            Ok((found, _)) => Err(self.damaged(what, id, &format!("it is a {found}"))),
            Err(error) => Err(self.object_error(what, id, &error)),
        }
    }

    fn damaged(self, what: &str, id: Oid, why: &str) -> SourceError {
        let path = self.store.path();
        self.store.damage(
            format!("{what} {id} in {path} is damaged: {why}"),
            self.fsck(),
        )
    }

    pub(in crate::upstream) fn commit(self, id: Oid) -> Result<Commit<'r>, SourceError> {
        self.guard("commit", id, limits::OBJECT)?;
        self.git
            .find_commit(id)
            .map_err(|error| self.object_error("commit", id, &error))
    }

    /// The entries of a tree object.
    pub(super) fn tree(self, id: Oid) -> Result<Vec<Entry>, SourceError> {
        let bytes = self.object(ObjectType::Tree, id, limits::OBJECT)?;
        tree_object::entries(&bytes).map_err(|why| {
            self.store
                .refused(format!("tree {id} is no tree of files: {why}"))
        })
    }

    /// The commit that an object leads to: itself, or a tag's. `None` for a tree or a blob.
    pub(in crate::upstream) fn peel(self, id: Oid) -> Result<Option<Oid>, SourceError> {
        let mut at = id;
        loop {
            // It may be a blob: that is no commit, whatever its size.
            self.guard("object", at, limits::FILE)?;
            let object = self
                .git
                .find_object(at, None)
                .map_err(|error| self.object_error("object", at, &error))?;
            match object.as_tag() {
                Some(tag) => at = tag.target_id(),
                None => return Ok((object.kind() == Some(ObjectType::Commit)).then_some(at)),
            }
        }
    }

    /// The blob at `path` below the tree `root`, by id alone; `None` where no file is there.
    pub(in crate::upstream) fn entry(
        self,
        root: Oid,
        path: &Utf8Path,
    ) -> Result<Option<Oid>, SourceError> {
        let mut at = root;
        let mut components = path.components().peekable();
        while let Some(component) = components.next() {
            let tree = self.tree(at)?;
            let name = component.as_str().as_bytes();
            let Some(entry) = tree.iter().find(|entry| entry.name == name) else {
                return Ok(None);
            };
            match (entry.mode, components.peek()) {
                (Mode::File(Kind::Link), _) => {
                    return Err(self.store.unreachable(
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
    pub(in crate::upstream) fn blob(self, id: Oid) -> Result<Vec<u8>, SourceError> {
        self.object(ObjectType::Blob, id, limits::TEXT)
    }

    /// A file's id and bytes.
    pub(in crate::upstream) fn file(
        self,
        root: Oid,
        path: &Utf8Path,
    ) -> Result<Option<Blob>, SourceError> {
        let Some(id) = self.entry(root, path)? else {
            return Ok(None);
        };
        Ok(Some(Blob {
            id: blob_id(id),
            bytes: self.blob(id)?,
        }))
    }

    /// Writes all below the tree `root` into `into`, which is empty or absent.
    pub(in crate::upstream) fn write(self, root: Oid, into: &Utf8Path) -> Result<(), SourceError> {
        let mut tree = GitTree::default();
        let mut left = limits::TREE;
        for (path, kind, id) in self.walk(root)? {
            let unfit = |why: String| {
                self.store
                    .refused(format!("tree {root} is not written: {why}"))
            };
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
            let size = self.guard(&format!("{path}, blob"), id, limit)?;
            left = left.checked_sub(size).ok_or_else(|| {
                unfit(format!(
                    "its files have more than {} bytes, which is the limit",
                    limits::TREE
                ))
            })?;
            match kind {
                Kind::Link => {
                    let target = self.object(ObjectType::Blob, id, limit)?;
                    tree.add_link(&path, &target, id)
                }
                kind => tree.add(&path, kind == Kind::Executable, id),
            }
            .map_err(unfit)?;
        }
        write_tree(into, &tree, |_, id| {
            self.object(ObjectType::Blob, id, limits::FILE)
        })
    }

    /// All files and links below the tree `root`, with their blobs.
    pub(in crate::upstream) fn files(
        self,
        root: Oid,
    ) -> Result<BTreeMap<String, Oid>, SourceError> {
        let all = self.walk(root)?;
        // A name that is not UTF-8 can be no overlay's file.
        let named = |(path, _, id)| Some((String::from_utf8(path).ok()?, id));
        Ok(all.into_iter().filter_map(named).collect())
    }

    /// All files and links below the tree `root`: path, kind and blob. The files of a submodule are another repository's.
    fn walk(self, root: Oid) -> Result<Vec<(Vec<u8>, Kind, Oid)>, SourceError> {
        let mut found = Vec::new();
        let mut count = limits::Count::default();
        let mut open = vec![(Vec::new(), root)];
        while let Some((prefix, folder)) = open.pop() {
            for entry in self.tree(folder)? {
                let mut path = [prefix.as_slice(), &entry.name].concat();
                count
                    .add(&path)
                    .map_err(|why| self.store.refused(format!("tree {root}: {why}")))?;
                match entry.mode {
                    Mode::Folder => {
                        path.push(b'/');
                        open.push((path, entry.id));
                    }
                    Mode::File(_) if self.is_left_out(entry.id) => {}
                    Mode::File(kind) => found.push((path, kind, entry.id)),
                    Mode::Submodule => {}
                }
            }
        }
        Ok(found)
    }
}

/// Returns true if some objects were left with the server, which git marks at the remote.
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
