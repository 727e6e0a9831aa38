//! A git repository as a source: one on this machine, which is only read, or a URL's copy in the cache.

mod describe;
mod history;
mod names;
mod open;
mod source;
mod store;

pub(super) use source::GitSource;
