//! Writes a set of files: all, or none as far as the file system lets us.

use std::path::PathBuf;

use super::ApplyError;
use super::place::{FILE_LIMIT, Place};
use crate::beneath::{Error, Root};

/// A file that is to get other bytes.
#[derive(Debug)]
pub(super) struct Write {
    pub place: Place,
    pub new: Vec<u8>,
}

/// Takes away what a killed run left beside `path`.
pub(super) fn sweep(tree: &Root, path: &str) -> Result<(), ApplyError> {
    tree.remove_file(Root::staged(path.as_ref()))
        .map_err(|error| failed(tree, path, error, Vec::new()))
}

/// Stages all files, then renames one after the other. `about_to` is called with its path before each rename.
///
/// On a failure every file is put back; those that cannot be are named in the error. A killed run leaves
/// whole files, some old and some new, each of which the next run knows.
pub(super) fn write_all(
    tree: &Root,
    writes: &[Write],
    about_to: &mut dyn FnMut(&str),
) -> Result<(), ApplyError> {
    for write in writes {
        if let Err(error) = stage(tree, &write.place, &write.new) {
            discard(tree, writes);
            return Err(failed(tree, &write.place.path, error, Vec::new()));
        }
    }
    for (index, write) in writes.iter().enumerate() {
        let path = &write.place.path;
        about_to(path);
        let renamed = match tree.read(path, FILE_LIMIT) {
            Ok(bytes) if bytes != write.place.bytes => None,
            Ok(_) => Some(tree.rename(Root::staged(path.as_ref()), path)),
            Err(error) => Some(Err(error)),
        };
        if matches!(renamed, Some(Ok(()))) {
            continue;
        }
        discard(tree, &writes[index..]);
        let left = put_back(tree, &writes[..index]);
        return Err(match renamed {
            Some(Err(error)) => failed(tree, path, error, left),
            _ => ApplyError::ChangedMeanwhile {
                path: tree.path().join(path),
                left,
            },
        });
    }
    for write in writes {
        // The files are whole and in place; a folder that cannot be synced only makes it less durable.
        let _ = tree.sync_folder_of(&write.place.path);
    }
    Ok(())
}

pub(super) fn failed(tree: &Root, path: &str, error: Error, left: Vec<PathBuf>) -> ApplyError {
    ApplyError::Write {
        path: tree.path().join(path),
        source: match error {
            Error::Io { source, .. } => source,
            other => other.into(),
        },
        left,
    }
}

fn stage(tree: &Root, place: &Place, bytes: &[u8]) -> Result<(), Error> {
    let staged = Root::staged(place.path.as_ref());
    tree.write_new(staged, bytes, Some(&place.metadata))
}

fn discard(tree: &Root, writes: &[Write]) {
    for write in writes {
        // The error at hand is the one to tell; what stays is taken away by the next run.
        let _ = sweep(tree, &write.place.path);
    }
}

fn put_back(tree: &Root, writes: &[Write]) -> Vec<PathBuf> {
    writes
        .iter()
        .filter(|write| {
            let path = &write.place.path;
            stage(tree, &write.place, &write.place.bytes)
                .and_then(|()| tree.rename(Root::staged(path.as_ref()), path))
                .is_err()
        })
        .map(|write| tree.path().join(&write.place.path))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::tree::place;

    fn writes(dir: &Path) -> (Root, Vec<Write>) {
        let tree = Root::open(dir).unwrap();
        let writes = ["a", "b", "c"]
            .iter()
            .map(|name| {
                fs::write(dir.join(name), format!("old {name}")).unwrap();
                Write {
                    place: place::read(&tree, name).unwrap(),
                    new: format!("new {name}").into_bytes(),
                }
            })
            .collect();
        (tree, writes)
    }

    fn texts(dir: &Path) -> Vec<String> {
        let mut names: Vec<PathBuf> = fs::read_dir(dir)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        names.sort();
        names
            .iter()
            .map(|path| fs::read_to_string(path).unwrap_or_else(|_| "a folder".to_owned()))
            .collect()
    }

    #[test]
    fn a_file_that_cannot_be_staged_leaves_nothing_staged() {
        let dir = tempfile::tempdir().unwrap();
        let (tree, writes) = writes(dir.path());
        let taken = Root::staged(&dir.path().join("b"));
        fs::create_dir(&taken).unwrap();
        write_all(&tree, &writes, &mut |_| {}).unwrap_err();
        fs::remove_dir(&taken).unwrap();
        assert_eq!(texts(dir.path()), ["old a", "old b", "old c"]);
    }

    #[test]
    fn a_rename_that_fails_puts_the_files_before_it_back() {
        let dir = tempfile::tempdir().unwrap();
        let (tree, writes) = writes(dir.path());
        let error = write_all(&tree, &writes, &mut |path| {
            if path.ends_with("c") {
                let path = dir.path().join(path);
                fs::remove_file(&path).unwrap();
                fs::create_dir(&path).unwrap();
            }
        })
        .unwrap_err();
        assert!(
            error.to_string().ends_with("every file is as it was"),
            "{error}"
        );
        assert_eq!(texts(dir.path()), ["old a", "old b", "a folder"]);
    }

    #[test]
    fn a_file_that_changes_meanwhile_is_kept_and_the_others_put_back() {
        let dir = tempfile::tempdir().unwrap();
        let (tree, writes) = writes(dir.path());
        let error = write_all(&tree, &writes, &mut |path| {
            if path.ends_with("b") {
                fs::write(dir.path().join(path), "theirs").unwrap();
            }
        })
        .unwrap_err();
        assert!(
            matches!(error, ApplyError::ChangedMeanwhile { .. }),
            "{error}"
        );
        assert_eq!(texts(dir.path()), ["old a", "theirs", "old c"]);
    }

    #[test]
    fn files_that_cannot_be_put_back_are_named() {
        let dir = tempfile::tempdir().unwrap();
        let (tree, writes) = writes(dir.path());
        let error = write_all(&tree, &writes, &mut |path| {
            if path.ends_with("c") {
                fs::create_dir(Root::staged(&dir.path().join("a"))).unwrap();
                fs::write(dir.path().join(path), "theirs").unwrap();
            }
        })
        .unwrap_err();
        let ApplyError::ChangedMeanwhile { left, .. } = &error else {
            panic!("{error}");
        };
        assert_eq!(left, &[dir.path().join("a")]);
        assert!(
            error.to_string().contains("apply again to finish"),
            "{error}"
        );
    }
}
