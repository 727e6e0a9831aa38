//! Looks through a tree for files that have markers and should not.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::path::Path;

use super::place::FILE_LIMIT;
use super::record::RECORD_FILE;
use super::{Obstacle, Problem};
use crate::beneath::{Error, Kind, Root};
use crate::markers::has_markers;

/// What a block can stand in: its markers are comments and directives of C's family.
const EXTENSIONS: [&str; 20] = [
    "c", "cc", "cpp", "cxx", "c++", "cu", "cuh", "h", "hh", "hpp", "hxx", "h++", "inc", "inl",
    "ipp", "m", "metal", "mm", "tcc", "txx",
];

/// Every file of `tree` that has the words of a marker and is not in `seen`, with its bytes.
///
/// Looks at files of C's family up to [`FILE_LIMIT`], follows no symbolic link, and skips folders whose name begins
/// with a dot and those that are patched trees of their own. What cannot be read is a problem: it cannot be shown to be free of markers.
pub(super) fn marked(
    tree: &Root,
    seen: &HashSet<String>,
    problems: &mut Vec<Problem>,
) -> Vec<(String, Vec<u8>)> {
    let mut walk = Walk {
        tree,
        seen,
        problems,
        folders: vec![String::new()],
        found: Vec::new(),
    };
    while let Some(prefix) = walk.folders.pop() {
        walk.folder(&prefix);
    }
    walk.found
}

struct Walk<'a> {
    tree: &'a Root,
    seen: &'a HashSet<String>,
    problems: &'a mut Vec<Problem>,
    /// Still to be looked at: paths below the tree's root, ended by `/`.
    folders: Vec<String>,
    found: Vec<(String, Vec<u8>)>,
}

impl Walk<'_> {
    fn folder(&mut self, prefix: &str) {
        let folder = prefix.trim_end_matches('/');
        let entries = match self.tree.list(folder) {
            Ok(entries) => entries,
            Err(error) => return self.unreadable(folder, error),
        };
        if !folder.is_empty() && entries.iter().any(|entry| entry.name == RECORD_FILE) {
            return;
        }
        for entry in entries {
            // A name that is no UTF-8 cannot stand in a lock, so no overlay has written there.
            let Some(name) = entry.name.to_str() else {
                continue;
            };
            match entry.kind {
                Kind::Folder if !name.starts_with('.') => {
                    self.folders.push(format!("{prefix}{name}/"));
                }
                Kind::File if is_source(name) => {
                    let path = format!("{prefix}{name}");
                    if !self.seen.contains(&path) {
                        self.file(path);
                    }
                }
                _ => {}
            }
        }
    }

    fn file(&mut self, path: String) {
        match self.tree.read(&path, FILE_LIMIT) {
            Ok(bytes) if has_markers(&bytes) => self.found.push((path, bytes)),
            Ok(_) | Err(Error::TooLarge { .. }) => {}
            Err(error) => self.unreadable(&path, error),
        }
    }

    fn unreadable(&mut self, path: &str, error: Error) {
        // A build may be at work in the tree and take its files away again.
        if !error.is_missing() {
            self.problems.push(Problem {
                path: if path.is_empty() { "." } else { path }.to_owned(),
                obstacle: Obstacle::from(error),
            });
        }
    }
}

fn is_source(name: &str) -> bool {
    Path::new(name)
        .extension()
        .and_then(OsStr::to_str)
        .is_some_and(|extension| {
            EXTENSIONS
                .iter()
                .any(|known| known.eq_ignore_ascii_case(extension))
        })
}
