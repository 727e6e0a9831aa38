//! The place in upstream's text that an anchor names.

use std::ops::Range;

use crate::patch::shape::Shape;

/// Where an edit goes, on upstream's untouched text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    /// The insertion point or replaced lines, in bytes of the text.
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
