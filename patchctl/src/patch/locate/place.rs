//! What an anchor gives: a place, or the reason why there is none.

use std::ops::Range;

use crate::patch::shape::Shape;

/// Where an edit goes, on upstream's untouched text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// What to do there, in bytes of the text.
    pub at: At,
    /// 1-based line of what the anchor names.
    pub line: usize,
    /// Scope, for a reader: `mlx::core::metal::CommandEncoder::needs_commit() const`.
    pub scope: String,
    /// The `#if` conditions around it.
    pub preprocessor: Vec<String>,
    /// Fingerprint of what the anchor names.
    pub shape: Shape,
}

/// An insertion point or a range of whole lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum At {
    /// Byte offset of a line's beginning, or of the text's end.
    Insert(usize),
    /// Bytes of whole lines, the last line's ending included.
    Replace(Range<usize>),
}

impl At {
    /// Byte offset where the first new byte goes.
    pub fn start(&self) -> usize {
        match self {
            Self::Insert(offset) => *offset,
            Self::Replace(range) => range.start,
        }
    }
}

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

/// Why an anchor gives no place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Miss {
    /// Nothing has that name, or no statement of the function fits.
    NotFound {
        /// What was looked for.
        wanted: String,
        /// The function that was found, where only the statement in it was not.
        inside: Option<Candidate>,
    },
    /// More than one.
    Ambiguous {
        /// What was looked for.
        wanted: String,
        /// All of them.
        candidates: Vec<Candidate>,
    },
    /// Found, but how the file is read there cannot be trusted.
    Untrusted {
        /// It.
        candidate: Candidate,
        /// Why.
        why: String,
    },
    /// Found under other `#if` conditions than the anchor expects.
    Preprocessor {
        /// It.
        candidates: Vec<Candidate>,
        /// What the anchor expects.
        expected: Vec<String>,
    },
    /// Whole lines cannot be put there: the line holds something else too.
    NotOnOwnLine {
        /// It.
        candidate: Candidate,
        /// What stands in the way.
        why: String,
    },
    /// Upstream's lines cannot be kept under `#if 0`.
    NotReplaceable {
        /// It.
        candidate: Candidate,
        /// Why.
        why: String,
    },
}
