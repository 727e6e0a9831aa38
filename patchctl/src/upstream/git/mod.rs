//! A git repository as a source: one on this machine, which is only read, or a URL's copy in the cache.

mod history;
mod loose;
pub(super) mod names;
mod remote;
mod repo;
mod server;
pub(super) mod source;
pub(super) mod store;
mod tree_object;

pub(super) use history::Commits;
pub(super) use names::{find, tag_elsewhere};
pub(super) use repo::{Repo, blob_id};
pub(super) use source::GitSource;
#[cfg(test)]
pub(crate) use tree_object::tree_names;
