//! The answer of a command that could do its work; a check that failed is an answer too.

use crate::report::{Exit, Report};

/// A command's answer. What it prints to is not its business.
#[derive(Debug)]
pub enum Output {
    /// Steps, results and findings, rendered as `--format` says.
    Report {
        /// The report.
        report: Box<Report>,
        /// The exit status; [`Exit::Success`] exactly when `report.ok`.
        exit: Exit,
    },
    /// Text that is printed as it is (`man`, `completions`), and stands in `text` with `--format json`.
    Text(String),
    /// A unified diff: as [`Output::Text`], with colours for a person.
    Diff(String),
    /// A JSON document that is the answer in either format (`schema`).
    Document(String),
}

impl Output {
    /// A report and how it ends; `report.ok` is made to agree.
    pub fn ending(mut report: Report, exit: Exit) -> Self {
        report.ok = exit == Exit::Success;
        let report = Box::new(report);
        Self::Report { report, exit }
    }
}

impl From<Report> for Output {
    /// A report whose only bad end is that a check failed.
    fn from(report: Report) -> Self {
        let exit = Exit::of_check(report.ok);
        Self::ending(report, exit)
    }
}
