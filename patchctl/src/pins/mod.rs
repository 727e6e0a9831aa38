//! The files of a repository that say which revisions it supports, and how they are written together.

mod journal;
mod locking;
mod recovery;
mod repo_lock;
mod shim;
mod state_dir;
mod steps;
mod targets;
mod transaction;

pub use journal::JournalError;
pub use locking::{disagreements, holds_landing, locked_overlay, locked_pin};
pub use recovery::{Kept, Outcome, Pending, Recovery, RecoveryError, pending, recover};
pub use repo_lock::{Holder, RepoLock, RepoLockError, holder};
pub use shim::{Config, Pin, Pins, Reviewed};
pub use state_dir::STATE_DIR;
pub use steps::{EveryStep, Steps};
pub use targets::TargetError;
pub use transaction::{After, Committed, Transaction, TransactionError};

#[cfg(test)]
mod tests;
