//! The reason why an anchor gives no place, with the candidates.

use std::ops::Range;

use crate::cpp::{Construct, Exceeded, Parsed};

/// Candidates that an error shows.
pub(super) const SHOWN: usize = 50;

/// One thing that an anchor might mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// For a reader: kind and name, or the statement's first line.
    pub what: String,
    /// Its bytes.
    pub range: Range<usize>,
    /// 1-based line.
    pub line: usize,
    /// The `#if` conditions around it.
    pub preprocessor: Vec<String>,
}

impl Candidate {
    /// The code at `range`, called `what`.
    pub(super) fn new(parsed: &Parsed, range: &Range<usize>, what: String) -> Self {
        Self {
            what,
            range: range.clone(),
            line: parsed.lines().number(range.start),
            preprocessor: parsed.preprocessor_at(range.start),
        }
    }

    /// A construct.
    pub(in crate::patch) fn construct(parsed: &Parsed, construct: &Construct) -> Self {
        let what = format!("{} `{}`", construct.kind.word(), construct.display());
        Self::new(parsed, &construct.range, what)
    }

    /// A statement, shown by its first line.
    pub(super) fn statement(parsed: &Parsed, range: &Range<usize>) -> Self {
        let text = String::from_utf8_lossy(&parsed.text()[range.clone()]);
        let first = text.lines().next().unwrap_or_default().trim();
        Self::new(parsed, range, format!("statement `{first}`"))
    }
}

/// The reason why an anchor gives no place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Miss {
    /// Nothing has that name, or no statement of the function fits.
    NotFound {
        /// The code that was looked for.
        wanted: String,
        /// The function that was found, where only the statement in it was not.
        inside: Option<Candidate>,
    },
    /// More than one.
    Ambiguous {
        /// The code that was looked for.
        wanted: String,
        /// Their number.
        count: usize,
        /// The first of them, [`SHOWN`] at the most.
        candidates: Vec<Candidate>,
    },
    /// Found, but how the file is read there cannot be trusted.
    Untrusted {
        /// It.
        candidate: Candidate,
        /// The reason.
        why: String,
    },
    /// The file exceeds a limit, and nothing of it is read.
    TooLarge(Exceeded),
    /// Found under other `#if` conditions than the anchor expects.
    Preprocessor {
        /// It.
        candidates: Vec<Candidate>,
        /// The conditions that the anchor expects.
        expected: Vec<String>,
    },
    /// Whole lines cannot be put there: the line holds something else too.
    NotOnOwnLine {
        /// It.
        candidate: Candidate,
        /// The obstacle.
        why: String,
    },
    /// Upstream's lines cannot be kept under `#if 0`.
    NotReplaceable {
        /// It.
        candidate: Candidate,
        /// The reason.
        why: String,
    },
}
