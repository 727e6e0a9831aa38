//! The reason for which a tree was not brought into the wanted state.

use std::fmt::Write;
use std::io;
use std::path::PathBuf;

use super::{Misfit, Problem};
use crate::{LockError, SpliceError};

/// Which kind of thing failed; the CLI's exit status follows from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// What a file says is not what it must: exit status 1.
    Content,
    /// What was asked for, or the lock file, is wrong: exit status 2.
    Asked,
    /// The file system failed: exit status 3.
    Surroundings,
}

/// The reason for which a tree was not brought into the wanted state.
#[derive(Debug, thiserror::Error)]
pub enum ApplyError {
    /// The lock file cannot be used.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The lock has no such pin.
    #[error("the lock has no pin {wanted}, it has {}", listed(has))]
    NoSuchPin {
        /// As asked for.
        wanted: String,
        /// The releases it has.
        has: Vec<String>,
    },
    /// The tree is of none of the lock's pins.
    #[error("{} fits none of the lock's pins", dir.display())]
    NoPinFits {
        /// The tree.
        dir: PathBuf,
        /// For each pin, what does not fit.
        misfits: Vec<Misfit>,
    },
    /// The tree fits pins that would patch it differently.
    #[error("{} fits the lock's pins {}, which patch it differently", dir.display(), listed(releases))]
    ManyPinsFit {
        /// The tree.
        dir: PathBuf,
        /// Their releases.
        releases: Vec<String>,
    },
    /// There is no tree.
    #[error("cannot open the tree {}", dir.display())]
    NoTree {
        /// The folder.
        dir: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// The tree's record cannot be read.
    #[error("cannot read the tree's record {}", path.display())]
    RecordUnreadable {
        /// The record.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// The tree's record is damaged or newer.
    #[error("the tree's record {} cannot be used: {why}", path.display())]
    Record {
        /// The record.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// There is no record to take overlays off by.
    #[error("the tree {} has no record of an apply", dir.display())]
    NoRecord {
        /// The tree.
        dir: PathBuf,
    },
    /// Another process is applying to the same tree and does not end.
    #[error("another process holds the tree {}, waited {seconds} s", dir.display())]
    Busy {
        /// The folder.
        dir: PathBuf,
        /// How long was waited.
        seconds: u64,
    },
    /// Files stand in the way. Nothing was written.
    #[error("nothing was written to the tree {}: {}", dir.display(), problems_text(problems))]
    Refused {
        /// The tree.
        dir: PathBuf,
        /// All of them.
        problems: Vec<Problem>,
    },
    /// The lock contradicts itself. Nothing was written.
    #[error(transparent)]
    Splice(#[from] SpliceError),
    /// Writing failed.
    #[error("cannot write {}; {}", path.display(), after_failure(left))]
    Write {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
        /// Files that were written before and could not be put back.
        left: Vec<PathBuf>,
    },
    /// A file was changed by someone else meanwhile.
    #[error("{} was changed by another process meanwhile; {}", path.display(), after_failure(left))]
    ChangedMeanwhile {
        /// The file.
        path: PathBuf,
        /// Files that were written before and could not be put back.
        left: Vec<PathBuf>,
    },
}

impl ApplyError {
    /// Which kind of thing failed.
    pub fn cause(&self) -> Cause {
        match self {
            Self::Lock(LockError::Unreadable { .. })
            | Self::NoTree { .. }
            | Self::RecordUnreadable { .. }
            | Self::Busy { .. }
            | Self::Write { .. }
            | Self::ChangedMeanwhile { .. } => Cause::Surroundings,
            Self::Lock(_) | Self::NoSuchPin { .. } | Self::ManyPinsFit { .. } | Self::Splice(_) => {
                Cause::Asked
            }
            Self::NoRecord { .. } => Cause::Asked,
            Self::NoPinFits { .. } | Self::Record { .. } => Cause::Content,
            Self::Refused { problems, .. } => {
                if problems.iter().any(|p| p.obstacle.is_surroundings()) {
                    Cause::Surroundings
                } else {
                    Cause::Content
                }
            }
        }
    }

    /// What to do about it, one line; for [`ApplyError::Refused`] each problem has its own.
    pub fn help(&self) -> Option<String> {
        Some(match self {
            Self::Lock(LockError::Unreadable { .. }) => {
                "name the lock file that `patchctl bump` wrote".to_owned()
            }
            Self::NoSuchPin { wanted, .. } => {
                format!("name one of them, or add the pin: `patchctl bump --mlx {wanted}`")
            }
            Self::NoPinFits { .. } => {
                "name the release that the tree is of, to see what is different".to_owned()
            }
            Self::ManyPinsFit { .. } => "name the release that is meant".to_owned(),
            Self::NoTree { .. } => "name the root folder of the upstream tree".to_owned(),
            Self::RecordUnreadable { .. } => "give this user the right to read it".to_owned(),
            Self::Record { .. } => {
                "delete it; `patchctl apply` then goes by the markers in the lock's files"
                    .to_owned()
            }
            Self::NoRecord { .. } => "name the lock that it was patched by".to_owned(),
            Self::Busy { .. } => "wait for it to end, then apply again".to_owned(),
            Self::Write { .. } => {
                "see that there is room and the right to write in its folder, then apply again"
                    .to_owned()
            }
            Self::ChangedMeanwhile { .. } => "apply again when it is at rest".to_owned(),
            Self::Lock(_) | Self::Refused { .. } | Self::Splice(_) => return None,
        })
    }

    /// All of it in several lines: the message, its causes, every problem, and what to do. For a build
    /// script that shows it and ends.
    pub fn explained(&self) -> String {
        let mut text = match self {
            Self::Refused { dir, .. } => {
                format!("nothing was written to the tree {}:", dir.display())
            }
            other => other.to_string(),
        };
        let mut source = std::error::Error::source(self);
        while let Some(error) = source {
            let _ = write!(text, ": {error}");
            source = error.source();
        }
        if let Self::Refused { problems, .. } = self {
            for problem in problems {
                let _ = write!(text, "\n  {problem}\n    help: {}", problem.obstacle.help());
            }
        }
        if let Self::NoPinFits { misfits, .. } = self {
            for misfit in misfits {
                let _ = write!(text, "\n  {misfit}");
            }
        }
        if let Some(help) = self.help() {
            let _ = write!(text, "\nhelp: {help}");
        }
        text
    }
}

fn listed(releases: &[String]) -> String {
    match releases {
        [] => "none".to_owned(),
        some => some.join(", "),
    }
}

fn problems_text(problems: &[Problem]) -> String {
    match problems {
        [one] => one.to_string(),
        more => format!("{} of its paths stand in the way", more.len()),
    }
}

fn after_failure(left: &[PathBuf]) -> String {
    match left {
        [] => "every file is as it was".to_owned(),
        left => {
            let names: Vec<String> = left.iter().map(|path| path.display().to_string()).collect();
            format!(
                "{} could not be put back, apply again to finish",
                names.join(", ")
            )
        }
    }
}
