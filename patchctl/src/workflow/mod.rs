//! The engine of every command: from options to an [`Output`]. Nothing here prints, knows the command line's form, or
//! reads the environment.

pub(crate) mod apply;
pub(crate) mod build;
pub(crate) mod bump;
mod context;
pub(crate) mod custom_checks;
pub(crate) mod diff;
mod error;
mod evidence;
mod materialise;
mod merge_bases;
mod mutants;
mod names;
mod output;
mod patched_revision;
mod pending_reviews;
mod release_check;
pub(crate) mod retire;
pub(crate) mod review;
mod review_view;
mod snapshots;
pub(crate) mod status;
mod step_text;
pub(crate) mod test;
mod tree_report;
mod upstream_changes;
mod verification;
pub(crate) mod verify;
mod workspace;
mod write_session;

pub use context::Context;
pub(crate) use names::{CommitRange, PinSelection};
pub use output::Output;
