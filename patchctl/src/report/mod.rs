//! One model of what a command found, and several renderers. Knows only findings.

mod diff;
mod frame;
mod human;
mod json;
mod model;
mod rows;
mod style;

pub use diff::render_diff;
pub use human::{render_error, render_findings, render_human, render_note};
pub use json::{render_json, render_json_text};
pub use model::{Check, Finding, NotRun, ReleaseResult, Report, SCHEMA, Severity, Status, Step};
pub(crate) use style::visible;
