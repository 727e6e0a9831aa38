//! Writes a set of files: all, or none as far as the file system lets us.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::ApplyError;
use super::place::Place;
use crate::durable;

/// A file that is to get other bytes.
#[derive(Debug)]
pub(super) struct Write {
    pub place: Place,
    pub new: Vec<u8>,
}

impl Write {
    fn temporary(&self) -> PathBuf {
        temporary(&self.place.path)
    }
}

/// The name beside a file under which its new bytes are staged. It is the same each time, so that the next
/// run takes away what a killed one left.
pub(super) fn temporary(path: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".patchctl-new");
    path.with_file_name(name)
}

/// Takes away what a killed run left beside `path`.
pub(super) fn sweep(path: &Path) -> io::Result<()> {
    durable::remove_if_there(&temporary(path))
}

/// Stages all files, then renames one after the other. `about_to` is called before each rename.
///
/// On a failure every file is put back; those that cannot be are named in the error. A killed run leaves
/// whole files, some old and some new, each of which the next run knows.
pub(super) fn write_all(
    writes: &[Write],
    about_to: &mut dyn FnMut(&Path),
) -> Result<(), ApplyError> {
    for write in writes {
        if let Err(source) = stage(&write.place, &write.new) {
            discard(writes);
            return Err(failed(&write.place.path, source, Vec::new()));
        }
    }
    for (index, write) in writes.iter().enumerate() {
        let path = &write.place.path;
        about_to(path);
        let renamed = match fs::read(path) {
            Ok(bytes) if bytes != write.place.bytes => None,
            Ok(_) => Some(fs::rename(write.temporary(), path)),
            Err(error) => Some(Err(error)),
        };
        if matches!(renamed, Some(Ok(()))) {
            continue;
        }
        discard(&writes[index..]);
        let left = put_back(&writes[..index]);
        return Err(match renamed {
            Some(Err(source)) => failed(path, source, left),
            _ => ApplyError::ChangedMeanwhile {
                path: path.clone(),
                left,
            },
        });
    }
    for write in writes {
        // The files are whole and in place; a folder that cannot be synced only makes it less durable.
        let _ = durable::sync_folder_of(&write.place.path);
    }
    Ok(())
}

fn failed(path: &Path, source: io::Error, left: Vec<PathBuf>) -> ApplyError {
    ApplyError::Write {
        path: path.to_owned(),
        source,
        left,
    }
}

fn stage(place: &Place, bytes: &[u8]) -> io::Result<()> {
    durable::write_new(&temporary(&place.path), bytes, Some(&place.metadata))
}

fn discard(writes: &[Write]) {
    for write in writes {
        // The error at hand is the one to tell; what stays is taken away by the next run.
        let _ = sweep(&write.place.path);
    }
}

fn put_back(writes: &[Write]) -> Vec<PathBuf> {
    writes
        .iter()
        .filter(|write| {
            stage(&write.place, &write.place.bytes)
                .and_then(|()| fs::rename(write.temporary(), &write.place.path))
                .is_err()
        })
        .map(|write| write.place.path.clone())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::place;

    fn writes(dir: &Path) -> Vec<Write> {
        ["a", "b", "c"]
            .iter()
            .map(|name| {
                fs::write(dir.join(name), format!("old {name}")).unwrap();
                Write {
                    place: place::read(dir, name).unwrap(),
                    new: format!("new {name}").into_bytes(),
                }
            })
            .collect()
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
        let writes = writes(dir.path());
        let taken = temporary(&dir.path().join("b"));
        fs::create_dir(&taken).unwrap();
        write_all(&writes, &mut |_| {}).unwrap_err();
        fs::remove_dir(&taken).unwrap();
        assert_eq!(texts(dir.path()), ["old a", "old b", "old c"]);
    }

    #[test]
    fn a_rename_that_fails_puts_the_files_before_it_back() {
        let dir = tempfile::tempdir().unwrap();
        let writes = writes(dir.path());
        let error = write_all(&writes, &mut |path| {
            if path.ends_with("c") {
                fs::remove_file(path).unwrap();
                fs::create_dir(path).unwrap();
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
        let writes = writes(dir.path());
        let error = write_all(&writes, &mut |path| {
            if path.ends_with("b") {
                fs::write(path, "theirs").unwrap();
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
        let writes = writes(dir.path());
        let error = write_all(&writes, &mut |path| {
            if path.ends_with("c") {
                fs::create_dir(temporary(&dir.path().join("a"))).unwrap();
                fs::write(path, "theirs").unwrap();
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
