//! From a path of the lock to a file of the tree, with nothing in between that leads elsewhere.

use std::fs::Metadata;

use super::Obstacle;
use crate::beneath::{Error, Kind, Root};
use crate::check_tree_path;

/// The largest file of a tree that is read, in bytes. No source file is larger; what is, is generated data.
pub const FILE_LIMIT: u64 = 8 << 20;

/// A regular file of the tree, as it was read.
#[derive(Debug)]
pub(super) struct Place {
    /// Relative to the tree's root, with `/`.
    pub path: String,
    pub bytes: Vec<u8>,
    pub metadata: Metadata,
}

/// Reads the file at `path`, which is relative and has `/`, below `tree`.
pub(super) fn read(tree: &Root, path: &str) -> Result<Place, Obstacle> {
    // Again here: a lock need not come from a file.
    check_tree_path(path).map_err(Obstacle::Escapes)?;
    let (bytes, metadata) = tree.read_with_metadata(path, FILE_LIMIT)?;
    Ok(Place {
        path: path.to_owned(),
        bytes,
        metadata,
    })
}

impl From<Error> for Obstacle {
    fn from(error: Error) -> Self {
        if error.is_missing() {
            return Self::Missing;
        }
        match error {
            Error::Escapes { .. } => Self::Escapes(error.to_string()),
            Error::Unexpected {
                path,
                found: Kind::Link,
                ..
            } => Self::Symlink(path),
            Error::Unexpected {
                path,
                expected,
                found,
            } => Self::NotAFile {
                at: path,
                found: match (expected, found) {
                    (_, Kind::Folder) => "a folder",
                    (Kind::Folder, Kind::File) => "a file where a folder is expected",
                    _ => "neither a file nor a folder",
                },
            },
            Error::TooLarge { limit, .. } => Self::TooLarge { limit },
            Error::Io { source, .. } => Self::Unreadable(source),
        }
    }
}
