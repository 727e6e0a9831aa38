//! A folder's files, with all that a command could have changed about them.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

/// Paths relative to a folder, with `/`, and the bytes of each file.
pub type Files = BTreeMap<String, Vec<u8>>;

/// Reads every regular file below `folder`.
pub fn read(folder: &Path) -> Files {
    let mut files = Files::new();
    walk(folder, "", &mut |path, relative| {
        let kind = fs::symlink_metadata(path).unwrap().file_type();
        if kind.is_file() {
            files.insert(relative.to_owned(), fs::read(path).unwrap());
        }
    });
    files
}

/// Reads a tree's files, but for the record that `apply` leaves in it.
pub fn read_tree(folder: &Path) -> Files {
    let mut files = read(folder);
    files.retain(|path, _| !path.ends_with(patchctl_apply::tree::RECORD_FILE));
    files
}

/// Writes `files` below `folder`, making the folders they need.
pub fn write(folder: &Path, files: &Files) {
    for (path, bytes) in files {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
}

/// What a folder held at one moment: kind, bytes, permissions and modification time of every entry.
#[derive(Clone, PartialEq, Eq)]
pub struct Snapshot(BTreeMap<String, Entry>);

#[derive(Clone, PartialEq, Eq)]
struct Entry {
    content: Content,
    mode: u32,
    /// Seconds and nanoseconds; none for a folder, whose time moves with a temporary file in it.
    modified: Option<(i64, i64)>,
}

#[derive(Clone, PartialEq, Eq)]
enum Content {
    Folder,
    File(Vec<u8>),
    Link(String),
}

impl Snapshot {
    /// Takes everything below `folder`, but not what lies in the folders named in `without`.
    pub fn without(folder: &Path, without: &[&str]) -> Self {
        let mut entries = BTreeMap::new();
        walk(folder, "", &mut |path, relative| {
            let skipped =
                |name: &&str| relative == *name || relative.starts_with(&format!("{name}/"));
            if without.iter().any(skipped) {
                return;
            }
            let meta = fs::symlink_metadata(path).unwrap();
            let content = if meta.is_symlink() {
                Content::Link(fs::read_link(path).unwrap().to_string_lossy().into_owned())
            } else if meta.is_dir() {
                Content::Folder
            } else {
                Content::File(fs::read(path).unwrap())
            };
            let modified = (!meta.is_dir()).then(|| (meta.mtime(), meta.mtime_nsec()));
            let mode = meta.permissions().mode();
            entries.insert(
                relative.to_owned(),
                Entry {
                    content,
                    mode,
                    modified,
                },
            );
        });
        Self(entries)
    }

    /// Takes everything below `folder`.
    pub fn of(folder: &Path) -> Self {
        Self::without(folder, &[])
    }

    /// A line for each entry that is new, gone or changed in `later`, times included.
    pub fn differences(&self, later: &Self) -> Vec<String> {
        self.compare(later, |a, b| {
            if a.content != b.content {
                Some("has other bytes")
            } else if a.mode != b.mode {
                Some("has other permissions")
            } else if a.modified != b.modified {
                Some("was written again, with the same bytes")
            } else {
                None
            }
        })
    }

    /// As [`Snapshot::differences`], but a file that was written again with the same bytes is the same.
    pub fn differences_in_bytes(&self, later: &Self) -> Vec<String> {
        self.compare(later, |a, b| {
            (a.content != b.content).then_some("has other bytes")
        })
    }

    fn compare(
        &self,
        later: &Self,
        differ: impl Fn(&Entry, &Entry) -> Option<&'static str>,
    ) -> Vec<String> {
        let mut found = Vec::new();
        for (path, entry) in &self.0 {
            match later.0.get(path) {
                None => found.push(format!("{path} is gone")),
                Some(now) => {
                    found.extend(differ(entry, now).map(|what| format!("{path} {what}")));
                }
            }
        }
        let new = later.0.keys().filter(|path| !self.0.contains_key(*path));
        found.extend(new.map(|path| format!("{path} is new")));
        found
    }
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

fn walk(folder: &Path, prefix: &str, visit: &mut impl FnMut(&Path, &str)) {
    let mut entries: Vec<_> = fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .collect();
    entries.sort();
    for path in entries {
        let name = path.file_name().unwrap().to_str().unwrap();
        let relative = if prefix.is_empty() {
            name.to_owned()
        } else {
            format!("{prefix}/{name}")
        };
        visit(&path, &relative);
        let meta = fs::symlink_metadata(&path).unwrap();
        if meta.is_dir() {
            walk(&path, &relative, visit);
        }
    }
}
