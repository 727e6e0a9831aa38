//! Names that a command line gives: pins, a range of commits, a hunk.

use std::str::FromStr;

/// A selection of locked pins.
#[derive(Debug)]
pub(crate) enum PinSelection {
    /// The current one.
    Current,
    /// Every one.
    All,
    /// The one with this release, or this commit as git describes it.
    Named(String),
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
