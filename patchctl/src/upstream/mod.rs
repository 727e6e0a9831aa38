//! Where upstream's revisions and files come from. Knows nothing of patches.

mod archive;
mod crates;
mod directory;
mod git;
mod order;
mod revision;
mod settings;
mod spec;
mod version;

/// What `tests/fuzz` reaches.
#[cfg(test)]
pub(crate) use {archive::unpack, git::tree_names};

pub use crate::progress::{Progress, Quiet, Working};
pub use crates::{Carried, CrateRelease, FMT, JSON, METAL_CPP, Package, Place, built_in, unpacked};
pub use order::{Found, Listed, Upstream, UpstreamError};
pub use revision::{
    Blob, History, Resolved, RevisionFrom, RevisionSpec, Source, SourceError, TouchingCommit,
};
pub use settings::Settings;
pub use spec::{SourceSpec, SpecError};
