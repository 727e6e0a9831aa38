//! Level `run`: MLX's own encoder, compiled, linked and driven through scenarios.
//!
//! [`Workshop`] makes a program out of a tree ([`Subject`]): the files of MLX that the encoder needs, the driver and,
//! on Linux, host-metal. [`drive`] runs it, one process for one environment. [`judge`] compares what it saw with what
//! the scenarios expect.

mod alone;
mod broken;
mod commits;
mod diagnose;
mod differential;
mod drive;
mod exercise;
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
mod store;
mod workshop;

#[cfg(test)]
mod tests;

pub use commits::{Commits, CommitsError};
pub use diagnose::{Diagnosis, diagnose};
pub use differential::{Behaviour, Difference, Differential, SETTINGS, Setting};
pub use drive::{Ended, Observed, drive, nothing_run};
pub use exercise::exercise;
pub use headers::Headers;
pub use judge::{Mismatch, Outcome, judge};
pub use metal::MetalDriver;
pub use observe::{Device, Seen, SeenCommit, SeenPeak, Why};
pub use scenario::{Scenario, ScenarioError, read_scenarios, suite};
pub(in crate::verify) use sources::DEVICE;
pub use sources::{encoder_sources, is_fit};
pub use workshop::{Built, Subject, Workshop};
