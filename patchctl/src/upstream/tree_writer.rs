//! Writes a tree of files into a folder that appears whole or not at all.

use std::io::{self, Write};

use camino::{Utf8Path, Utf8PathBuf};
use tempfile::TempDir;

use super::SourceError;
use super::archive::{Item, Take};
use super::safe_path::{inside, link_stays_inside};

/// A tree that is being written beside its place.
pub(super) struct TreeWriter {
    /// Removed with all in it unless the tree is moved to its place.
    _folder: TempDir,
    root: Utf8PathBuf,
    into: Utf8PathBuf,
    links: Vec<(Utf8PathBuf, String)>,
}

impl TreeWriter {
    /// For a tree at `into`, which is absent or an empty folder.
    pub(super) fn new(into: &Utf8Path) -> Result<Self, SourceError> {
        let full = into
            .read_dir_utf8()
            .is_ok_and(|mut entries| entries.next().is_some());
        if full || into.is_file() {
            return Err(SourceError::Unwritable {
                path: into.to_owned(),
                why: "something is there already".into(),
                help: "name a folder that is empty or absent".into(),
            });
        }
        let parent = match into.parent() {
            Some(parent) if !parent.as_str().is_empty() => parent,
            _ => Utf8Path::new("."),
        };
        let failed = |error| unwritable(into, &error);
        fs_err::create_dir_all(parent).map_err(failed)?;
        let folder = tempfile::Builder::new()
            .prefix(".patchctl-")
            .tempdir_in(parent)
            .map_err(failed)?;
        let root = Utf8PathBuf::from_path_buf(folder.path().join("tree"))
            .map_err(|_| io::Error::other("its path is not UTF-8"))
            .map_err(failed)?;
        fs_err::create_dir(&root).map_err(failed)?;
        Ok(Self {
            _folder: folder,
            root,
            into: into.to_owned(),
            links: Vec::new(),
        })
    }

    /// What an archive or a folder holds at a path.
    fn put(&mut self, path: &str, item: Item) -> Result<(), String> {
        match item {
            Item::File { executable, bytes } => self.file(path, executable, &bytes),
            Item::Link { target } => self.link(path, &target),
        }
    }

    /// A file. Its path must be inside, and nothing may stand there.
    pub(super) fn file(
        &mut self,
        path: &str,
        executable: bool,
        bytes: &[u8],
    ) -> Result<(), String> {
        let place = self.place(path)?;
        let mut options = fs_err::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        fs_err::os::unix::fs::OpenOptionsExt::mode(
            &mut options,
            if executable { 0o777 } else { 0o666 },
        );
        #[cfg(not(unix))]
        let _ = executable;
        options
            .open(&place)
            .and_then(|mut file| file.write_all(bytes))
            .map_err(|error| error.to_string())
    }

    /// A symbolic link that stays inside.
    pub(super) fn link(&mut self, path: &str, target: &str) -> Result<(), String> {
        let clean = inside(path).map_err(|why| format!("{path:?} {why}"))?;
        if !link_stays_inside(&clean, target) {
            return Err(format!(
                "the link {path:?} leads out of the folder, to {target:?}"
            ));
        }
        self.links.push((clean, target.to_owned()));
        Ok(())
    }

    /// Moves the whole to its place.
    pub(super) fn finish(mut self) -> Result<(), SourceError> {
        // Links come last: no file was written through one.
        for (path, target) in std::mem::take(&mut self.links) {
            let made = self
                .place(path.as_str())
                .and_then(|place| make_link(&target, &place).map_err(|error| error.to_string()));
            if let Err(why) = made {
                return Err(SourceError::Unwritable {
                    path: self.into.clone(),
                    why,
                    help: "look at the place and its free space".into(),
                });
            }
        }
        // An empty folder at the place gives way, on systems whose rename would not replace it too.
        let _ = fs_err::remove_dir(&self.into);
        fs_err::rename(&self.root, &self.into).map_err(|error| unwritable(&self.into, &error))
    }

