//! The outcomes of results and the weights of findings.

use serde::Serialize;

/// The outcome of one revision, or of the whole command where there is none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// All that was asked holds.
    Passed,
    /// A check failed.
    Failed,
    /// A hunk may be right, and a person has to say so.
    NeedsReview,
    /// Not looked at; the findings say what is missing. Never counts as passed.
    #[default]
    NotRun,
    /// The overlay does not claim this release.
    Unsupported,
}

/// The weight of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// It is why the result is not 'passed'.
    Error,
    /// It should be looked at and decides nothing: a place that follows the pin is behind.
    Warning,
    /// Worth knowing: the branch named moves.
    Note,
}
