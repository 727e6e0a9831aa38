//! The words that several commands' arguments share.

use std::str::FromStr;

use camino::Utf8PathBuf;
use clap::ValueEnum;

use crate::upstream::{RevisionSpec, SourceSpec, SpecError};

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
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Level {
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

/// A range of commits, `A..B`, with git's meaning: what B has and A has not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitRange {
    /// A tag, branch or commit that is left out.
    pub from: String,
    /// A tag, branch or commit that is looked at.
    pub to: String,
}

impl FromStr for CommitRange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once("..") {
            Some((from, to)) if !from.is_empty() && !to.is_empty() && !to.starts_with('.') => {
                Ok(Self {
                    from: from.to_owned(),
                    to: to.to_owned(),
                })
            }
            _ => Err("a range of commits is `A..B`, such as `v0.31.1..v0.32.1`".to_owned()),
        }
    }
}

/// A hunk as the command line names it: `overlay/hunk`, or the bare id where it is unique.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HunkName {
    /// The overlay's name, where it was given.
    pub overlay: Option<String>,
    /// The hunk's id.
    pub hunk: String,
}

impl FromStr for HunkName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (overlay, hunk) = match text.split_once('/') {
            Some((overlay, hunk)) => (Some(overlay), hunk),
            None => (None, text),
        };
        if hunk.is_empty() || overlay == Some("") || hunk.contains('/') {
            return Err("a hunk is `overlay/hunk`, or the hunk's id where it is unique".to_owned());
        }
        Ok(Self {
            overlay: overlay.map(str::to_owned),
            hunk: hunk.to_owned(),
        })
    }
}

impl std::fmt::Display for HunkName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.overlay {
            Some(overlay) => write!(f, "{overlay}/{}", self.hunk),
            None => f.write_str(&self.hunk),
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

/// Reads a folder's name: an empty one, as of a variable that is not set, would be the folder at hand.
pub(crate) fn folder(text: &str) -> Result<Utf8PathBuf, String> {
    match text {
        "" => Err("the folder's name is missing; the one at hand is `.`".to_owned()),
        _ => Ok(text.into()),
    }
}

/// clap has named the option and its value already.
#[expect(clippy::needless_pass_by_value, reason = "it is what `map_err` gives")]
fn say(error: SpecError) -> String {
    format!("{}\nhelp: {}", error.why, error.help)
}

/// `1 hunk`, `2 hunks`.
pub(super) fn counted(count: usize, noun: &str) -> String {
    match count {
        1 => format!("1 {noun}"),
        _ => format!("{count} {noun}s"),
    }
}

/// What stands below a command's options in `--help` and in its manual page: examples, and how it ends.
pub(super) fn examples(text: &str) -> String {
    format!("{}\n\n{EXIT_STATUS}", text.trim_end())
}

/// Design §7, for every help page.
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
    fn a_range_has_two_ends_and_two_dots() {
        let range = |text: &str| text.parse::<CommitRange>().map(|it| (it.from, it.to));
        assert_eq!(
            range("v0.23.0..main"),
            Ok(("v0.23.0".to_owned(), "main".to_owned()))
        );
        for wrong in ["", "..", "a..", "..b", "a...b", "main"] {
            assert!(range(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_folder_has_a_name() {
        assert_eq!(folder("."), Ok(".".into()));
        assert!(folder("").is_err());
    }

    #[test]
    fn a_hunk_is_named_with_or_without_its_overlay() {
        let named = |text: &str| text.parse::<HunkName>().map(|it| (it.overlay, it.hunk));
        assert_eq!(named("include"), Ok((None, "include".to_owned())));
        assert_eq!(
            named("budget/include"),
            Ok((Some("budget".to_owned()), "include".to_owned()))
        );
        for wrong in ["", "/", "a/", "/b", "a/b/c"] {
            assert!(named(wrong).is_err(), "{wrong}");
        }
    }
}
