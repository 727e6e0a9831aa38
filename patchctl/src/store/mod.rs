//! The one cache: entries that can be made again, checked when they are read and made anew when they are damaged.
//! Trees of files are known by git's id, and checked as `git fsck` does before the first byte is written.

mod cache;
mod error;
pub(crate) mod folder;
pub(crate) mod limits;
mod session;
mod tree;
pub(crate) mod tree_rules;
mod tree_writer;

pub(crate) use cache::{Cache, Lock, sha256_hex};
pub(crate) use error::unwritable;
pub(crate) use tree::{GitTree, Kind};
pub(crate) use tree_writer::write_tree;
