//! Why something could not be built or run.

use std::io;

use camino::{Utf8Path, Utf8PathBuf};

/// Why something could not be built or run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// A program that is needed is not here, or too old.
    #[error("{what} is not here{}", found_instead(.found.as_deref()))]
    NoTool {
        /// What is needed: `a C++ compiler`, `CMake 3.25 or later`.
        what: &'static str,
        /// The version that is here instead.
        found: Option<String>,
        /// How to get it.
        help: &'static str,
    },
    /// A program did not start.
    #[error("{program} cannot be started: {why}")]
    CannotStart {
        /// The program.
        program: String,
        /// What the system said.
        why: String,
    },
    /// A file or folder cannot be read or written.
    #[error("{path}: {why}")]
    File {
        /// The place.
        path: Utf8PathBuf,
        /// What the system said.
        why: String,
    },
    /// A compiler, linker or CMake failed.
    #[error("{what} failed")]
    Failed {
        /// What was being done: `compiling the bridge`.
        what: String,
        /// The end of what it said.
        output: String,
    },
    /// A program did not end.
    #[error("{what} takes longer than {minutes} minutes")]
    Hangs {
        /// What was being done.
        what: String,
        /// How long was waited.
        minutes: u64,
    },
}

impl BuildError {
    /// Whether the surroundings are to blame, which says nothing about the overlays.
    pub fn is_surroundings(&self) -> bool {
        !matches!(self, Self::Failed { .. })
    }

    /// What to do about it.
    pub fn help(&self) -> Option<String> {
        match self {
            Self::NoTool { help, .. } => Some((*help).to_owned()),
            _ => None,
        }
    }

    /// What the failed program said.
    pub fn output(&self) -> Option<&str> {
        match self {
            Self::Failed { output, .. } => Some(output),
            _ => None,
        }
    }

    pub(super) fn file(path: &Utf8Path, error: &io::Error) -> Self {
        Self::File {
            path: path.to_owned(),
            why: error.to_string(),
        }
    }
}

fn found_instead(found: Option<&str>) -> String {
    found.map_or_else(String::new, |found| format!(" (there is {found})"))
}
