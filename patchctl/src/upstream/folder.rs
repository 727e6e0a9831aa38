//! All files and links below a folder, links not followed.

use std::io;

use camino::{Utf8Path, Utf8PathBuf};
use git2::Oid;

use super::archive::{Item, Take};
use super::git_tree::GitTree;

/// What is at a path of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// Relative to the folder, with `/`.
    pub(super) path: String,
    pub(super) link: bool,
}

/// Everything below `root` but what is called `.git`, in order of names.
pub(super) fn places(root: &Utf8Path) -> io::Result<Vec<Place>> {
    let mut places = Vec::new();
    collect(root, "", &mut places)?;
    Ok(places)
}

fn collect(folder: &Utf8Path, prefix: &str, places: &mut Vec<Place>) -> io::Result<()> {
    let mut entries: Vec<_> = folder.read_dir_utf8()?.collect::<Result<_, _>>()?;
    entries.sort_by(|one, other| one.file_name().cmp(other.file_name()));
    for entry in entries {
        if entry.file_name() == ".git" {
            continue;
        }
        let path = format!("{prefix}{}", entry.file_name());
        let kind = entry.file_type()?;
        if kind.is_dir() {
            collect(entry.path(), &format!("{path}/"), places)?;
        } else {
            let link = kind.is_symlink();
            places.push(Place { path, link });
        }
    }
    Ok(())
}

/// Passes on all that is below `root`.
pub(super) fn each(root: &Utf8Path, take: &mut Take<'_>) -> Result<(), String> {
    let said = |error: io::Error| error.to_string();
    for Place { path, link } in places(root).map_err(said)? {
        let at = root.join(&path);
        let item = if link {
            Item::Link {
                target: target(&at).map_err(said)?.into_string(),
            }
        } else {
            Item::File {
                executable: is_executable(&at).map_err(said)?,
                bytes: fs_err::read(&at).map_err(said)?,
            }
        };
        take(&path, item)?;
    }
    Ok(())
}

/// Whether the folder holds what git's tree with this id holds, and nothing else.
pub fn is_tree(root: &Utf8Path, id: &str) -> bool {
    let mut tree = GitTree::default();
    let mut hash = |kind, bytes: &[u8]| Oid::hash_object(kind, bytes);
    each(root, &mut |path, item| tree.add(path, &item, &mut hash)).is_ok()
        && tree
            .id(&mut hash)
            .is_ok_and(|found| found.to_string() == id)
}

fn target(link: &Utf8Path) -> io::Result<Utf8PathBuf> {
    link.read_link_utf8()
}

#[cfg(unix)]
fn is_executable(path: &Utf8Path) -> io::Result<bool> {
    use std::os::unix::fs::PermissionsExt;
    Ok(fs_err::metadata(path)?.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(_path: &Utf8Path) -> io::Result<bool> {
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_a_tree_until_someone_touches_it() {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(folder.path()).unwrap();
        fs_err::create_dir_all(root.join("mlx")).unwrap();
        fs_err::write(root.join("mlx/a.cpp"), "int a;\n").unwrap();
        // As `git write-tree` says.
        let id = "d00a0e0e456910b6510483c106a394f3cd1c7b7a";
        assert!(is_tree(root, id));
        fs_err::write(root.join("mlx/b.cpp"), "").unwrap();
        assert!(!is_tree(root, id), "something more");
        fs_err::remove_file(root.join("mlx/b.cpp")).unwrap();
        fs_err::write(root.join("mlx/a.cpp"), "int b;\n").unwrap();
        assert!(!is_tree(root, id), "something else");
        fs_err::remove_file(root.join("mlx/a.cpp")).unwrap();
        assert!(!is_tree(root, id), "something less");
        assert!(!is_tree(&root.join("nowhere"), id));
    }
}
