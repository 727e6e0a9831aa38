//! One model of what a command found, and several renderers. Knows only findings.

mod model;

pub use model::{Finding, ReleaseResult, Report, Status, Step};
