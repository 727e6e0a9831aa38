//! Every way in which a command can fail to give a report, what each ends with and how it reads.

use std::error::Error;

use camino::Utf8PathBuf;
use patchctl_apply::tree::Cause;
use patchctl_apply::{ApplyError, LockError};

use crate::report::Exit;
use crate::report::{Code, Finding, Report};
use crate::upstream::{SourceError, UpstreamError};
use crate::workspace::{Kept, RecoveryError, RepoLockError, TransactionError};
use crate::yaml::Faults;

/// Why a command has no report. A check that failed is not one of these: it is a report.
#[derive(Debug, thiserror::Error)]
pub enum WorkflowError {
    /// No `patchctl.yaml` in the folder or above it.
    #[error("there is no patchctl.yaml in {start} or any folder above it")]
    NoRoot {
        /// Where the search began.
        start: Utf8PathBuf,
    },
    /// `--root` names a folder without `patchctl.yaml`.
    #[error("{root} holds no patchctl.yaml")]
    NotARoot {
        /// The folder that was named.
        root: Utf8PathBuf,
    },
    /// The command line asks for something that makes no sense.
    #[error("{message}")]
    Usage {
        /// What is wrong with it.
        message: String,
        /// What to write instead.
        help: Option<String>,
    },
    /// A file or the system refused.
    #[error("{what}")]
    Io {
        /// What was tried, with the path.
        what: String,
        /// The system's word.
        #[source]
        source: std::io::Error,
    },
    /// YAML files of the repository are wrong or cannot be read.
    #[error(transparent)]
    Faults(#[from] Faults),
    /// The lock file cannot be used.
    #[error("{file}: {source}")]
    Lock {
        /// The lock file, as the root sees it.
        file: Utf8PathBuf,
        /// What is wrong with it.
        source: LockError,
    },
    /// The lock that was made cannot be written.
    #[error(transparent)]
    LockNotKept(#[from] LockError),
    /// The lock has no such pin.
    #[error("the lock has no pin {wanted}, it has {}", listed(has))]
    NoSuchPin {
        /// As asked for.
        wanted: String,
        /// The releases it has.
        has: Vec<String>,
    },
    /// A tree could not be looked at or changed.
    #[error(transparent)]
    Apply(#[from] ApplyError),
    /// No source has the revision, or a tag was moved.
    #[error(transparent)]
    Upstream(#[from] UpstreamError),
    /// A source that was chosen has failed since.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The repository is held by another command.
    #[error(transparent)]
    Held(#[from] RepoLockError),
    /// Files could not be written together.
    #[error(transparent)]
    Transaction(#[from] TransactionError),
    /// What an interrupted command left could not be mended.
    #[error(transparent)]
    Recovery(#[from] RecoveryError),
    /// Places of the pin that patchctl.yaml names cannot be rewritten.
    #[error("{}", .0.iter().map(|finding| finding.message.as_str()).collect::<Vec<_>>().join("\n"))]
    Places(Vec<Finding>),
    /// Somebody has changed files since a command was interrupted.
    #[error("files were changed since a command was interrupted: {}", .kept.iter().map(|kept| kept.path.as_str()).collect::<Vec<_>>().join(", "))]
    ChangedSince {
        /// The files.
        kept: Vec<Kept>,
    },
}

impl WorkflowError {
    /// The exit status.
    pub fn exit(&self) -> Exit {
        match self {
            Self::Faults(faults) if faults.only_surroundings() => Exit::Surroundings,
            Self::Lock {
                source: LockError::Unreadable { .. },
                ..
            } => Exit::Surroundings,
            Self::NoRoot { .. }
            | Self::NotARoot { .. }
            | Self::Usage { .. }
            | Self::Faults(_)
            | Self::Places(_)
            | Self::Lock { .. }
            | Self::NoSuchPin { .. } => Exit::Usage,
            Self::Apply(error) => Self::exit_of_apply(error),
            Self::ChangedSince { .. }
            | Self::Upstream(UpstreamError::Moved(_))
            | Self::Source(SourceError::TagMoved { .. }) => Exit::Check,
            Self::LockNotKept(_)
            | Self::Held(_)
            | Self::Transaction(_)
            | Self::Recovery(_)
            | Self::Io { .. }
            | Self::Upstream(_)
            | Self::Source(_) => Exit::Surroundings,
        }
    }

    /// The exit status of what kept a tree from being changed.
    pub(super) fn exit_of_apply(error: &ApplyError) -> Exit {
        match error.cause() {
            Cause::Content => Exit::Check,
            Cause::Asked => Exit::Usage,
            Cause::Surroundings => Exit::Surroundings,
        }
    }

    /// What `--format json` says instead of a report, and what a person reads where a file's line can be
    /// shown. Never empty.
    pub fn findings(&self) -> Vec<Finding> {
        let code = match self {
            Self::Faults(faults) => return faults.clone().into_findings(),
            Self::Places(findings) => return findings.clone(),
            Self::NoRoot { .. } | Self::NotARoot { .. } => Code::NoRoot,
            Self::Usage { .. } => Code::Usage,
            Self::Io { .. } => Code::Io,
            Self::Lock { source, .. } => match source {
                LockError::Unreadable { .. } => Code::LockUnreadable,
                LockError::Newer { .. } => Code::SchemaUnsupported,
                _ => Code::LockDamaged,
            },
            Self::NoSuchPin { .. } | Self::Apply(ApplyError::NoSuchPin { .. }) => Code::NoSuchPin,
            Self::Apply(error) => match error {
                ApplyError::NoPinFits { .. } => Code::ForeignTree,
                ApplyError::ManyPinsFit { .. } => Code::PinAmbiguous,
                ApplyError::NoTree { .. } => Code::NoTree,
                ApplyError::Busy { .. } => Code::TreeBusy,
                ApplyError::ChangedMeanwhile { .. } => Code::TreeChangedMeanwhile,
                ApplyError::Splice(_) => Code::LockDamaged,
                _ => Code::TreeNotWritten,
            },
            Self::Upstream(UpstreamError::NoSource { .. }) => Code::NoSource,
            Self::Source(SourceError::NotThere { .. }) => Code::RevisionNotThere,
            Self::Source(SourceError::Unreachable { .. }) => Code::SourceUnreachable,
            Self::Source(SourceError::Unwritable { .. }) | Self::Transaction(_) => Code::Unwritable,
            Self::Upstream(UpstreamError::Moved(_))
            | Self::Source(SourceError::TagMoved { .. }) => Code::TagMoved,
            Self::LockNotKept(_) => Code::LockDamaged,
            Self::Held(_) => Code::RepositoryHeld,
            Self::Recovery(_) => Code::RecoveryFailed,
            Self::ChangedSince { .. } => Code::ChangedSince,
        };
        let mut message = self.to_string();
        for cause in self.causes() {
            message.push_str(": ");
            message.push_str(&cause);
        }
        let (file, place) = match self {
            Self::Lock { file, source } => (Some(file.to_string()), place_in_lock(source)),
            _ => (None, None),
        };
        vec![
            Finding::new(code, message)
                .file(file)
                .at(place.map(|(line, _)| line), place.map(|(_, column)| column))
                .help(self.help()),
        ]
    }

    /// What `--format json` says instead of a report.
    pub fn report(&self, command: &str) -> Report {
        Report {
            ok: false,
            findings: self.findings(),
            ..Report::new(command)
        }
    }

    /// What to do about it.
    pub fn help(&self) -> Option<String> {
        let fixed = match self {
            Self::NoRoot { .. } => {
                "run patchctl inside a repository that has one, or name its folder with --root DIR"
            }
            Self::NotARoot { .. } => "--root names the folder in which patchctl.yaml stands",
            Self::Lock {
                source: LockError::Unreadable { source, .. },
                ..
            } if source.kind() == std::io::ErrorKind::NotFound => {
                "nothing is locked yet: patchctl bump --mlx V"
            }
            Self::Lock {
                source: LockError::Form { .. },
                ..
            } => "take it from version control, or write it anew with `patchctl bump`",
            Self::Usage { help, .. } => return help.clone(),
            Self::NoSuchPin { wanted, .. } => {
                return Some(format!(
                    "name one of them, or add the pin: patchctl bump --mlx {wanted}"
                ));
            }
            Self::Apply(error) => return error.help(),
            Self::Upstream(error) => return error.help().map(str::to_owned),
            Self::Source(error) => return error.help().map(str::to_owned),
            Self::Held(error) => error.help(),
            Self::Transaction(error) => return Some(error.help()),
            Self::Recovery(error) => return Some(error.help()),
            Self::ChangedSince { kept } => return Some(kept_help(kept)),
            Self::Faults(_)
            | Self::Places(_)
            | Self::Lock { .. }
            | Self::LockNotKept(_)
            | Self::Io { .. } => return None,
        };
        Some(fixed.to_owned())
    }

    /// The causes below the message, outermost first.
    pub fn causes(&self) -> Vec<String> {
        if let Self::Apply(ApplyError::NoPinFits { misfits, .. }) = self {
            return misfits.iter().map(ToString::to_string).collect();
        }
        let mut causes = Vec::new();
        // The lock's error is part of the message already.
        let mut cause = match self {
            Self::Lock { source, .. } => source.source(),
            other => other.source(),
        };
        while let Some(error) = cause {
            causes.push(error.to_string());
            cause = error.source();
        }
        causes
    }
}

/// Line and column, where the error knows them.
fn place_in_lock(error: &LockError) -> Option<(u64, u64)> {
    match error {
        LockError::Form { line, column, .. } if *line > 0 => Some((*line as u64, *column as u64)),
        _ => None,
    }
}

fn listed(releases: &[String]) -> String {
    match releases {
        [] => "none".to_owned(),
        some => some.join(", "),
    }
}

fn kept_help(kept: &[Kept]) -> String {
    let mut help = "make each file what it should be, then run the command again".to_owned();
    for one in kept {
        if let Some(before) = &one.before {
            help.push_str(&format!(
                "\n  {} was {before} before the interrupted command",
                one.path
            ));
        }
    }
    help
}
