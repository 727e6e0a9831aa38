//! Failures of programs, and of the code that they are given.

use std::fmt::Display;

use camino::Utf8Path;

use crate::report::{Code, Error, Finding, Text, first_lines};

/// A failure of a program, or of the code that it was given.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", .finding.message)]
pub struct ToolError {
    /// The finding that it makes; its excerpt is the output of a compiler, linker or driver.
    pub(crate) finding: Box<Finding>,
}

impl From<Error> for ToolError {
    /// The cache cannot be written.
    fn from(error: Error) -> Self {
        Self::broken(error.to_string()).help(error.advice())
    }
}

impl ToolError {
    /// A tool or a condition is missing. It says nothing about the code.
    pub(crate) fn missing(message: impl Into<String>) -> Self {
        Self::of_code(Code::ToolMissing, message)
    }

    /// A tool or a file is broken, and is to be mended at whatever level was asked for. It says nothing about the code.
    pub(crate) fn broken(message: impl Into<String>) -> Self {
        Self::of_code(Code::BuildNotPossible, message)
    }

    /// The code was refused, or misbehaves.
    pub(crate) fn of_code(code: Code, message: impl Into<String>) -> Self {
        Self {
            finding: Box::new(Finding::new(code, message)),
        }
    }

    /// A file or folder cannot be read or written.
    pub(crate) fn unusable(path: &Utf8Path, why: &dyn Display) -> Self {
        Self::broken(format!("{path}: {why}")).help(
            "look at the place, its permissions and its free space; all that lies in patchctl's cache can be made again",
        )
    }

    fn change(self, change: impl FnOnce(Finding) -> Finding) -> Self {
        Self {
            finding: Box::new(change(*self.finding)),
        }
    }

    pub(crate) fn help(self, help: impl Text) -> Self {
        self.change(|finding| finding.help(help))
    }

    /// An output without any text is left out.
    pub(crate) fn output(self, output: impl Into<String>) -> Self {
        let output = Some(output.into()).filter(|text| !text.trim().is_empty());
        self.change(|finding| finding.excerpt(output))
    }

    /// Names the file of the code, by its path in the tree.
    pub(crate) fn file(self, file: &Utf8Path) -> Self {
        self.change(|finding| finding.file(file))
    }

    /// The same about code that patchctl has not touched: it says nothing about the overlays.
    pub(crate) fn of_upstream(self) -> Self {
        let mut lines = self.output_text().lines();
        let first = lines.find(|line| line.contains("error: "));
        let first = first.map_or_else(String::new, |line| format!(" ({})", line.trim()));
        let message = format!("upstream alone does not build here: {self}{first}");
        self.change(|finding| Finding {
            code: match finding.code {
                Code::BuildNotPossible => finding.code,
                _ => Code::ToolMissing,
            },
            message,
            ..finding
        })
    }

    /// Makes the finding for a report, with the beginning of the output.
    pub(crate) fn reported(&self) -> Finding {
        let finding = (*self.finding).clone();
        match finding.code {
            // The error stands at the end, and what came before it was cut off.
            Code::BuildFailed => finding,
            _ => finding.excerpt(self.finding.excerpt.as_deref().map(first_lines)),
        }
    }

    /// Returns the output of the compiler, linker or driver.
    pub(crate) fn output_text(&self) -> &str {
        self.finding.excerpt.as_deref().unwrap_or_default()
    }

    /// Returns the code of the finding that it makes.
    pub fn code(&self) -> &'static str {
        self.finding.code()
    }

    /// Returns the advice.
    pub fn advice(&self) -> Option<&str> {
        self.finding.help.as_deref()
    }

    /// Returns true if the surroundings are to blame: 'not run', and nothing about the code.
    pub fn is_not_run(&self) -> bool {
        self.is_broken() || self.finding.code == Code::ToolMissing
    }

    /// Returns true if something here is broken, not missing.
    pub fn is_broken(&self) -> bool {
        self.finding.code == Code::BuildNotPossible
    }
}
