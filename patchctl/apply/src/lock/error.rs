//! The reason for which a lock file cannot be used.

use std::io;
use std::path::PathBuf;

/// The fault of a lock file. The one who knows the file's name puts it in front.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// It cannot be opened or read.
    #[error("cannot read the lock file {}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// It is larger than any lock file is.
    #[error("the lock file has {size} bytes, at most {limit} are read: is it a lock file?", limit = super::SIZE_LIMIT)]
    TooLarge {
        /// At least its size, in bytes.
        size: u64,
    },
    /// It was written by a later version.
    #[error("the lock file has schema {found}, this version reads up to {known}: use {}", needs_text(needs.as_deref()), known = super::SCHEMA)]
    Newer {
        /// The file's schema.
        found: i64,
        /// The oldest patchctl that reads it, where the file says so.
        needs: Option<String>,
    },
    /// It is no YAML, or not of the lock's form.
    #[error("line {line}, column {column} of the lock file: {what}")]
    Form {
        /// 1-based; 0 where it is about the whole file.
        line: usize,
        /// 1-based, in characters; 0 where it is about the whole file.
        column: usize,
        /// What was found and expected.
        what: String,
    },
    /// Its parts do not agree with each other.
    #[error("the lock file's pin {}: {what}; write it anew with `patchctl bump`", .release.escape_debug())]
    Contradiction {
        /// The pin.
        release: String,
        /// What does not agree.
        what: String,
    },
    /// It would not read back as it is.
    #[error("the lock would not read back from YAML as it is: {0}")]
    NotKept(String),
}

pub(crate) fn needs_text(needs: Option<&str>) -> String {
    match needs {
        Some(version) => format!("patchctl {version} or newer"),
        None => "a newer patchctl".to_owned(),
    }
}
