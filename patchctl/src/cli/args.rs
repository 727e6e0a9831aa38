//! The words that several commands' arguments share.

use camino::Utf8PathBuf;
use clap::ValueEnum;

use crate::report::Error;
use crate::upstream::{RevisionSpec, SourceSpec};
use crate::verify::Level;

/// `--format`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Text for a person.
    #[default]
    Human,
    /// One JSON document on standard output and nothing else.
    Json,
    /// A summary, annotations and the folded report, for a step of GitHub Actions.
    Github,
    /// The body of a pull request.
    Markdown,
}

/// `--color`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// `--level`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum AskedLevel {
    /// The highest that the tools at hand allow.
    #[default]
    Auto,
    /// Anchors, premises, markers, take-off. Needs nothing.
    Structure,
    /// The patched file compiles and exports what the overlay provides. Needs clang.
    Compile,
    /// Scenarios on the real command encoder. Needs host-metal or Metal.
    Run,
}

impl AskedLevel {
    /// The level, `None` for `auto`.
    pub(super) fn level(self) -> Option<Level> {
        match self {
            Self::Auto => None,
            Self::Structure => Some(Level::Structure),
            Self::Compile => Some(Level::Compile),
            Self::Run => Some(Level::Run),
        }
    }
}

/// Reads `--mlx`, and says what can be written where that is no revision.
pub(super) fn revision(text: &str) -> Result<RevisionSpec, String> {
    text.parse().map_err(say)
}

/// Reads `--source`, and says what can be written where that is no source.
pub(crate) fn source(text: &str) -> Result<SourceSpec, String> {
    text.parse().map_err(say)
}

/// Reads a hunk's name: `overlay/hunk`, or the bare id where it is unique.
pub(super) fn hunk(text: &str) -> Result<String, String> {
    let parts: Vec<&str> = text.split('/').collect();
    match parts.len() <= 2 && parts.iter().all(|part| !part.is_empty()) {
        true => Ok(text.to_owned()),
        false => Err("a hunk is `overlay/hunk`, or the hunk's id where it is unique".to_owned()),
    }
}

/// Reads a folder's name: an empty one, as of a variable that is not set, would be the folder at hand.
pub(crate) fn folder(text: &str) -> Result<Utf8PathBuf, String> {
    match text {
        "" => Err("the folder's name is missing; the one at hand is `.`".to_owned()),
        _ => Ok(text.into()),
    }
}

/// clap has named the option and its value already.
#[expect(clippy::needless_pass_by_value, reason = "it is what `map_err` gives")]
fn say(error: Error) -> String {
    format!("{error}\nhelp: {}", error.advice().unwrap_or_default())
}

/// Returns the text below a command's options in `--help` and its manual page: examples and the exit status.
pub(super) fn examples(text: &str) -> String {
    format!("{}\n\n{EXIT_STATUS}", text.trim_end())
}

/// The exit status, for every help page.
pub(crate) const EXIT_STATUS: &str = "\
Exit status:
  0  all that was asked holds
  1  a check failed or needs review
  2  the command line or a YAML file is wrong, or an unsupported release was named alone
  3  the surroundings failed: network, missing tool, unreadable or unwritable file
  Of several causes 2 comes before 3 before 1.";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlay_of_a_hunk_may_be_left_out() {
        for name in ["include", "budget/include"] {
            assert_eq!(hunk(name), Ok(name.to_owned()));
        }
        for wrong in ["", "/", "a/", "/b", "a/b/c"] {
            assert!(hunk(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_folder_has_a_name() {
        assert_eq!(folder("."), Ok(".".into()));
        assert!(folder("").is_err());
    }
}
