//! Names that a command line gives: pins, a range of commits.

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
}
