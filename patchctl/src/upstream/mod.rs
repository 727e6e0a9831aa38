//! The sources of upstream's revisions and files. They know nothing of patches.

mod archive;
mod crates;
mod directory;
mod git;
mod order;
mod revision;
mod settings;
mod spec;
mod tool;
mod version;

/// The readers that `tests/fuzz` runs.
#[cfg(test)]
pub(crate) use {archive::unpack, git::tree_names};

pub use crate::progress::{Progress, Quiet, Working};
pub use crates::{CrateRelease, FMT, JSON, METAL_CPP, Package, Place, built_in, unpacked};
pub use order::{Found, Listed, Upstream};
pub use revision::{Blob, History, Resolved, RevisionFrom, RevisionSpec, Source, TouchingCommit};
pub use settings::Settings;
pub use spec::SourceSpec;
