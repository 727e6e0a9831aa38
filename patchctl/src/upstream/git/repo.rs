//! The objects of one repository: trees, blobs, files. Every failure names the object and the repository.

use std::collections::BTreeMap;
use std::fmt::Display;

use camino::Utf8Path;
use git2::{Commit, ErrorCode, ObjectType, Oid, Repository};
use patchctl_apply::BlobId;

use super::loose::Loose;
use super::store::Store;
use super::tree_object::{self, Entry, Mode};
use crate::report::Error;
use crate::store::{GitTree, Kind, limits, write_tree};
use crate::upstream::Blob;
use crate::upstream::revision::refused;

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

    /// Makes an error of libgit2 about an object into ours: missing (and the likely reason) or damaged.
    fn object_error(self, what: &str, id: Oid, error: &git2::Error) -> Error {
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

    pub(super) fn refused(self, why: impl Display) -> Error {
        refused(&self.store.source, why)
    }

    /// Refuses an object that is larger than `limit`, before it is inflated, and a loose one that libgit2 would not
    /// return from. A missing one is left to the caller. Gives its size.
    fn guard(self, what: &str, id: Oid, limit: u64) -> Result<u64, Error> {
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
            let what = format!("{what} {id}");
            return Err(self.refused(limits::too_large(&what, size, limit)));
        }
        Ok(size)
    }

    /// The bytes of an object of a kind.
    fn object(self, kind: ObjectType, id: Oid, limit: u64) -> Result<Vec<u8>, Error> {
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

    fn damaged(self, what: &str, id: Oid, why: &str) -> Error {
        let path = self.store.path();
        self.store.damage(
            format!("{what} {id} in {path} is damaged: {why}"),
            self.fsck(),
        )
    }

    pub(in crate::upstream) fn commit(self, id: Oid) -> Result<Commit<'r>, Error> {
        self.guard("commit", id, limits::OBJECT)?;
        self.git
            .find_commit(id)
            .map_err(|error| self.object_error("commit", id, &error))
    }

    /// The entries of a tree object.
    pub(super) fn tree(self, id: Oid) -> Result<Vec<Entry>, Error> {
        let bytes = self.object(ObjectType::Tree, id, limits::OBJECT)?;
        tree_object::entries(&bytes)
            .map_err(|why| self.refused(format!("tree {id} is no tree of files: {why}")))
    }

    /// The commit that an object leads to: itself, or a tag's. `None` for a tree or a blob.
    pub(super) fn peel(self, id: Oid) -> Result<Option<Oid>, Error> {
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

    /// The file at `path` below the tree `root`, or the link that stands in the way; `None` where neither is there.
    pub(super) fn entry(self, root: Oid, path: &Utf8Path) -> Result<Option<Entry>, Error> {
        let mut at = root;
        let mut components = path.components().peekable();
        while let Some(component) = components.next() {
            let mut entries = self.tree(at)?.into_iter();
            let entry = entries.find(|entry| entry.name == component.as_str().as_bytes());
            let is_last = components.peek().is_none();
            match entry.as_ref().map(|entry| entry.mode) {
                Some(Mode::File(kind)) if is_last || kind == Kind::Link => return Ok(entry),
                Some(Mode::Folder) if !is_last => at = entry.map_or(at, |entry| entry.id),
                _ => return Ok(None),
            }
        }
        Ok(None)
    }

    /// The blob of a file, by id alone; `None` where no file is there.
    pub(super) fn blob_at(self, root: Oid, path: &Utf8Path) -> Result<Option<Oid>, Error> {
        match self.entry(root, path)? {
            Some(entry) if entry.mode == Mode::File(Kind::Link) => {
                let name = String::from_utf8_lossy(&entry.name);
                Err(self.store.unreachable(
                    format!("{name} in {path} is a symbolic link in this revision"),
                    "name the file that it leads to",
                ))
            }
            entry => Ok(entry.map(|entry| entry.id)),
        }
    }

    /// The bytes of a blob that is read as text.
    pub(super) fn blob(self, id: Oid) -> Result<Vec<u8>, Error> {
        self.object(ObjectType::Blob, id, limits::TEXT)
    }

    /// A file's id and bytes.
    pub(super) fn file(self, root: Oid, path: &Utf8Path) -> Result<Option<Blob>, Error> {
        let id = self.blob_at(root, path)?;
        id.map(|id| {
            Ok(Blob {
                id: blob_id(id),
                bytes: self.blob(id)?,
            })
        })
        .transpose()
    }

    /// Writes all files below the tree `root` into `into`, which is empty or absent.
    pub(in crate::upstream) fn write(self, root: Oid, into: &Utf8Path) -> Result<(), Error> {
        let unfit = |why: String| self.refused(format!("tree {root} is not written: {why}"));
        let mut tree = GitTree::default();
        let mut left = limits::TREE;
        for (path, kind, id) in self.walk(root)? {
            let path = String::from_utf8(path).map_err(|error| {
                let name = String::from_utf8_lossy(error.as_bytes());
                unfit(format!("the name {name:?} is not UTF-8"))
            })?;
            let limit = match kind {
                Kind::Link => limits::LINK,
                Kind::File | Kind::Executable => limits::FILE,
            };
            let size = self.guard(&format!("{path}, blob"), id, limit)?;
            left = left.checked_sub(size).ok_or_else(|| {
                let limit = limits::TREE;
                unfit(format!(
                    "its files have more than {limit} bytes, which is the limit"
                ))
            })?;
            let target = match kind {
                Kind::Link => self.object(ObjectType::Blob, id, limit)?,
                Kind::File | Kind::Executable => Vec::new(),
            };
            tree.add(&path, kind, &target, id).map_err(unfit)?;
        }
        write_tree(into, &tree, |_, _, id| {
            self.object(ObjectType::Blob, id, limits::FILE)
        })
    }

    /// All files and links below the tree `root`, with their blobs.
    pub(in crate::upstream) fn files(self, root: Oid) -> Result<BTreeMap<String, Oid>, Error> {
        let all = self.walk(root)?;
        // A name that is not UTF-8 can be no overlay's file.
        let named = |(path, _, id)| Some((String::from_utf8(path).ok()?, id));
        Ok(all.into_iter().filter_map(named).collect())
    }

    /// All files and links below the tree `root`: path, kind and blob. The files of a submodule are another repository's.
    fn walk(self, root: Oid) -> Result<Vec<(Vec<u8>, Kind, Oid)>, Error> {
        let mut found = Vec::new();
        let mut count = limits::Count::default();
        let mut open = vec![(Vec::new(), root)];
        while let Some((prefix, folder)) = open.pop() {
            for entry in self.tree(folder)? {
                let mut path = [prefix.as_slice(), &entry.name].concat();
                count
                    .add(&path)
                    .map_err(|why| self.refused(format!("tree {root}: {why}")))?;
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
