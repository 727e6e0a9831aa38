//! Where upstream's revisions and files come from. Knows nothing of patches.

mod archive;
mod cache;
mod crates;
mod directory;
mod folder;
mod git;
mod git_tree;
mod order;
mod progress;
mod revision;
mod safe_path;
mod settings;
mod spec;
mod tree_writer;
mod version;

pub use crates::{Carried, CrateRelease, FMT, JSON, METAL_CPP, Package, Place, built_in, unpacked};
pub use folder::is_tree;
pub use order::{Found, Listed, Upstream, UpstreamError};
pub use progress::{Progress, Quiet, Working};
pub use revision::{
    Blob, History, Resolved, RevisionFrom, RevisionSpec, Source, SourceError, TouchingCommit,
};
pub use settings::Settings;
pub use spec::{SourceSpec, SpecError};
