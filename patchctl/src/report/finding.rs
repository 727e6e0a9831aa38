//! One finding, and the only way to make one.

use camino::{Utf8Path, Utf8PathBuf};
use serde::Serialize;

use super::{Code, Severity};

/// One thing that a check has to say, with a stable code (listed in `docs/findings.md`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// `overlay/hunk` or `overlay/hunk.edit`; none for a finding about files or pins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hunk: Option<String>,
    /// The file it is about: an upstream path, or one of the repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) file: Option<String>,
    /// 1-based.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) line: Option<u64>,
    /// 1-based, in characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) column: Option<u64>,
    /// Its weight.
    pub(crate) severity: Severity,
    /// Its stable code.
    pub(crate) code: Code,
    /// One sentence with the state found and the state expected.
    pub(crate) message: String,
    /// The advice, possibly several lines (a piece of YAML to add).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) help: Option<String>,
    /// Code or text to show under the message, verbatim.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) excerpt: Option<String>,
    /// 1-based number of the excerpt's first line in `file`, where the excerpt is a piece of it as it
    /// stands; with it the excerpt is shown with line numbers, and `line` and `column` are pointed at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) excerpt_line: Option<u64>,
}

impl Finding {
    /// A finding with the code's usual severity, about no file.
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            hunk: None,
            file: None,
            line: None,
            column: None,
            severity: code.severity(),
            code,
            message: message.into(),
            help: None,
            excerpt: None,
            excerpt_line: None,
        }
    }

    /// Returns the stable code.
    pub fn code(&self) -> &'static str {
        self.code.as_str()
    }

    /// Returns true if it is why a result is not 'passed'.
    pub(crate) fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// Returns the message.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns `file:line:column`, as far as it is known, in the form that editors and terminals open.
    pub(crate) fn place(&self) -> Option<String> {
        let mut place = self.file.clone()?;
        let numbers = self.line.into_iter().chain(self.line.and(self.column));
        place.extend(numbers.map(|number| format!(":{number}")));
        Some(place)
    }

    /// Returns the message behind the place.
    pub(crate) fn with_place(&self) -> String {
        format!("{}: {}", self.place().unwrap_or_default(), self.message)
    }

    /// Replaces the code's usual severity.
    #[must_use]
    pub(crate) fn severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }

    /// Names the hunk or edit.
    #[must_use]
    pub(crate) fn hunk(mut self, hunk: impl Text) -> Self {
        self.hunk = hunk.text();
        self
    }

    /// Names the file.
    #[must_use]
    pub(crate) fn file(mut self, file: impl Text) -> Self {
        self.file = file.text();
        self
    }

    /// Sets the line in the file.
    #[must_use]
    pub(crate) fn line(mut self, line: impl Into<Option<u64>>) -> Self {
        self.line = line.into();
        self
    }

    /// Sets line and column in the file.
    #[must_use]
    pub(crate) fn at(
        mut self,
        line: impl Into<Option<u64>>,
        column: impl Into<Option<u64>>,
    ) -> Self {
        self.line = line.into();
        self.column = column.into();
        self
    }

    /// Says what to do.
    #[must_use]
    pub(crate) fn help(mut self, help: impl Text) -> Self {
        self.help = help.text();
        self
    }

    /// Shows a text that is no piece of the file.
    #[must_use]
    pub(crate) fn excerpt(mut self, excerpt: impl Text) -> Self {
        self.excerpt = excerpt.text();
        self
    }

    /// Shows a piece of the file whose first line is `first`.
    #[must_use]
    pub(crate) fn excerpt_from(
        mut self,
        first: impl Into<Option<u64>>,
        excerpt: impl Text,
    ) -> Self {
        self.excerpt = excerpt.text();
        self.excerpt_line = first.into().filter(|_| self.excerpt.is_some());
        self
    }
}

/// A text, or none: what a finding's optional parts are made from.
pub(crate) trait Text {
    /// The text.
    fn text(self) -> Option<String>;
}

impl Text for String {
    fn text(self) -> Option<String> {
        Some(self)
    }
}

impl Text for &str {
    fn text(self) -> Option<String> {
        Some(self.to_owned())
    }
}

impl Text for Utf8PathBuf {
    fn text(self) -> Option<String> {
        Some(self.into_string())
    }
}

impl Text for &Utf8Path {
    fn text(self) -> Option<String> {
        Some(self.to_string())
    }
}

impl<T: Text> Text for Option<T> {
    fn text(self) -> Option<String> {
        self.and_then(Text::text)
    }
}
