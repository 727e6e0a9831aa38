//! What can be wrong with the meaning of `patchctl.yaml`, `pins.yaml` and `reviewed.yaml`.

use crate::report::Code;
use crate::yaml::Problem;

/// A mistake in one of these files.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PinsProblem {
    /// A source that is none; the words are the command line's.
    #[error("{why}")]
    BadSource {
        /// `source "git:": the place is missing`
        why: String,
        /// What to write.
        help: String,
    },
    /// The same source twice, or no source at all.
    #[error("{0}")]
    Sources(&'static str),
    /// A path that leaves the repository.
    #[error("{0}")]
    BadPath(String),
    /// A place that says how to find its value in no way, or in several.
    #[error("a place needs exactly one of {}, found {}", super::place::WAYS, found(.0))]
    Ways(Vec<&'static str>),
    /// A way of a place that cannot find anything.
    #[error("{what}: {why}")]
    BadWay {
        /// `the key path`
        what: &'static str,
        /// The fault.
        why: String,
        /// What to write.
        help: &'static str,
    },
    /// A check that could not be run, found or counted.
    #[error("{why}")]
    BadCheck {
        /// The fault.
        why: String,
        /// What to write.
        help: &'static str,
    },
    /// A record of a check under another name.
    #[error("the file is named for `{named}`, and this is `{found}`")]
    RecordName {
        /// What the record says.
        found: String,
        /// What the file's name says.
        named: String,
    },
    /// The same place twice.
    #[error("this place is here twice, first on line {first}")]
    PlaceTwice {
        /// The line of the first.
        first: u64,
    },
    /// A commit id that is none.
    #[error("`{0}` is no commit id: expected 40 hex digits in lower case")]
    BadCommit(String),
    /// Another id that is no hex text.
    #[error("`{found}` is no {what}: expected hex digits in lower case")]
    BadDigest {
        /// `shape`
        what: &'static str,
        /// The value found.
        found: String,
    },
    /// A release that is none.
    #[error("`{0}` is no release, nor a commit as git describes it")]
    BadRelease(String),
    /// A pin that is there already.
    #[error("the {what} `{found}` is pinned twice, first on line {first}")]
    PinnedTwice {
        /// `release`
        what: &'static str,
        /// The release or commit.
        found: String,
        /// The line of the first.
        first: u64,
    },
    /// The current pin is none of the pins.
    #[error("the current pin `{current}` is not among the pins")]
    NoSuchPin {
        /// The release.
        current: String,
        /// Those there are.
        known: Vec<String>,
    },
    /// There are pins, and none is current.
    #[error("no pin is current")]
    NoCurrent,
    /// A review that is there already.
    #[error("this review is here twice, first on line {first}")]
    ReviewedTwice {
        /// The line of the first.
        first: u64,
    },
    /// A text that must not be empty.
    #[error("`{0}` is empty")]
    Empty(&'static str),
}

impl Problem for PinsProblem {
    fn code(&self) -> Code {
        match self {
            Self::BadSource { .. } | Self::Sources(_) => Code::ConfigBadSource,
            Self::BadPath(_) => Code::ConfigBadPath,
            Self::Ways(_) | Self::BadWay { .. } | Self::PlaceTwice { .. } => Code::ConfigBadPlace,
            Self::BadCommit(_) | Self::BadDigest { .. } => Code::PinsBadId,
            Self::BadCheck { .. } => Code::ConfigBadCheck,
            Self::BadRelease(_) | Self::Empty(_) | Self::RecordName { .. } => Code::PinsBadName,
            Self::PinnedTwice { .. } | Self::ReviewedTwice { .. } => Code::PinsTwice,
            Self::NoSuchPin { .. } | Self::NoCurrent => Code::PinsNoCurrent,
        }
    }

    fn help(&self) -> Option<String> {
        Some(match self {
            Self::BadSource { help, .. } => help.clone(),
            Self::Sources(_) => "write each once, in the order in which they are asked".to_owned(),
            Self::BadPath(_) => "write it relative to the repository's root, with `/`".to_owned(),
            Self::Ways(found) if found.is_empty() => format!("add one of {}", super::place::WAYS),
            Self::Ways(_) => "keep one".to_owned(),
            Self::BadWay { help, .. } | Self::BadCheck { help, .. } => (*help).to_owned(),
            Self::RecordName { .. } => {
                "delete it and run the check again: patchctl verify --check NAME".to_owned()
            }
            Self::BadRelease(_) => "write one such as 0.32.2".to_owned(),
            Self::NoSuchPin { known, .. } => format!("there are {}", known.join(", ")),
            Self::NoCurrent => "add `current: …`, the release of one of the pins".to_owned(),
            Self::PlaceTwice { .. } | Self::PinnedTwice { .. } | Self::ReviewedTwice { .. } => {
                "keep one of them".to_owned()
            }
            Self::BadCommit(_) | Self::BadDigest { .. } | Self::Empty(_) => return None,
        })
    }
}

fn found(ways: &[&str]) -> String {
    if ways.is_empty() {
        return "none".to_owned();
    }
    ways.iter()
        .map(|way| format!("`{way}`"))
        .collect::<Vec<_>>()
        .join(" and ")
}

/// Returns true if `text` is made of lower-case hex digits, `digits` of them.
pub(super) fn is_hex(text: &str, digits: std::ops::RangeInclusive<usize>) -> bool {
    digits.contains(&text.len())
        && text
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}
