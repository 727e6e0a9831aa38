//! Every way in which a command can fail to give a report, what each ends with and how it reads.

use std::error::Error;

use camino::Utf8PathBuf;
use patchctl_apply::LockError;

use crate::document::Faults;
use crate::exit::Exit;
use crate::pins::{Kept, RecoveryError, RepoLockError, TransactionError};
use crate::report::{Finding, Report};
use crate::upstream::{SourceError, UpstreamError};

/// Why a command has no report. A check that failed is not one of these: it is a report.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
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
    /// No source has the revision, or a tag was moved.
    #[error(transparent)]
    Upstream(#[from] UpstreamError),
    /// A source that was chosen has failed since.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// YAML files are wrong, or cannot be read.
    #[error(transparent)]
    Faults(#[from] Faults),
    /// The lock cannot be read or written.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The repository is held by another command.
    #[error(transparent)]
    Held(#[from] RepoLockError),
    /// Files could not be written together.
    #[error(transparent)]
    Transaction(#[from] TransactionError),
    /// What an interrupted command left could not be mended.
    #[error(transparent)]
    Recovery(#[from] RecoveryError),
    /// Somebody has changed files since a command was interrupted.
    #[error("files were changed since a command was interrupted: {}", .kept.iter().map(|kept| kept.path.as_str()).collect::<Vec<_>>().join(", "))]
    ChangedSince {
        /// The files.
        kept: Vec<Kept>,
    },
    /// This build lacks the command.
    #[error("`patchctl {command}` is not built yet")]
    NotBuilt {
        /// The command's name.
        command: &'static str,
    },
}

impl CommandError {
    /// The exit status.
    pub fn exit(&self) -> Exit {
        match self {
            Self::NoRoot { .. } | Self::NotARoot { .. } | Self::Usage { .. } => Exit::Usage,
            Self::Upstream(UpstreamError::Moved(_))
            | Self::Source(SourceError::TagMoved { .. }) => Exit::Check,
            Self::Faults(faults) if !faults.only_surroundings() => Exit::Usage,
            Self::Lock(
                LockError::Newer { .. } | LockError::Form { .. } | LockError::Contradiction { .. },
            ) => Exit::Usage,
            Self::ChangedSince { .. } => Exit::Check,
            Self::Faults(_)
            | Self::Lock(_)
            | Self::Held(_)
            | Self::Transaction(_)
            | Self::Recovery(_)
            | Self::Io { .. }
            | Self::Upstream(_)
            | Self::Source(_)
            | Self::NotBuilt { .. } => Exit::Surroundings,
        }
    }

    /// The finding's stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NoRoot { .. } | Self::NotARoot { .. } => "no-root",
            Self::Usage { .. } => "usage",
            Self::Io { .. } => "io",
            Self::Upstream(UpstreamError::NoSource { .. }) => "no-source",
            Self::Source(SourceError::NotThere { .. }) => "revision-not-there",
            Self::Source(SourceError::Unreachable { .. }) => "source-unreachable",
            Self::Source(SourceError::Unwritable { .. }) => "unwritable",
            Self::Upstream(UpstreamError::Moved(_))
            | Self::Source(SourceError::TagMoved { .. }) => "tag-moved",
            Self::Faults(faults) => faults.0.first().map_or("yaml", |fault| fault.code),
            Self::Lock(_) => "lock-unreadable",
            Self::Held(_) => "repository-held",
            Self::Transaction(_) => "unwritable",
            Self::Recovery(_) => "recovery-failed",
            Self::ChangedSince { .. } => "changed-since",
            Self::NotBuilt { .. } => "not-built",
        }
    }

    /// What to do about it.
    pub fn help(&self) -> Option<String> {
        match self {
            Self::NoRoot { .. } => Some(
                "run patchctl inside a repository that has one, or name its folder with --root DIR"
                    .to_owned(),
            ),
            Self::NotARoot { .. } => {
                Some("--root names the folder in which patchctl.yaml stands".to_owned())
            }
            Self::Usage { help, .. } => help.clone(),
            Self::Upstream(error) => error.help().map(str::to_owned),
            Self::Source(error) => error.help().map(str::to_owned),
            Self::Held(error) => Some(error.help().to_owned()),
            Self::Transaction(error) => Some(error.help()),
            Self::Recovery(error) => Some(error.help()),
            Self::ChangedSince { kept } => Some(kept_help(kept)),
            Self::Faults(_) | Self::Lock(_) | Self::Io { .. } | Self::NotBuilt { .. } => None,
        }
    }

    /// The causes below the message, outermost first.
    pub fn causes(&self) -> Vec<String> {
        let mut causes = Vec::new();
        let mut cause = self.source();
        while let Some(error) = cause {
            causes.push(error.to_string());
            cause = error.source();
        }
        causes
    }

    /// What `--format json` says instead of a report.
    pub fn report(&self, command: &str) -> Report {
        let mut message = self.to_string();
        for cause in self.causes() {
            message.push_str(": ");
            message.push_str(&cause);
        }
        if let Self::Faults(faults) = self {
            let findings = faults.clone().into_findings();
            return Report {
                ok: false,
                findings,
                ..Report::new(command)
            };
        }
        Report {
            ok: false,
            findings: vec![Finding {
                code: self.code().to_owned(),
                message,
                help: self.help(),
                ..Finding::default()
            }],
            ..Report::new(command)
        }
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
