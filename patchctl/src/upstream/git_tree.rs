//! A tree of files as git stores it: nested tree objects with modes and ids.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use git2::{ObjectType, Oid};

use super::archive::Item;

/// A folder on its way to be a tree object.
#[derive(Debug, Default)]
pub(super) struct GitTree {
    entries: BTreeMap<String, Node>,
}

#[derive(Debug)]
enum Node {
    Leaf { mode: &'static str, id: Oid },
    Folder(GitTree),
}

/// Hashes an object, and keeps it where that is wanted.
pub(super) type Keep<'a> = dyn FnMut(ObjectType, &[u8]) -> Result<Oid, git2::Error> + 'a;

impl GitTree {
    /// Adds a file or link at `path`, its bytes going through `keep`.
    pub(super) fn add(
        &mut self,
        path: &str,
        item: &Item,
        keep: &mut Keep<'_>,
    ) -> Result<(), String> {
        let (mode, bytes) = match item {
            Item::File {
                executable: true,
                bytes,
            } => ("100755", bytes.as_slice()),
            Item::File { bytes, .. } => ("100644", bytes.as_slice()),
            Item::Link { target } => ("120000", target.as_bytes()),
        };
        let id = keep(ObjectType::Blob, bytes).map_err(|error| error.message().to_owned())?;
        self.insert(path, mode, id)
    }

    /// Adds a plain file whose bytes are not at hand.
    pub(super) fn add_known(&mut self, path: &str, id: Oid) -> Result<(), String> {
        self.insert(path, "100644", id)
    }

    /// Whether something stands at `path`.
    pub(super) fn contains(&self, path: &str) -> bool {
        match path.split_once('/') {
            None => self.entries.contains_key(path),
            Some((folder, rest)) => {
                matches!(self.entries.get(folder), Some(Node::Folder(tree)) if tree.contains(rest))
            }
        }
    }

    fn insert(&mut self, path: &str, mode: &'static str, id: Oid) -> Result<(), String> {
        let twice = || format!("{path:?} stands there twice");
        match path.split_once('/') {
            None => match self.entries.entry(path.to_owned()) {
                Entry::Vacant(free) => {
                    free.insert(Node::Leaf { mode, id });
                    Ok(())
                }
                Entry::Occupied(_) => Err(twice()),
            },
            Some((folder, rest)) => {
                let node = self
                    .entries
                    .entry(folder.to_owned())
                    .or_insert_with(|| Node::Folder(Self::default()));
                match node {
                    Node::Folder(tree) => tree.insert(rest, mode, id),
                    Node::Leaf { .. } => Err(twice()),
                }
            }
        }
    }

    /// The tree's id; all tree objects go through `keep`, this one last.
    pub(super) fn id(&self, keep: &mut Keep<'_>) -> Result<Oid, git2::Error> {
        let mut lines = Vec::with_capacity(self.entries.len());
        for (name, node) in &self.entries {
            let (order, mode, id) = match node {
                Node::Leaf { mode, id } => (name.clone(), *mode, *id),
                // git orders a folder as if its name ended in a slash.
                Node::Folder(tree) => (format!("{name}/"), "40000", tree.id(keep)?),
            };
            lines.push((order, mode, name, id));
        }
        lines.sort();
        let mut bytes = Vec::new();
        for (_, mode, name, id) in lines {
            bytes.extend_from_slice(mode.as_bytes());
            bytes.push(b' ');
            bytes.extend_from_slice(name.as_bytes());
            bytes.push(0);
            bytes.extend_from_slice(id.as_bytes());
        }
        keep(ObjectType::Tree, &bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_is_the_one_that_git_gives_the_tree() {
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
            let item = Item::File {
                executable,
                bytes: name.into(),
            };
            tree.add(name, &item, &mut keep).unwrap();
            tree.add(&format!("a/{name}"), &item, &mut keep).unwrap();
        }
        let link = repository.blob(b"a.h").unwrap();
        builder.insert("link", link, 0o120_000).unwrap();
        tree.add(
            "link",
            &Item::Link {
                target: "a.h".into(),
            },
            &mut keep,
        )
        .unwrap();
        builder
            .insert("a", inner.write().unwrap(), 0o040_000)
            .unwrap();
        assert_eq!(tree.id(&mut keep).unwrap(), builder.write().unwrap());
    }

    #[test]
    fn two_things_at_one_place_are_refused() {
        let mut tree = GitTree::default();
        tree.add_known("a/b", Oid::ZERO_SHA1).unwrap();
        assert!(tree.add_known("a/b", Oid::ZERO_SHA1).is_err());
        assert!(tree.add_known("a/b/c", Oid::ZERO_SHA1).is_err());
        assert!(tree.add_known("a", Oid::ZERO_SHA1).is_err());
        assert!(tree.contains("a/b") && !tree.contains("a/c"));
    }
}
