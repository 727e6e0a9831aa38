//! What detected a mutant.

use crate::toolchain::ToolError;
use crate::verify::run::{Diagnosis, Mismatch, Setting};

/// The first check that failed on a mutant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Detection {
    /// The check: `own-code`, `build`, `provided`, `scenario`, `sequence` or `driver`.
    pub check: &'static str,
    /// The scenario that failed, where it was one.
    pub scenario: Option<String>,
    /// The failure, in one line.
    pub how: String,
}

impl Detection {
    pub(super) fn new(check: &'static str, how: impl Into<String>) -> Self {
        Self {
            check,
            scenario: None,
            how: how.into(),
        }
    }

    /// By a compiler or linker. Its first error is shown without the place: the code there is not what is in the overlay.
    pub(super) fn by_compiler(check: &'static str, what: &str, error: &ToolError) -> Self {
        let lines = error.output_text().lines();
        let mut errors = lines.filter_map(|line| line.split_once("error: "));
        let first = errors.next().map(|(_, message)| message.trim());
        Self::new(
            check,
            format!("{what}: {}", first.unwrap_or(&error.finding.message)),
        )
    }

    pub(super) fn by_scenario(name: &str, saw: &Mismatch, diagnosis: Option<&Diagnosis>) -> Self {
        let diagnosis = diagnosis.map_or_else(String::new, |one| format!(" ({one})"));
        Self {
            scenario: Some(name.to_owned()),
            ..Self::new("scenario", format!("scenario {name}: {saw}{diagnosis}"))
        }
    }

    pub(super) fn by_sequence(setting: Setting) -> Self {
        let ops = setting.max_ops;
        let ops = ops.map_or_else(String::new, |ops| format!(", ops limit {ops}"));
        let how = format!(
            "random sequence on {}{ops}, override at {}",
            setting.architecture,
            setting.budget.unwrap_or(0)
        );
        Self::new("sequence", how)
    }
}
