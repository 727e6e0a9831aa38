//! A tree of files as git stores it: paths with modes and ids, and the tree objects over them.

use std::collections::{BTreeMap, BTreeSet};

use camino::Utf8Path;
use git2::{ObjectType, Oid};

use super::tree_rules::{Paths, link_stays_inside};

/// The kinds of files that a tree may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A plain file.
    File,
    /// A file that can be run.
    Executable,
    /// A symbolic link; its bytes are its target.
    Link,
}

impl Kind {
    /// The kind of a file that is no link.
    pub(crate) fn of_file(executable: bool) -> Self {
        match executable {
            true => Self::Executable,
            false => Self::File,
        }
    }

    fn mode(self) -> &'static str {
        match self {
            Self::File => "100644",
            Self::Executable => "100755",
            Self::Link => "120000",
        }
    }
}

/// Hashes an object, and keeps it where that is wanted.
pub(crate) type Keep<'a> = dyn FnMut(ObjectType, &[u8]) -> Result<Oid, git2::Error> + 'a;

/// The files of a tree. No two of them stand at one place, and none stands outside.
#[derive(Debug, Default)]
pub(crate) struct GitTree {
    files: BTreeMap<String, (Kind, Oid)>,
    paths: Paths,
}

impl GitTree {
    /// Adds a file, or a link, which must stay inside; `id` is its blob, and `target` a link's target.
    ///
    /// # Errors
    /// One line, where no tree may hold it beside what is there already.
    pub(crate) fn add(
        &mut self,
        path: &str,
        kind: Kind,
        target: &[u8],
        id: Oid,
    ) -> Result<(), String> {
        self.paths.add(path, kind == Kind::Link)?;
        let target = String::from_utf8_lossy(target);
        if kind == Kind::Link && !link_stays_inside(Utf8Path::new(path), &target) {
            return Err(format!(
                "the link {path:?} leads out of the folder, to {target:?}"
            ));
        }
        self.files.insert(path.to_owned(), (kind, id));
        Ok(())
    }

    /// Adds a file or link, its bytes going through `keep`.
    ///
    /// # Errors
    /// As [`GitTree::add`], and what `keep` fails with.
    pub(crate) fn keep(
        &mut self,
        path: &str,
        kind: Kind,
        bytes: &[u8],
        keep: &mut Keep<'_>,
    ) -> Result<(), String> {
        let id = keep(ObjectType::Blob, bytes).map_err(|error| error.message().to_owned())?;
        self.add(path, kind, bytes, id)
    }

    /// All files and links in order of their paths.
    pub(crate) fn files(&self) -> impl Iterator<Item = (&str, Kind, Oid)> {
        self.files
            .iter()
            .map(|(path, (kind, id))| (path.as_str(), *kind, *id))
    }

    /// Returns true if a file or link stands at `path`.
    pub(crate) fn contains(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }

    /// The tree's id; all tree objects go through `keep`, this one last.
    pub(crate) fn id(&self, keep: &mut Keep<'_>) -> Result<Oid, git2::Error> {
        // By folder, its entries in git's order: a folder's name sorts as if it ended in a slash.
        let mut folders: BTreeMap<&str, BTreeSet<(String, &str, &str, Oid)>> = BTreeMap::new();
        folders.insert("", BTreeSet::new());
        for (path, (kind, id)) in &self.files {
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
            let entry = (name.to_owned(), kind.mode(), name, *id);
            folders.entry(folder).or_default().insert(entry);
            let mut at = folder;
            while !at.is_empty() {
                at = at.rsplit_once('/').map_or("", |(above, _)| above);
                folders.entry(at).or_default();
            }
        }
        // A folder sorts before all that is in it: from the end, each is whole when its turn comes.
        while let Some((folder, entries)) = folders.pop_last() {
            let mut bytes = Vec::new();
            for (_, mode, name, id) in entries {
                bytes.extend_from_slice(mode.as_bytes());
                bytes.push(b' ');
                bytes.extend_from_slice(name.as_bytes());
                bytes.push(0);
                bytes.extend_from_slice(id.as_bytes());
            }
            let id = keep(ObjectType::Tree, &bytes)?;
            if folder.is_empty() {
                return Ok(id);
            }
            let (above, name) = folder.rsplit_once('/').unwrap_or(("", folder));
            let entry = (format!("{name}/"), "40000", name, id);
            folders.entry(above).or_default().insert(entry);
        }
        Err(git2::Error::from_str("a tree without a root"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_is_gits() {
        let folder = tempfile::tempdir().unwrap();
        let repository = git2::Repository::init(folder.path()).unwrap();
        let mut tree = GitTree::default();
        let mut keep = |kind: ObjectType, bytes: &[u8]| Oid::hash_object(kind, bytes);
        let mut builder = repository.treebuilder(None).unwrap();
        let mut inner = repository.treebuilder(None).unwrap();
        // The order is git's: `a.h`, then the folder `a/`, then `a0`.
        for (name, mode, executable) in [("a.h", 0o100_644, false), ("a0", 0o100_755, true)] {
            let id = repository.blob(name.as_bytes()).unwrap();
            builder.insert(name, id, mode).unwrap();
            inner.insert(name, id, mode).unwrap();
            let kind = Kind::of_file(executable);
            tree.add(name, kind, b"", id).unwrap();
            tree.add(&format!("a/{name}"), kind, b"", id).unwrap();
        }
        let link = repository.blob(b"a.h").unwrap();
        builder.insert("link", link, 0o120_000).unwrap();
        tree.add("link", Kind::Link, b"a.h", link).unwrap();
        builder
            .insert("a", inner.write().unwrap(), 0o040_000)
            .unwrap();
        assert_eq!(tree.id(&mut keep).unwrap(), builder.write().unwrap());
        let empty = repository.treebuilder(None).unwrap().write().unwrap();
        assert_eq!(GitTree::default().id(&mut keep).unwrap(), empty);
    }

    #[test]
    fn two_things_at_one_place_are_refused() {
        let mut tree = GitTree::default();
        let mut add = |path: &str| tree.add(path, Kind::File, b"", Oid::ZERO_SHA1);
        add("a/b").unwrap();
        assert!(add("a/b").is_err());
        assert!(add("a/b/c").is_err());
        assert!(add("a").is_err());
        assert!(tree.contains("a/b") && !tree.contains("a/c"));
    }
}
