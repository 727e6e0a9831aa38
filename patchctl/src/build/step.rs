//! The steps of a build, and the programs that it needs.

use std::time::Duration;

use camino::Utf8Path;

use crate::embedded_sources::EmbeddedSources;
use crate::report::Code;
use crate::toolchain::{Compiler, Invocation, Runner, ToolError, find_cmake};

/// Lines of a failed program's output that are kept: the error stands at its end.
const LAST_LINES: usize = 40;

/// The tools that a build of MLX needs of this machine besides CMake, and the bridge's files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tools {
    /// The compiler.
    pub cxx: Compiler,
    /// The bridge's files, laid out in the cache.
    pub sources: EmbeddedSources,
}

impl Tools {
    /// Finds them, and CMake.
    ///
    /// # Errors
    /// When one is not here, or the cache cannot be written.
    pub fn find(cache: &Utf8Path, runner: &dyn Runner) -> Result<Self, ToolError> {
        find_cmake(runner)?;
        Ok(Self {
            cxx: Compiler::any(runner)?,
            sources: EmbeddedSources::lay_out(cache)?,
        })
    }
}

/// Runs a step of a build to its good end. `what` names it in errors.
pub(super) fn run(
    what: &str,
    program: &str,
    arguments: Vec<String>,
    minutes: u64,
    runner: &dyn Runner,
) -> Result<(), ToolError> {
    let finished = runner.start(&Invocation {
        program: program.to_owned(),
        arguments,
        limit: Duration::from_secs(minutes * 60),
        ..Invocation::default()
    })?;
    if finished.too_long {
        return Err(takes_too_long(what, minutes));
    }
    if finished.is_success() {
        return Ok(());
    }
    let mut output = String::from_utf8_lossy(&finished.output).into_owned();
    output.push_str(&finished.errors);
    Err(ToolError::of_code(Code::BuildFailed, format!("{what} failed")).output(last_lines(&output)))
}

pub(super) fn takes_too_long(what: &str, minutes: u64) -> ToolError {
    ToolError::broken(format!("{what} takes longer than {minutes} minutes"))
}

fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.trim_end().lines().collect();
    lines[lines.len().saturating_sub(LAST_LINES)..].join("\n")
}
