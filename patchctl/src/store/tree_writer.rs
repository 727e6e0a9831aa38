//! Writes a tree of files into a folder.

use std::io;
use std::path::Path;

use camino::Utf8Path;
use git2::Oid;
use patchctl_apply::beneath::{self, Root};

use super::tree::{GitTree, Kind};
use super::{folder, unwritable};
use crate::report::Error;

/// Writes `tree` at `into`, which is absent or an empty folder; `read` gives the bytes of a blob. The folder comes to be
/// there file by file: where it must appear whole, `into` is a place of [`super::Cache`].
///
/// # Errors
/// When the place cannot be written, or holds something, and what `read` fails with; then nothing is there.
pub(crate) fn write_tree(
    into: &Utf8Path,
    tree: &GitTree,
    read: impl Fn(&str, Kind, Oid) -> Result<Vec<u8>, Error>,
) -> Result<(), Error> {
    if !folder::is_empty_or_absent(into).map_err(|error| unwritable(into, &error))? {
        let taken = io::Error::new(io::ErrorKind::AlreadyExists, "something is there already");
        return Err(unwritable(into, &taken));
    }
    let written = write_all(into, tree, read);
    if written.is_err() {
        // The error tells more than a second one would.
        let _ = fs_err::remove_dir_all(into);
    }
    written
}

fn write_all(
    into: &Utf8Path,
    tree: &GitTree,
    read: impl Fn(&str, Kind, Oid) -> Result<Vec<u8>, Error>,
) -> Result<(), Error> {
    let failed = |error: io::Error| unwritable(into, &error);
    let not_beneath = |error: beneath::Error| failed(error.into());
    fs_err::create_dir_all(into).map_err(failed)?;
    // Through no link, whatever another process puts there meanwhile.
    let root = Root::open(into.as_std_path()).map_err(not_beneath)?;
    // Links come last: nothing is written through one. No folder above a link is a link, by the tree's rules.
    let (links, files): (Vec<_>, Vec<_>) = tree.files().partition(|it| it.1 == Kind::Link);
    for (path, kind, id) in files.into_iter().chain(links) {
        let bytes = read(path, kind, id)?;
        if let Some(parent) = Utf8Path::new(path).parent() {
            root.create_folders(parent).map_err(not_beneath)?;
        }
        match kind {
            Kind::Link => root.make_link(path, Path::new(&*String::from_utf8_lossy(&bytes))),
            _ => root.create_new(path, kind == Kind::Executable, &bytes),
        }
        .map_err(not_beneath)?;
    }
    // A file system that folds names, or another process, may have made something else of it.
    let wanted = tree.id(&mut Oid::hash_object);
    let wanted = wanted.map_err(|error| failed(io::Error::other(error)))?;
    if folder::tree_id(into).map_err(failed)? != wanted.to_string() {
        let why = "what came to be there is not the tree that was written";
        return Err(failed(io::Error::other(why)));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use camino::Utf8PathBuf;
    use git2::ObjectType;
    use tempfile::TempDir;

    use super::*;

    fn scratch() -> (TempDir, Utf8PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = Utf8PathBuf::from_path_buf(folder.path().to_owned()).unwrap();
        (folder, path)
    }

    /// Each file holds its own path, each link leads to `b.h`.
    fn tree(files: &[(&str, Kind)]) -> GitTree {
        let mut tree = GitTree::default();
        let mut hash = |kind, bytes: &[u8]| Oid::hash_object(kind, bytes);
        for (path, kind) in files {
            tree.keep(path, *kind, &bytes(path), &mut hash).unwrap();
        }
        tree
    }

    fn bytes(path: &str) -> Vec<u8> {
        if path.contains("link") {
            b"b.h".to_vec()
        } else {
            path.into()
        }
    }

    fn write(into: &Utf8Path, tree: &GitTree) -> Result<(), Error> {
        write_tree(into, tree, |path, _, _| Ok(bytes(path)))
    }

    #[test]
    fn a_tree_has_its_modes_and_links() {
        let (_keep, scratch) = scratch();
        let into = scratch.join("new/tree");
        let files = [
            ("a/run.sh", Kind::Executable),
            ("a/b.h", Kind::File),
            ("a/link.h", Kind::Link),
        ];
        write(&into, &tree(&files)).unwrap();
        assert_eq!(fs_err::read(into.join("a/link.h")).unwrap(), b"a/b.h");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = |path: &str| {
                fs_err::metadata(into.join(path))
                    .unwrap()
                    .permissions()
                    .mode()
            };
            assert_eq!(mode("a/run.sh") & 0o111, 0o111);
            assert_eq!(mode("a/b.h") & 0o111, 0);
        }
        assert_eq!(fs_err::read_dir(scratch.join("new")).unwrap().count(), 1);
    }

    #[test]
    fn a_failed_tree_leaves_nothing() {
        let (_keep, scratch) = scratch();
        let into = scratch.join("tree");
        let tree = tree(&[("a/b.h", Kind::File), ("c.h", Kind::File)]);
        let error = unwritable(&into, &io::ErrorKind::StorageFull.into());
        let failed = write_tree(&into, &tree, |path, _, _| match path {
            "c.h" => Err(error.clone()),
            path => Ok(bytes(path)),
        });
        assert!(failed.is_err());
        assert_eq!(fs_err::read_dir(&scratch).unwrap().count(), 0);
    }

    #[test]
    fn other_bytes_than_the_trees_are_refused() {
        let (_keep, scratch) = scratch();
        let into = scratch.join("tree");
        let tree = tree(&[("a/b.h", Kind::File)]);
        let error = write_tree(&into, &tree, |_, _, _| Ok(b"other".to_vec()));
        assert!(error.unwrap_err().to_string().contains("is not the tree"));
        assert!(!into.exists());
    }

    #[test]
    fn a_place_that_holds_something_is_left_alone() {
        let (_keep, scratch) = scratch();
        fs_err::write(scratch.join("mine"), "x").unwrap();
        let tree = tree(&[("x", Kind::File)]);
        let error = write(&scratch, &tree).unwrap_err();
        assert!(error.to_string().contains("already"), "{error}");
        assert!(scratch.join("mine").is_file());
        let empty = scratch.join("empty");
        fs_err::create_dir(&empty).unwrap();
        write(&empty, &tree).unwrap();
        assert!(empty.join("x").is_file());
    }

    #[test]
    fn what_leaves_the_folder_is_no_tree() {
        let id = Oid::hash_object(ObjectType::Blob, b"").unwrap();
        let mut tree = GitTree::default();
        assert!(tree.add("../x", Kind::File, b"", id).is_err());
        assert!(tree.add("link", Kind::Link, b"../x", id).is_err());
        tree.add("x", Kind::File, b"", id).unwrap();
        assert!(tree.add("x", Kind::File, b"", id).is_err());
        assert!(tree.add("x/y", Kind::File, b"", id).is_err());
    }
}
