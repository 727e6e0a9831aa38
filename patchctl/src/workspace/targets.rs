//! From a path that is to be written to the file that will be: links resolved, inside of the repository.

use std::fs::{self, Metadata};
use std::io::{self, ErrorKind};

use camino::{Utf8Path, Utf8PathBuf};
use patchctl_apply::check_tree_path;

use super::state_dir::STATE_DIR;

/// A file that can be written, as it is now.
#[derive(Debug)]
pub(super) struct Target {
    /// Relative to the root, without links.
    pub path: Utf8PathBuf,
    /// What it is; `None` where there is no file.
    pub old: Option<Old>,
    /// Folders that are missing on the way, outermost first, relative to the root.
    pub missing: Vec<Utf8PathBuf>,
}

#[derive(Debug)]
pub(super) struct Old {
    pub bytes: Vec<u8>,
    pub metadata: Metadata,
}

/// Why a path cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum TargetError {
    /// It is no path inside of a repository, or one of patchctl's own or git's.
    #[error("{0}")]
    Path(String),
    /// It leads out of the repository.
    #[error("{path} is a link out of the repository, to {to}")]
    Outside {
        /// The path.
        path: Utf8PathBuf,
        /// Where it leads.
        to: String,
    },
    /// It is a link to nothing.
    #[error("{path} is a link to {to}, which is not there")]
    Dangling {
        /// The path.
        path: Utf8PathBuf,
        /// Where it leads.
        to: String,
    },
    /// It is a link and is to be deleted.
    #[error("{path} is a link: deleting it, or what it leads to, is left to you")]
    DeletesLink {
        /// The path.
        path: Utf8PathBuf,
    },
    /// A folder or another thing stands there, or a file stands where a folder is needed.
    #[error("expected a file at {path}, found {found}")]
    NotAFile {
        /// The path.
        path: Utf8PathBuf,
        /// What is there.
        found: &'static str,
    },
    /// Two writes lead to the same file.
    #[error("{path} is to be written twice")]
    Twice {
        /// The file.
        path: Utf8PathBuf,
    },
    /// It cannot be looked at.
    #[error("cannot read {path}")]
    Unreadable {
        /// The path.
        path: Utf8PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// Finds the file that `path`, relative to `root`, names. `root` is without links. `deletes` says what is
/// wanted of it.
pub(super) fn resolve(
    root: &Utf8Path,
    path: &Utf8Path,
    deletes: bool,
) -> Result<Target, TargetError> {
    check_tree_path(path.as_str()).map_err(TargetError::Path)?;
    if path.starts_with(STATE_DIR) {
        return Err(TargetError::Path(format!(
            "{path} is in patchctl's own folder"
        )));
    }
    let unreadable = |source| TargetError::Unreadable {
        path: path.to_owned(),
        source,
    };
    let at = root.join(path);
    let link = match fs::symlink_metadata(&at) {
        Ok(metadata) => metadata.is_symlink(),
        Err(error) if error.kind() == ErrorKind::NotFound => return missing(root, path),
        Err(error) if error.kind() == ErrorKind::NotADirectory => {
            return Err(TargetError::NotAFile {
                path: path.to_owned(),
                found: "a file where one of its folders should be",
            });
        }
        Err(error) => return Err(unreadable(error)),
    };
    if link && deletes {
        return Err(TargetError::DeletesLink {
            path: path.to_owned(),
        });
    }
    let real = match at.canonicalize_utf8() {
        Ok(real) => real,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let to = fs::read_link(&at).map_err(unreadable)?;
            return Err(TargetError::Dangling {
                path: path.to_owned(),
                to: to.display().to_string(),
            });
        }
        Err(error) => return Err(unreadable(error)),
    };
    let relative = inside(root, path, &real)?;
    let metadata = fs::metadata(&real).map_err(unreadable)?;
    if !metadata.is_file() {
        return Err(TargetError::NotAFile {
            path: path.to_owned(),
            found: if metadata.is_dir() {
                "a folder"
            } else {
                "neither a file nor a folder"
            },
        });
    }
    Ok(Target {
        path: relative,
        old: Some(Old {
            bytes: fs::read(&real).map_err(unreadable)?,
            metadata,
        }),
        missing: Vec::new(),
    })
}

/// A file that is not there yet, and perhaps its folders neither.
fn missing(root: &Utf8Path, path: &Utf8Path) -> Result<Target, TargetError> {
    let mut folders: Vec<&Utf8Path> = path.ancestors().skip(1).collect();
    folders.reverse();
    let mut there = root.to_owned();
    let mut behind = Utf8PathBuf::new();
    let mut missing = Vec::new();
    for folder in folders {
        match root.join(folder).canonicalize_utf8() {
            Ok(real) if missing.is_empty() => {
                there = real;
                behind = path.strip_prefix(folder).unwrap_or(path).to_owned();
            }
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => missing.push(folder.to_owned()),
            Err(source) => {
                return Err(TargetError::Unreadable {
                    path: path.to_owned(),
                    source,
                });
            }
        }
    }
    let base = inside(root, path, &there)?;
    // The missing folders lie below a folder that may have been reached by a link.
    let missing = (1..=missing.len())
        .map(|count| base.join(behind.components().take(count).collect::<Utf8PathBuf>()))
        .collect();
    Ok(Target {
        path: base.join(behind),
        old: None,
        missing,
    })
}

fn inside(root: &Utf8Path, path: &Utf8Path, real: &Utf8Path) -> Result<Utf8PathBuf, TargetError> {
    let outside = || TargetError::Outside {
        path: path.to_owned(),
        to: real.to_string(),
    };
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
