//! Looks through a tree for files that have markers and should not.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{Obstacle, Problem};
use crate::markers::has_markers;

/// What a block can stand in: its markers are comments and directives of C's family.
const EXTENSIONS: [&str; 20] = [
    "c", "cc", "cpp", "cxx", "c++", "cu", "cuh", "h", "hh", "hpp", "hxx", "h++", "inc", "inl",
    "ipp", "m", "metal", "mm", "tcc", "txx",
];

/// No source file is larger; what is, is generated data.
const LARGEST: u64 = 8 << 20;

/// Every file below `dir` that has the words of a marker and is not in `listed`, by path.
///
/// Looks at files of C's family up to 8 MiB, follows no symbolic link, and skips folders whose name begins
/// with a dot. What cannot be read is a problem: it cannot be shown to be free of markers.
pub(super) fn marked(
    dir: &Path,
    listed: &HashSet<&str>,
    problems: &mut Vec<Problem>,
) -> Vec<String> {
    let mut walk = Walk {
        listed,
        problems,
        folders: vec![(dir.to_owned(), String::new())],
        found: Vec::new(),
    };
    while let Some((dir, prefix)) = walk.folders.pop() {
        walk.folder(&dir, &prefix);
    }
    walk.found
}

struct Walk<'a> {
    listed: &'a HashSet<&'a str>,
    problems: &'a mut Vec<Problem>,
    /// Still to be looked at, each with its path below the tree's root, ended by `/`.
    folders: Vec<(PathBuf, String)>,
    found: Vec<String>,
}

impl Walk<'_> {
    fn folder(&mut self, dir: &Path, prefix: &str) {
        let entries = match fs::read_dir(dir) {
            Ok(entries) => entries,
            Err(error) => return self.unreadable(prefix.trim_end_matches('/'), error),
        };
        for entry in entries {
            let (entry, kind) = match entry.and_then(|entry| Ok((entry.file_type()?, entry))) {
                Ok((kind, entry)) => (entry, kind),
                Err(error) => {
                    self.unreadable(prefix.trim_end_matches('/'), error);
                    continue;
                }
            };
            let name = entry.file_name();
            // A name that is no UTF-8 cannot stand in a lock, so no overlay has written there.
            let Some(name) = name.to_str() else { continue };
            if kind.is_dir() {
                if !name.starts_with('.') {
                    self.folders
                        .push((entry.path(), format!("{prefix}{name}/")));
                }
            } else if kind.is_file() && is_source(name) {
                let path = format!("{prefix}{name}");
                if !self.listed.contains(path.as_str()) {
                    self.file(&entry.path(), path);
                }
            }
        }
    }

    fn file(&mut self, at: &Path, path: String) {
        let small = fs::symlink_metadata(at).map(|metadata| metadata.len() <= LARGEST);
        match small.and_then(|small| if small { fs::read(at) } else { Ok(Vec::new()) }) {
            Ok(bytes) if has_markers(&bytes) => self.found.push(path),
            Ok(_) => {}
            Err(error) => self.unreadable(&path, error),
        }
    }

    fn unreadable(&mut self, path: &str, error: io::Error) {
        // A build may be at work in the tree and take its files away again.
        if error.kind() != io::ErrorKind::NotFound {
            self.problems.push(Problem {
                path: if path.is_empty() { "." } else { path }.to_owned(),
                obstacle: Obstacle::Unreadable(error),
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
