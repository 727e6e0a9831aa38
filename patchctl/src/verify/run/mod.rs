//! Level `run`: MLX's own encoder, compiled, linked and driven through scenarios.
//!
//! [`DriverBuild`] makes a program out of a [`PatchedTree`](super::PatchedTree): the files of MLX that the encoder needs,
//! the driver and, on Linux, host-metal. [`drive`] runs it, one process for one environment. [`judge`] compares what it saw with what
//! the scenarios expect.

mod commits;
mod diagnose;
mod differential;
mod drive;
mod driver_build;
mod exercise;
mod failure_class;
mod headers;
mod judge;
mod library;
mod linker;
mod mac;
mod metal;
mod observe;
mod scenario;
mod sequence;
mod sources;
mod standalone_check;
mod store;

#[cfg(test)]
mod tests;

pub use commits::{Commits, CommitsError};
pub use diagnose::{Diagnosis, diagnose};
pub use differential::{Behaviour, Difference, Differential, SETTINGS, Setting};
pub use drive::{Ended, Observed, drive, nothing_run};
pub use driver_build::{Built, DriverBuild};
pub use exercise::exercise;
pub use headers::Headers;
pub use judge::{Mismatch, Outcome, SuiteRun, judge, run_suite};
pub use observe::{Device, Seen, SeenCommit, SeenPeak, Why};
pub use scenario::{Scenario, ScenarioError, read_scenarios, suite};
pub(in crate::verify) use sources::DEVICE;
pub use sources::{encoder_sources, is_fit};
