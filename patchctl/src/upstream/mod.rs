//! Where upstream's revisions and files come from. Knows nothing of patches.

mod revision;

pub use revision::{
    Blob, History, Resolved, RevisionFrom, RevisionSpec, Source, SourceError, TouchingCommit,
};