    fn place(&self, path: &str) -> Result<Utf8PathBuf, String> {
        let clean = inside(path).map_err(|why| format!("{path:?} {why}"))?;
        let place = self.root.join(clean);
        if let Some(parent) = place.parent() {
            fs_err::create_dir_all(parent).map_err(|error| error.to_string())?;
        }
        Ok(place)
    }
}

/// Writes what `read` passes on as a tree at `into`, which is absent or an empty folder.
///
/// # Errors
/// The outer one where the tree cannot be written, the inner one where `read` fails by itself; then nothing is there.
pub(super) fn write_tree(
    into: &Utf8Path,
    read: impl FnOnce(&mut Take<'_>) -> Result<(), String>,
) -> Result<Result<(), String>, SourceError> {
    let mut writer = TreeWriter::new(into)?;
    let mut not_written = None;
    let answer = read(&mut |path, item| {
        writer
            .put(path, item)
            .inspect_err(|why| not_written = Some(why.clone()))
    });
    match (answer, not_written) {
        (Ok(()), _) => writer.finish().map(Ok),
        (Err(_), Some(why)) => Err(unwritable(into, &io::Error::other(why))),
        (Err(why), None) => Ok(Err(why)),
    }
}

#[cfg(unix)]
fn make_link(target: &str, place: &Utf8Path) -> io::Result<()> {
    fs_err::os::unix::fs::symlink(target, place)
}

#[cfg(not(unix))]
fn make_link(_target: &str, _place: &Utf8Path) -> io::Result<()> {
    Err(io::Error::other(
        "symbolic links are not made on this system",
    ))
}

/// A place that cannot be written, with the system's reason.
pub(super) fn unwritable(path: &Utf8Path, error: &io::Error) -> SourceError {
    let help = match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "free some space there, or name another place"
        }
        io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied => {
            "make it writable, or name another place (XDG_CACHE_HOME for the cache)"
        }
        _ => "look at the place and its free space",
    };
    SourceError::Unwritable {
        path: path.to_owned(),
        why: error.to_string(),
        help: help.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scratch() -> (TempDir, Utf8PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = Utf8PathBuf::from_path_buf(folder.path().to_owned()).unwrap();
        (folder, path)
    }

    #[test]
    fn a_tree_appears_whole_with_its_modes_and_links() {
        let (_keep, scratch) = scratch();
        let into = scratch.join("new/tree");
        let mut writer = TreeWriter::new(&into).unwrap();
        writer.file("a/run.sh", true, b"#!/bin/sh\n").unwrap();
        writer.file("a/b.h", false, b"").unwrap();
        writer.link("a/c.h", "b.h").unwrap();
        assert!(!into.exists());
        writer.finish().unwrap();
        assert_eq!(fs_err::read(into.join("a/c.h")).unwrap(), b"");
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
    fn a_tree_that_is_given_up_leaves_nothing() {
        let (_keep, scratch) = scratch();
        let into = scratch.join("tree");
        let mut writer = TreeWriter::new(&into).unwrap();
        writer.file("a/b.h", false, b"x").unwrap();
        drop(writer);
        assert_eq!(fs_err::read_dir(&scratch).unwrap().count(), 0);
    }

    #[test]
    fn a_place_that_holds_something_is_left_alone() {
        let (_keep, scratch) = scratch();
        fs_err::write(scratch.join("mine"), "x").unwrap();
        let error = TreeWriter::new(&scratch).err().unwrap();
        assert!(error.to_string().contains("already"), "{error}");
        let empty = scratch.join("empty");
        fs_err::create_dir(&empty).unwrap();
        let mut writer = TreeWriter::new(&empty).unwrap();
        writer.file("x", false, b"x").unwrap();
        writer.finish().unwrap();
        assert!(empty.join("x").is_file());
    }

    #[test]
    fn what_leaves_the_folder_or_stands_there_is_refused() {
        let (_keep, scratch) = scratch();
        let mut writer = TreeWriter::new(&scratch.join("tree")).unwrap();
        assert!(writer.file("../x", false, b"").is_err());
        assert!(writer.link("link", "../x").is_err());
        writer.file("x", false, b"").unwrap();
        assert!(writer.file("x", false, b"").is_err());
        assert!(writer.file("x/y", false, b"").is_err());
    }
}
