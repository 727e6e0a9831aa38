//! The files of a repository that say which revisions it supports, and how they are written together.

mod agreement;
mod check_record;
mod config;
mod ids;
mod journal;
mod locked_edits;
mod locking;
mod merge_driver;
mod pins_file;
mod place;
mod record;
mod recovery;
mod repo_lock;
mod reviewed;
pub mod snapshots;
mod state_dir;
mod steps;
mod targets;
mod transaction;

pub use agreement::Agreement;
pub use check_record::{CHECKS_FOLDER, CheckRecord, CheckedOn};
pub use config::{CONFIG_FILE, CheckCommand, Config, Needs, OwnCheck, config_schema};
pub use locking::{
    ACCEPTED_IN_ONE_PLACE, LOCK_FILE, disagreements, holds_landing, keep_proofs, locked_overlay,
    locked_pin,
};
pub use merge_driver::merged_by_driver;
pub use pins_file::{PINS_FILE, Pin, Pins, pins_schema, release_order};
pub use place::{
    Form, PinPlace, PinPlaces, PinValue, Rewrite, Role, Way, find, in_yaml, place_disagreements,
    rewrites,
};
pub use record::Record;
pub use recovery::{Kept, Outcome, Pending, Recovery, pending, recover};
pub use repo_lock::{Holder, RepoLock, holder};
pub use reviewed::{REVIEWED_FILE, Review, Reviewed};
pub use state_dir::STATE_DIR;
pub use steps::{EveryStep, Steps};
pub use transaction::Transaction;

#[cfg(test)]
mod tests;
