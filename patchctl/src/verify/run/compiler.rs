//! Which clang, and whether it is fit.

use std::time::Duration;

use super::error::RunError;
use super::runner::{Invocation, Runner};

/// A C++ compiler that was asked for its version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compiler {
    /// Its path or name.
    pub program: String,
    /// Its first line of `--version`: names the objects in the cache.
    pub version: String,
    /// Its major version.
    pub major: u32,
}

/// clang 19 folds `__builtin_available(macOS …)` to true on Linux; 16 and 14 need a define for it, and
/// g++ has no blocks. Older ones are not known to build what MLX has become since.
const OLDEST: u32 = 19;

/// Apple counts by Xcode: from 15 on it knows what the driver and MLX are written in.
const OLDEST_APPLE: u32 = 15;

impl Compiler {
    /// Names under which a fit compiler is looked for, best first.
    pub const NAMES: [&str; 4] = ["clang++-19", "clang++-20", "clang++-21", "clang++"];

    /// The first of `names` that is there and fit.
    ///
    /// # Errors
    /// When none is: the error says what was found and what to install.
    pub fn find<'a>(
        names: impl IntoIterator<Item = &'a str>,
        runner: &dyn Runner,
    ) -> Result<Self, RunError> {
        let mut found = Vec::new();
        for name in names {
            match Self::ask(name, runner) {
                Some(compiler) if compiler.is_fit() => return Ok(compiler),
                Some(compiler) => found.push(compiler.version),
                None => {}
            }
        }
        Err(RunError::NoCompiler { found })
    }

    fn is_fit(&self) -> bool {
        let oldest = match self.version.starts_with("Apple") {
            true => OLDEST_APPLE,
            false => OLDEST,
        };
        self.major >= oldest
    }

    fn ask(name: &str, runner: &dyn Runner) -> Option<Self> {
        let finished = runner.run(&Invocation {
            program: name.to_owned(),
            arguments: vec!["--version".to_owned()],
            environment: Vec::new(),
            input: Vec::new(),
            limit: Duration::from_secs(20),
        });
        let finished = finished.ok().filter(super::runner::Finished::is_success)?;
        let text = String::from_utf8_lossy(&finished.output);
        let version = text.lines().next()?.trim().to_owned();
        let major = version
            .split_once("clang version ")?
            .1
            .split('.')
            .next()?
            .parse()
            .ok()?;
        Some(Self {
            program: name.to_owned(),
            version,
            major,
        })
    }
}
