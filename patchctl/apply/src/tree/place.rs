//! From a path of the lock to a file of the tree, with nothing in between that leads elsewhere.

use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use super::Obstacle;
use crate::check_tree_path;

/// A regular file of the tree, as it was read.
#[derive(Debug)]
pub(super) struct Place {
    pub path: PathBuf,
    pub bytes: Vec<u8>,
    pub metadata: Metadata,
}

/// Reads the file at `path`, which is relative and has `/`, below `dir`.
pub(super) fn read(dir: &Path, path: &str) -> Result<Place, Obstacle> {
    // Again here: a lock need not come from a file.
    check_tree_path(path).map_err(Obstacle::Escapes)?;
    let mut at = dir.to_owned();
    let mut parts = path.split('/').peekable();
    while let Some(part) = parts.next() {
        at.push(part);
        let metadata = fs::symlink_metadata(&at).map_err(unreadable)?;
        let kind = metadata.file_type();
        if kind.is_symlink() {
            return Err(Obstacle::Symlink(at));
        }
        match (parts.peek().is_some(), kind.is_dir(), kind.is_file()) {
            (true, true, _) => {}
            (false, _, true) => {
                let bytes = fs::read(&at).map_err(unreadable)?;
                return Ok(Place {
                    path: at,
                    bytes,
                    metadata,
                });
            }
            (_, is_dir, is_file) => {
                let found = match (is_dir, is_file) {
                    (true, _) => "a folder",
                    (_, true) => "a file where a folder is expected",
                    _ => "neither a file nor a folder",
                };
                return Err(Obstacle::NotAFile { at, found });
            }
        }
    }
    Err(Obstacle::Missing)
}

fn unreadable(error: io::Error) -> Obstacle {
    match error.kind() {
        io::ErrorKind::NotFound => Obstacle::Missing,
        _ => Obstacle::Unreadable(error),
    }
}
