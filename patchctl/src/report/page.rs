//! The documentation of a finding code.

use serde::{Serialize, Serializer};

use super::{Exit, Severity};

/// Codes that belong together.
pub(super) struct Section {
    /// The heading, in Markdown.
    pub(super) title: &'static str,
    /// Text for all of its codes, in Markdown; may be empty.
    pub(super) intro: &'static str,
    /// Its codes.
    pub(super) pages: &'static [Page],
}

/// The documentation of one code.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Page {
    /// The code.
    pub(crate) code: &'static str,
    /// The usual severity.
    pub(super) severity: Severity,
    /// The status that a command ends with when nothing graver is found.
    #[serde(rename = "exit_status", serialize_with = "number")]
    pub(super) exit: Exit,
    /// The heading of its section.
    pub(super) section: &'static str,
    /// Markdown, a space before each line. Paragraphs: the meaning, what to do, more.
    #[serde(serialize_with = "unindented")]
    pub(super) text: &'static str,
}

fn number<S: Serializer>(exit: &Exit, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u8(exit.code())
}

fn unindented<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&plain(text))
}

pub(super) fn plain(text: &str) -> String {
    let lines = text.lines();
    lines.fold(String::new(), |text, line| {
        text + line.strip_prefix(' ').unwrap_or(line) + "\n"
    })
}
