//! Level `run`: MLX's own encoder, compiled, linked and driven through scenarios.
//!
//! [`DriverBuild`] makes a program out of a [`PatchedTree`](super::PatchedTree): the files of MLX that the encoder needs,
//! the driver and, on Linux, host-metal. [`drive`] runs it, one process for one environment. [`judge`] compares what it saw with the
//! scenarios' expectations.

mod diagnose;
mod differential;
mod drive;
mod driver_build;
mod job;
mod judge;
mod key;
mod linker;
mod mac;
mod metal;
mod own_code;
mod scenario;
pub mod sequence;
mod sources;

#[cfg(test)]
mod tests;

pub use diagnose::Diagnosis;
pub use differential::Differential;
pub(super) use differential::{Behaviour, Difference};
pub(crate) use drive::nothing_run;
#[cfg(test)]
pub(super) use drive::{Device, Seen, SeenCommit, SeenPeak, Why};
pub use drive::{Ended, Observed, drive};
pub use driver_build::{Built, DriverBuild};
pub(super) use judge::SuiteRun;
pub use judge::{Outcome, judge, run_suite};
pub use scenario::{Scenario, Step, read_scenarios, suite, suite_digest};
pub(super) use scenario::{Through, step};
pub use sources::Headers;
pub(super) use sources::{DEVICE, MLX_SOURCES, has_thread_local_tracing};
