//! The reason for which a path below a root was not opened, read or written.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// What stands at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link.
    Link,
    /// A FIFO, a socket or a device.
    Special,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::File => "a file",
            Self::Folder => "a folder",
            Self::Link => "a symbolic link",
            Self::Special => "neither a file nor a folder",
        })
    }
}

/// The reason for which a path below a root was not opened, read or written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The path is absolute, empty or has a part `.` or `..`.
    #[error("the path `{}` does not stay below {}", path.display(), root.display())]
    Escapes {
        /// As it was given.
        path: PathBuf,
        /// The root's path.
        root: PathBuf,
    },
    /// Something else than what was expected stands there.
    #[error("expected {expected}, {} is {found}", path.display())]
    Unexpected {
        /// The place, with the root's path in front. It may be a folder on the way.
        path: PathBuf,
        /// What was expected.
        expected: Kind,
        /// What stands there.
        found: Kind,
    },
    /// The file is larger than what is read.
    #[error("{} has more than {limit} bytes, the limit for this file", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its size as the system says it, in bytes; at least one more than the limit.
        size: u64,
        /// The caller's limit, in bytes.
        limit: u64,
    },
    /// The file system failed.
    #[error("cannot {doing} {}", path.display())]
    Io {
        /// A verb: `read`, `write`, `rename`.
        doing: &'static str,
        /// The place.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

impl Error {
    /// Returns true if nothing stands at the path.
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::Io { source, .. } if source.kind() == io::ErrorKind::NotFound)
    }

    /// The place that the error is about.
    pub fn path(&self) -> &Path {
        match self {
            Self::Escapes { path, .. }
            | Self::Unexpected { path, .. }
            | Self::TooLarge { path, .. }
            | Self::Io { path, .. } => path,
        }
    }

    /// What to do about it, one line; `None` where the system's error says it.
    pub fn help(&self) -> Option<&'static str> {
        Some(match self {
            Self::Escapes { .. } => "use a path relative to the folder, without `.` and `..`",
            Self::Unexpected {
                found: Kind::Link, ..
            } => "links are not followed here: put what it points to in its place",
            Self::Unexpected { .. } => "move it away",
            Self::TooLarge { .. } => "check that it is the file that is meant",
            Self::Io { .. } => return None,
        })
    }
}

impl From<Error> for io::Error {
    /// The system's own error where there is one, for callers that name the place themselves. Else the text names
    /// the place and what to do.
    fn from(error: Error) -> Self {
        let text = match error.help() {
            Some(help) => format!("{error} ({help})"),
            None => error.to_string(),
        };
        match error {
            Error::Io { source, .. } => source,
            Error::Escapes { .. } | Error::Unexpected { .. } => {
                Self::new(io::ErrorKind::InvalidInput, text)
            }
            Error::TooLarge { .. } => Self::new(io::ErrorKind::InvalidData, text),
        }
    }
}
