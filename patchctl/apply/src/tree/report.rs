//! What was found in a tree, and what was done.

use super::LostBlock;
use crate::FileState;
use crate::markers::{Block, MarkerError};

/// The state that a file was to be brought into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Goal {
    /// The lock's patched bytes.
    Applied,
    /// Upstream's bytes.
    Clean,
}

/// One file of the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileReport {
    /// Relative to the tree's root, with `/`.
    pub path: String,
    /// True if the pin names it. One that it does not name is here for what a retired overlay left in it.
    pub listed: bool,
    /// The state it was found in.
    pub was: FileState,
    /// The state it should have.
    pub goal: Goal,
    /// True if its bytes are not those of the goal.
    pub differs: bool,
    /// Lines inside its blocks that taking them off loses; for a file that was written, that it has lost.
    pub lost: Vec<LostBlock>,
    /// True if it was written; never so for a check or a dry run.
    pub written: bool,
}

/// A file with blocks that neither the lock nor the tree's record knows. It was left as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForeignBlocks {
    /// Relative to the tree's root, with `/`.
    pub path: String,
    /// What its markers say, or why they cannot be read.
    pub blocks: Result<Vec<Block>, MarkerError>,
}

/// The whole tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeReport {
    /// The pin's release.
    pub release: String,
    /// The pin's commit.
    pub revision: String,
    /// The pin's files in its order, then the leftovers by path.
    pub files: Vec<FileReport>,
    /// Files whose blocks are somebody else's, by path.
    pub foreign: Vec<ForeignBlocks>,
    /// Edits of the lock whose text is not that of the overlays beside it, see [`differing_edits`](crate::differing_edits).
    /// Filled by [`apply`](crate::apply) alone.
    pub differing: Vec<String>,
}

impl TreeReport {
    /// Returns true if the tree now is what was asked for: every file has its goal's bytes.
    pub fn holds(&self) -> bool {
        self.files.iter().all(|file| !file.differs || file.written)
    }

    /// The files that were written.
    pub fn written(&self) -> impl Iterator<Item = &FileReport> {
        self.files.iter().filter(|file| file.written)
    }
}
