//! `lock.yaml`: its form, how it is read and written, and which of its pins is meant.

mod error;
mod model;
mod read;
mod write;

pub use error::LockError;
pub(crate) use error::needs_text;
pub use model::{Lock, LockedFile, LockedOverlay, LockedPin, Proven, RevisionFrom, SCHEMA, Splice};
pub use read::{SIZE_LIMIT, check_tree_path};
pub(crate) use read::{blob_id, tree_path};
