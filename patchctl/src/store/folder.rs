//! The files and links below a folder. Links are not followed, and nothing else is opened.

use std::io;

use camino::Utf8Path;
use git2::Oid;

use super::limits;
use super::tree::{GitTree, Kind};

/// Told each path, relative to the folder that was asked for, with what is there. What it refuses ends the reading.
pub(crate) type Take<'a> = dyn FnMut(&str, Kind, &[u8]) -> Result<(), String> + 'a;

/// Everything below `root` but what is called `.git`, in order of paths.
///
/// # Errors
/// When a folder cannot be read, holds neither a file nor a link, or exceeds a limit.
pub(crate) fn files(root: &Utf8Path) -> io::Result<Vec<(String, Kind)>> {
    let mut found = Vec::new();
    let mut count = limits::Count::default();
    let mut open = vec![String::new()];
    while let Some(prefix) = open.pop() {
        for entry in root.join(&prefix).read_dir_utf8()? {
            let entry = entry?;
            if entry.file_name() == ".git" {
                continue;
            }
            let path = format!("{prefix}{}", entry.file_name());
            count
                .add(path.as_bytes())
                .map_err(|why| io::Error::other(format!("{root}: {why}")))?;
            let kind = entry.file_type()?;
            if kind.is_dir() {
                open.push(format!("{path}/"));
            } else if kind.is_symlink() {
                found.push((path, Kind::Link));
            } else if kind.is_file() {
                let data = entry.metadata()?;
                found.push((path, Kind::of_file(is_executable(&data))));
            } else {
                let at = entry.path();
                let why = format!("{at} is neither a file nor a link nor a folder");
                return Err(io::Error::other(why));
            }
        }
    }
    found.sort_by(|one, other| one.0.cmp(&other.0));
    Ok(found)
}

/// The bytes of a file, or a link's target.
///
/// # Errors
/// When it cannot be read, is no file, or exceeds the limit.
pub(crate) fn bytes(root: &Utf8Path, path: &str, kind: Kind) -> io::Result<Vec<u8>> {
    let at = root.join(path);
    if kind == Kind::Link {
        return Ok(at.read_link_utf8()?.into_string().into_bytes());
    }
    if !fs_err::symlink_metadata(&at)?.is_file() {
        return Err(io::Error::other(format!("{at} is no file")));
    }
    read(&at, limits::FILE)
}

/// The bytes of a file, which a link may lead to.
///
/// # Errors
/// When it cannot be read, is no file, or has more than `limit` bytes.
pub(crate) fn read(path: &Utf8Path, limit: u64) -> io::Result<Vec<u8>> {
    let data = fs_err::metadata(path)?;
    if !data.is_file() {
        return Err(io::Error::other(format!("{path} is no file")));
    }
    if data.len() > limit {
        let why = limits::too_large(path.as_str(), data.len(), limit);
        return Err(io::Error::other(why));
    }
    fs_err::read(path)
}

/// Passes on all that is below `root`.
///
/// # Errors
/// As [`files`] and [`bytes`], and what `take` refuses.
pub(crate) fn each(root: &Utf8Path, take: &mut Take<'_>) -> io::Result<()> {
    for (path, kind) in files(root)? {
        take(&path, kind, &bytes(root, &path, kind)?).map_err(io::Error::other)?;
    }
    Ok(())
}

/// The tree that the folder holds.
///
/// # Errors
/// As [`each`].
pub(crate) fn tree(root: &Utf8Path) -> io::Result<GitTree> {
    let mut tree = GitTree::default();
    each(root, &mut |path, kind, bytes| {
        tree.keep(path, kind, bytes, &mut Oid::hash_object)
    })?;
    Ok(tree)
}

/// The id that git gives the folder's tree.
///
/// # Errors
/// As [`each`].
pub(crate) fn tree_id(root: &Utf8Path) -> io::Result<String> {
    let id = tree(root)?.id(&mut Oid::hash_object);
    Ok(id.map_err(io::Error::other)?.to_string())
}

/// Returns true if both folders hold one tree.
pub(crate) fn same_tree(one: &Utf8Path, other: &Utf8Path) -> bool {
    tree_id(one).is_ok_and(|one| tree_id(other).is_ok_and(|other| one == other))
}

/// Returns true if nothing is at the path, or an empty folder.
pub(crate) fn is_empty_or_absent(folder: &Utf8Path) -> io::Result<bool> {
    match folder.read_dir_utf8() {
        Ok(mut entries) => Ok(entries.next().is_none()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(unix)]
fn is_executable(data: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    data.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn is_executable(_data: &std::fs::Metadata) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_touched_folder_has_another_id() {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(folder.path()).unwrap();
        fs_err::create_dir_all(root.join("mlx")).unwrap();
        fs_err::write(root.join("mlx/a.cpp"), "int a;\n").unwrap();
        // As `git write-tree` says.
        let id = "d00a0e0e456910b6510483c106a394f3cd1c7b7a";
        let is_tree = || tree_id(root).is_ok_and(|found| found == id);
        assert!(is_tree());
        fs_err::write(root.join("mlx/b.cpp"), "").unwrap();
        assert!(!is_tree(), "something more");
        fs_err::remove_file(root.join("mlx/b.cpp")).unwrap();
        fs_err::write(root.join("mlx/a.cpp"), "int b;\n").unwrap();
        assert!(!is_tree(), "something else");
        fs_err::remove_file(root.join("mlx/a.cpp")).unwrap();
        assert!(!is_tree(), "something less");
        assert!(tree_id(&root.join("nowhere")).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_is_refused_and_not_opened() {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(folder.path()).unwrap();
        let made = std::process::Command::new("mkfifo")
            .arg(root.join("pipe"))
            .status();
        assert!(made.unwrap().success());
        let error = tree_id(root).unwrap_err().to_string();
        assert!(error.contains("neither a file"));
        assert!(bytes(root, "pipe", Kind::File).is_err());
    }

    #[test]
    fn nesting_has_a_limit() {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(folder.path()).unwrap();
        fs_err::create_dir_all(root.join("d/".repeat(limits::DEPTH + 2))).unwrap();
        let error = files(root).unwrap_err().to_string();
        assert!(error.contains("folders deep"), "{error}");
    }
}
