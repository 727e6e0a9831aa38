//! Sets the override through the bridge and reads it back.

use std::time::Duration;

use camino::Utf8Path;

use super::step::takes_too_long;
use crate::toolchain::{Invocation, Runner, ToolError};

/// A backend of the bridge, as its program calls itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backend {
    /// A patched MLX with Metal.
    Metal,
    /// A patched MLX on the Metal runtime for Linux.
    HostMetal,
    /// No override.
    Stub,
}

impl Backend {
    /// `metal`, `host-metal` or `stub`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Metal => "metal",
            Self::HostMetal => "host-metal",
            Self::Stub => "stub",
        }
    }

    /// What is read back after `set`: 0 or less is none, which reads as 0, and the stub reads 0 always.
    fn reads(self, set: i32) -> i32 {
        match self {
            Self::Metal | Self::HostMetal => set.max(0),
            Self::Stub => 0,
        }
    }
}

/// What is set, in this order: up, down, off, and what is no budget.
const VALUES: [i32; 8] = [1, 1000, i32::MAX, 0, 50, -1, 50, i32::MIN];

/// Environments, each for a process of its own, since MLX reads its limits once a process. No variable may reach the
/// override.
pub const SETTINGS: [&[(&str, &str)]; 5] = [
    &[],
    &[("MLX_MAX_MB_PER_BUFFER", "50")],
    &[("MLX_MAX_MB_PER_BUFFER", "")],
    &[("MLX_MAX_OPS_PER_BUFFER", "1000")],
    &[
        ("MLXCEL_DECODE_MB_PER_BUFFER", "400"),
        ("MLXCEL_FORCE_SYNC", "1"),
    ],
];

/// A program of the bridge's, and what it is expected to be.
#[derive(Debug, Clone, Copy)]
pub struct RoundTrip<'a> {
    /// The program.
    pub program: &'a Utf8Path,
    /// The backend that was asked for.
    pub backend: Backend,
}

/// What a program said that was as expected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// The version that the linked MLX reports.
    pub mlx: Option<String>,
}

/// A difference between what a program should have said and what it said, or how it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrong {
    /// The environment, as `NAME=value` with blanks between; empty for none.
    pub environment: String,
    /// What should have been.
    pub expected: String,
    /// What was.
    pub found: String,
}

impl RoundTrip<'_> {
    /// Runs the program in every environment of [`SETTINGS`].
    ///
    /// # Errors
    /// When it cannot be started or does not end.
    pub fn run(&self, runner: &dyn Runner) -> Result<Result<Seen, Wrong>, ToolError> {
        let mut seen = Seen { mlx: None };
        for setting in SETTINGS {
            match self.run_under(setting, runner)? {
                Ok(now) => seen = now,
                Err(wrong) => return Ok(Err(wrong)),
            }
        }
        Ok(Ok(seen))
    }

    fn run_under(
        &self,
        setting: &[(&str, &str)],
        runner: &dyn Runner,
    ) -> Result<Result<Seen, Wrong>, ToolError> {
        let environment = setting.iter();
        let invocation = Invocation {
            program: self.program.to_string(),
            arguments: VALUES.map(|value| value.to_string()).into(),
            environment: environment
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect(),
            input: Vec::new(),
            limit: Duration::from_secs(60),
        };
        let what = format!("a round trip through {}", self.backend.name());
        let finished = runner
            .run(&invocation)
            .map_err(|error| ToolError::cannot_start(&invocation.program, &error))?;
        if finished.too_long {
            return Err(takes_too_long(&what, 1));
        }
        let text: Vec<String> = setting
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let wrong = |expected: String, found: String| Wrong {
            environment: text.join(" "),
            expected,
            found,
        };
        if !finished.is_success() {
            let status = finished
                .code
                .map_or("a signal".to_owned(), |code| format!("status {code}"));
            let found = format!("{status}: {}", finished.errors.trim());
            return Ok(Err(wrong("status 0".to_owned(), found)));
        }
        Ok(self
            .judge(&String::from_utf8_lossy(&finished.output))
            .map_err(|(expected, found)| wrong(expected, found)))
    }

    /// Compares the program's lines with the expected ones; gives the first pair that differs.
    fn judge(&self, said: &str) -> Result<Seen, (String, String)> {
        let mut lines = said.lines();
        let mut next = || lines.next().unwrap_or("nothing");
        same(next(), format!("backend {}", self.backend.name()))?;
        let mlx = next();
        let Some(version) = mlx.strip_prefix("mlx ") else {
            return Err(("mlx VERSION".to_owned(), mlx.to_owned()));
        };
        same(next(), "start 0".to_owned())?;
        for value in VALUES {
            let read = self.backend.reads(value);
            same(next(), format!("{value} {read} {read}"))?;
        }
        same(next(), "nothing".to_owned())?;
        Ok(Seen {
            mlx: Some(version.to_owned()).filter(|version| version != "none"),
        })
    }
}

fn same(found: &str, expected: String) -> Result<(), (String, String)> {
    if found == expected {
        Ok(())
    } else {
        Err((expected, found.to_owned()))
    }
}
