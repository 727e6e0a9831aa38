//! What to do with a tree, and how.

use std::time::Duration;

/// What to do with a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Bring every file to the lock's patched bytes.
    Apply,
    /// Only look.
    Check,
    /// Bring every file back to upstream's bytes.
    Remove,
}

/// Where to look for blocks that neither the lock nor the tree's record knows. They are reported and stay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leftovers {
    /// In every source file of the tree, but not in a patched tree inside of it. That costs 13 ms on MLX's 940 files.
    Scan,
    /// Only in the files that the lock and the record name.
    Named,
}

/// How to do it.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Decide, and write nothing.
    pub dry_run: bool,
    /// Where to look beyond the pin's files.
    pub leftovers: Leftovers,
    /// Take blocks of ours off although somebody has changed them. What is lost is in the report. Blocks of others stay.
    pub discard_edits: bool,
    /// How long to wait for another process that writes in the tree.
    pub wait: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            dry_run: false,
            leftovers: Leftovers::Scan,
            discard_edits: false,
            wait: Duration::from_secs(60),
        }
    }
}
