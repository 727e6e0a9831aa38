//! Failures of programs, and of the code that they are given.

use std::fmt::Display;
use std::io;

use camino::{Utf8Path, Utf8PathBuf};

use crate::report::{Code, Error, Finding};

/// A failure of a program, or of the code that it was given.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ToolError {
    cause: Cause,
    /// The code of the finding that it makes.
    pub(crate) code: Code,
    /// The file of the code, by its path in the tree.
    pub file: Option<Utf8PathBuf>,
    /// The failure, in one line.
    pub message: String,
    /// The advice.
    pub help: Option<String>,
    /// The output of a compiler, linker or driver.
    pub output: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cause {
    /// Something is not here that the question needs.
    Missing,
    /// Something is here and broken: it is to be mended, at whatever level was asked for.
    Broken,
    /// The code was refused, or misbehaves.
    Code,
}

impl From<Error> for ToolError {
    /// The cache cannot be written.
    fn from(error: Error) -> Self {
        let new = Self::broken(error.to_string());
        match error.advice() {
            Some(help) => new.help(help),
            None => new,
        }
    }
}

impl ToolError {
    /// A tool or a condition is missing. It says nothing about the code.
    pub(crate) fn missing(message: impl Into<String>) -> Self {
        Self::new(Cause::Missing, Code::ToolMissing, message.into())
    }

    /// A tool or a file is broken. It says nothing about the code.
    pub(crate) fn broken(message: impl Into<String>) -> Self {
        Self::new(Cause::Broken, Code::BuildNotPossible, message.into())
    }

    /// The code was refused, or misbehaves.
    pub(crate) fn of_code(code: Code, message: impl Into<String>) -> Self {
        Self::new(Cause::Code, code, message.into())
    }

    /// A program did not start.
    pub(crate) fn cannot_start(program: &str, error: &io::Error) -> Self {
        Self::broken(format!("{program} cannot be started: {error}"))
    }

    /// A file or folder cannot be read or written.
    pub(crate) fn unusable(path: &Utf8Path, why: &dyn Display) -> Self {
        Self::broken(format!("{path}: {why}")).help(
            "look at the place, its permissions and its free space; all that lies in patchctl's cache can be made again",
        )
    }

    fn new(cause: Cause, code: Code, message: String) -> Self {
        Self {
            cause,
            code,
            file: None,
            message,
            help: None,
            output: None,
        }
    }

    pub(crate) fn help(self, help: impl Into<String>) -> Self {
        Self {
            help: Some(help.into()),
            ..self
        }
    }

    /// An output without any text is left out.
    pub(crate) fn output(self, output: impl Into<String>) -> Self {
        Self {
            output: Some(output.into()).filter(|text| !text.trim().is_empty()),
            ..self
        }
    }

    pub(crate) fn file(self, file: &Utf8Path) -> Self {
        Self {
            file: Some(file.to_owned()),
            ..self
        }
    }

    /// The same about code that patchctl has not touched: it says nothing about the overlays.
    pub(crate) fn of_upstream(self) -> Self {
        let first = self.output.as_deref().unwrap_or_default();
        let first = first.lines().find(|line| line.contains("error: "));
        let first = first.map_or_else(String::new, |line| format!(" ({})", line.trim()));
        Self {
            cause: match self.cause {
                Cause::Broken => Cause::Broken,
                Cause::Missing | Cause::Code => Cause::Missing,
            },
            message: format!(
                "upstream alone does not build here: {}{first}",
                self.message
            ),
            ..self
        }
    }

    /// Returns the code of the finding that it makes.
    pub fn code(&self) -> &'static str {
        self.code.as_str()
    }

    /// Returns the error as a finding.
    pub(crate) fn finding(&self) -> Finding {
        Finding::new(self.code, &*self.message)
            .file(self.file.as_ref().map(ToString::to_string))
            .help(self.help.clone())
            .excerpt(self.output.clone())
    }

    /// Returns true if the surroundings are to blame: 'not run', and nothing about the code.
    pub fn is_not_run(&self) -> bool {
        self.cause != Cause::Code
    }

    /// Returns true if something here is broken, not missing.
    pub fn is_broken(&self) -> bool {
        self.cause == Cause::Broken
    }
}
