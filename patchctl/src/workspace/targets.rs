//! From a path that is to be written to the file that will be: links resolved, inside of the repository.

use std::fs::{self, Metadata};
use std::io::{self, ErrorKind};

use camino::{Utf8Path, Utf8PathBuf};
use patchctl_apply::beneath::Root;
use patchctl_apply::check_tree_path;

use super::journal::FILE_LIMIT;
use super::state_dir::STATE_DIR;
use crate::report::{Code, Error};

/// A file that can be written, as it is now.
#[derive(Debug)]
pub(super) struct Target {
    /// Relative to the root, without links.
    pub path: Utf8PathBuf,
    /// The file as it is; `None` where there is none.
    pub old: Option<Old>,
    /// Folders that are missing on the way, outermost first, relative to the root.
    pub missing: Vec<Utf8PathBuf>,
}

#[derive(Debug)]
pub(super) struct Old {
    pub bytes: Vec<u8>,
    pub metadata: Metadata,
}

/// A path that cannot be written.
pub(super) fn refused(message: String) -> Error {
    Error::new(Code::Unwritable, message).help("put a plain file there, or name another one")
}

/// Finds the file that `path`, relative to `root`, names. `root` is without links and is what `files` is open on.
/// `deletes` says what is wanted of it. A link inside of the repository is resolved here, once; the file is then read
/// and written by the path that it has without links.
pub(super) fn resolve(
    root: &Utf8Path,
    files: &Root,
    path: &Utf8Path,
    deletes: bool,
) -> Result<Target, Error> {
    check_tree_path(path.as_str()).map_err(refused)?;
    if path.starts_with(STATE_DIR) {
        return Err(refused(format!("{path} is in patchctl's own folder")));
    }
    let unreadable = |source: io::Error| refused(format!("cannot read {path}")).because(&source);
    let at = root.join(path);
    let link = match fs::symlink_metadata(&at) {
        Ok(metadata) => metadata.is_symlink(),
        Err(error) if error.kind() == ErrorKind::NotFound => return missing(root, path),
        Err(error) if error.kind() == ErrorKind::NotADirectory => {
            return Err(refused(format!(
                "expected a file at {path}, found a file where one of its folders should be"
            )));
        }
        Err(error) => return Err(unreadable(error)),
    };
    if link && deletes {
        return Err(refused(format!(
            "{path} is a link: deleting it, or what it leads to, is left to you"
        )));
    }
    let real = match at.canonicalize_utf8() {
        Ok(real) => real,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let to = fs::read_link(&at).map_err(unreadable)?;
            return Err(refused(format!(
                "{path} is a link to {}, which is not there",
                to.display()
            )));
        }
        Err(error) => return Err(unreadable(error)),
    };
    let relative = inside(root, path, &real)?;
    let metadata = fs::symlink_metadata(&real).map_err(unreadable)?;
    if !metadata.is_file() {
        let found = if metadata.is_dir() {
            "a folder"
        } else {
            "neither a file nor a folder"
        };
        return Err(refused(format!("expected a file at {path}, found {found}")));
    }
    let (bytes, metadata) = files
        .read_with_metadata(&relative, FILE_LIMIT)
        .map_err(|error| unreadable(error.into()))?;
    Ok(Target {
        path: relative,
        old: Some(Old { bytes, metadata }),
        missing: Vec::new(),
    })
}

/// A file that is not there yet, and perhaps its folders neither.
fn missing(root: &Utf8Path, path: &Utf8Path) -> Result<Target, Error> {
    for folder in path.ancestors().skip(1) {
        let there = match root.join(folder).canonicalize_utf8() {
            Ok(there) => there,
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            Err(source) => return Err(refused(format!("cannot read {path}")).because(&source)),
        };
        // The missing folders lie below a folder that may have been reached by a link.
        let base = inside(root, path, &there)?;
        let behind = path.strip_prefix(folder).unwrap_or(path);
        let missing = behind.ancestors().skip(1);
        let missing = missing.filter(|folder| !folder.as_str().is_empty());
        let mut missing: Vec<_> = missing.map(|folder| base.join(folder)).collect();
        missing.reverse();
        return Ok(Target {
            path: base.join(behind),
            old: None,
            missing,
        });
    }
    Err(refused(format!("cannot read {path}")))
}

fn inside(root: &Utf8Path, path: &Utf8Path, real: &Utf8Path) -> Result<Utf8PathBuf, Error> {
    let outside = || refused(format!("{path} is a link out of the repository, to {real}"));
    let relative = real.strip_prefix(root).map_err(|_| outside())?;
    // A link may lead to a place that would not be written by its own name.
    if !relative.as_str().is_empty() {
        check_tree_path(relative.as_str()).map_err(|_| outside())?;
    }
    if relative.starts_with(STATE_DIR) {
        return Err(outside());
    }
    Ok(relative.to_owned())
}
