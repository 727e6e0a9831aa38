//! Where upstream's revisions and files come from. Knows nothing of patches.

mod git;
mod order;
mod progress;
mod revision;
mod spec;
mod version;

pub use order::{Found, Settings, Upstream, UpstreamError};
pub use progress::{Progress, Quiet, Working};
pub use revision::{
    Blob, History, Resolved, RevisionFrom, RevisionSpec, Source, SourceError, TouchingCommit,
};
pub use spec::{SourceSpec, SpecError};
