//! The programs that a build needs, and how they are run.

use std::time::Duration;

use camino::Utf8Path;

use super::{BuildError, Kit};
use crate::verify::run::{Finished, Invocation, Runner};

/// Lines of a failed program's output that are kept: the error stands at its end.
const LAST_LINES: usize = 40;

/// What a build of MLX needs of this machine, and the bridge's files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tools {
    /// CMake.
    pub cmake: Cmake,
    /// The compiler.
    pub cxx: Cxx,
    /// The bridge's files, laid out in the cache.
    pub kit: Kit,
}

impl Tools {
    /// Finds them.
    ///
    /// # Errors
    /// When one is not here, or the cache cannot be written.
    pub fn find(cache: &Utf8Path, runner: &dyn Runner) -> Result<Self, BuildError> {
        Ok(Self {
            cmake: Cmake::find(runner)?,
            cxx: Cxx::find(runner)?,
            kit: Kit::lay_out(cache)?,
        })
    }
}

/// A C++ compiler of any make that knows C++17.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cxx {
    /// The name or path that it is started by.
    pub program: String,
    /// The first line of `--version`: part of the names of what it made.
    pub version: String,
}

impl Cxx {
    const NAMES: [&str; 3] = ["c++", "clang++", "g++"];

    /// The first that is there.
    ///
    /// # Errors
    /// When none is.
    pub fn find(runner: &dyn Runner) -> Result<Self, BuildError> {
        let mut names = Self::NAMES.into_iter();
        names
            .find_map(|program| {
                Some(Self {
                    program: program.to_owned(),
                    version: first_line(program, runner)?,
                })
            })
            .ok_or(BuildError::NoTool {
                what: "a C++ compiler",
                found: None,
                help: "install one (Debian and Ubuntu: apt-get install g++; macOS: xcode-select --install)",
            })
    }
}

/// CMake.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cmake {
    /// The name that it is started by.
    pub program: String,
}

impl Cmake {
    /// As MLX's own CMakeLists.txt wants it.
    const OLDEST: (u32, u32) = (3, 25);

    /// CMake, where it is there and new enough.
    ///
    /// # Errors
    /// When it is not; the error says what is there instead.
    pub fn find(runner: &dyn Runner) -> Result<Self, BuildError> {
        let program = "cmake";
        let line = first_line(program, runner);
        let version = line.as_deref().and_then(version);
        if version.is_some_and(|version| version >= Self::OLDEST) {
            return Ok(Self {
                program: program.to_owned(),
            });
        }
        Err(BuildError::NoTool {
            what: "CMake 3.25 or later",
            found: line,
            help: "install it (Debian and Ubuntu: apt-get install cmake; macOS: brew install cmake)",
        })
    }
}

/// Major and minor version in `cmake version 3.25.1`.
fn version(line: &str) -> Option<(u32, u32)> {
    let mut numbers = line.rsplit(' ').next()?.split('.');
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

fn first_line(program: &str, runner: &dyn Runner) -> Option<String> {
    let finished = runner.run(&Invocation {
        program: program.to_owned(),
        arguments: vec!["--version".to_owned()],
        environment: Vec::new(),
        input: Vec::new(),
        limit: Duration::from_secs(20),
    });
    let finished = finished.ok().filter(Finished::is_success)?;
    let text = String::from_utf8_lossy(&finished.output);
    Some(text.lines().next()?.trim().to_owned())
}

/// Runs a step of a build to its good end. `what` names it in errors.
pub(super) fn run(
    what: &str,
    program: &str,
    arguments: Vec<String>,
    minutes: u64,
    runner: &dyn Runner,
) -> Result<(), BuildError> {
    let invocation = Invocation {
        program: program.to_owned(),
        arguments,
        environment: Vec::new(),
        input: Vec::new(),
        limit: Duration::from_secs(minutes * 60),
    };
    let finished = runner
        .run(&invocation)
        .map_err(|error| BuildError::CannotStart {
            program: program.to_owned(),
            why: error.to_string(),
        })?;
    if finished.too_long {
        return Err(BuildError::Hangs {
            what: what.to_owned(),
            minutes,
        });
    }
    if finished.is_success() {
        return Ok(());
    }
    let mut said = String::from_utf8_lossy(&finished.output).into_owned();
    said.push_str(&finished.errors);
    Err(BuildError::Failed {
        what: what.to_owned(),
        output: last_lines(&said),
    })
}

fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.trim_end().lines().collect();
    lines[lines.len().saturating_sub(LAST_LINES)..].join("\n")
}
