//! Applies patchctl's lock to an upstream tree: check the blob, splice, check the blob.
//!
//! No parser, no git, no network, no compiler: a build script or a CMake step can depend on this alone.

mod blob;
mod lock;
pub mod markers;

pub use blob::BlobId;
pub use lock::{Lock, LockedFile, LockedOverlay, LockedPin, Proven, RevisionFrom, SCHEMA, Splice};
