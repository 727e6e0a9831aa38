//! The reason for which a set of writes was not made, and how the files are then.

use std::fmt;
use std::io;

use camino::Utf8PathBuf;

use super::recovery::{Kept, RecoveryError};
use crate::report::{Code, Error};

/// The reason for which nothing was written. All are exit status 3.
#[derive(Debug, thiserror::Error)]
pub enum TransactionError {
    /// A file cannot be written as wanted, or the journal cannot be read.
    #[error(transparent)]
    Refused(#[from] Error),
    /// Somebody changed a file since it was read.
    #[error("{path} was changed by somebody else meanwhile; {after}")]
    ChangedMeanwhile {
        /// The file.
        path: Utf8PathBuf,
        /// How the files are.
        after: After,
    },
    /// A file would not read back as it was meant: a fault of patchctl's own.
    #[error("{path} would not be readable as it is to be written: {why}")]
    NotReadable {
        /// The file.
        path: Utf8PathBuf,
        /// What the reader says.
        why: String,
    },
    /// An interrupted command left a journal; it has to be recovered first.
    #[error("an interrupted `{command}` is to be finished or undone first")]
    Pending {
        /// Its words.
        command: String,
    },
    /// The file system failed.
    #[error("cannot {step}; {after}")]
    Failed {
        /// What was tried, such as `write overlays/mlx/pins.yaml`.
        step: String,
        /// The reason for which it failed.
        source: io::Error,
        /// How the files are.
        after: After,
    },
}

/// How the files are after a failure.
#[derive(Debug)]
pub enum After {
    /// As they were.
    Undone,
    /// As they were, but for those that somebody changed at the same time, which stay as they are.
    Kept(Vec<Kept>),
    /// Not all as they were: why not. The next writing command tries again.
    NotUndone(RecoveryError),
}

impl fmt::Display for After {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Undone => f.write_str("every file is as it was"),
            Self::Kept(kept) => {
                let names: Vec<&str> = kept.iter().map(|kept| kept.path.as_str()).collect();
                let names = names.join(", ");
                write!(f, "somebody changed {names}; every other file is as it was")
            }
            Self::NotUndone(error) => write!(f, "and not all could be undone: {error}"),
        }
    }
}

impl From<TransactionError> for Error {
    fn from(error: TransactionError) -> Self {
        let help = match &error {
            TransactionError::Refused(refused) => return refused.clone(),
            TransactionError::ChangedMeanwhile { .. } => {
                "run the command again when the file is at rest"
            }
            TransactionError::NotReadable { .. } => {
                "nothing was written; this is a fault of patchctl's own, please report it"
            }
            TransactionError::Pending { .. } => "run the command again; it begins with that",
            TransactionError::Failed {
                after: After::NotUndone(undoing),
                ..
            } => return Self::of(Code::Unwritable, &error).help(undoing.help()),
            TransactionError::Failed { .. } => {
                "see that there is room and the right to write, then run the command again"
            }
        };
        Self::of(Code::Unwritable, &error).help(help)
    }
}
