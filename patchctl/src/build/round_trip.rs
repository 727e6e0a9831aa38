//! Sets the override through the bridge's stub and reads it back.

use std::time::Duration;

use camino::Utf8Path;

use super::step::takes_too_long;
use crate::toolchain::{Invocation, Runner, ToolError};

/// What is set, in this order: up, down, off, and what is no budget. The stub reads 0 after each.
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

/// The output of a stub's program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RoundTrip {
    /// All as expected, and the version that the linked MLX reports.
    Passed(Option<String>),
    /// Something else.
    Wrong(Wrong),
}

/// A difference between what a program should have said and what it said, or how it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrong {
    /// The environment, as `NAME=value` with blanks between; empty for none.
    pub environment: String,
    /// The value expected.
    pub expected: String,
    /// The old text.
    pub found: String,
}

/// Runs a stub's program in every environment of [`SETTINGS`].
///
/// # Errors
/// When it cannot be started or does not end.
pub fn round_trip(program: &Utf8Path, runner: &dyn Runner) -> Result<RoundTrip, ToolError> {
    let mut passed = RoundTrip::Passed(None);
    for setting in SETTINGS {
        passed = run_under(setting, program, runner)?;
        if matches!(passed, RoundTrip::Wrong(_)) {
            break;
        }
    }
    Ok(passed)
}

fn run_under(
    setting: &[(&str, &str)],
    program: &Utf8Path,
    runner: &dyn Runner,
) -> Result<RoundTrip, ToolError> {
    let environment = setting.iter();
    let invocation = Invocation {
        program: program.to_string(),
        arguments: VALUES.map(|value| value.to_string()).into(),
        environment: environment
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect(),
        input: Vec::new(),
        limit: Duration::from_secs(60),
    };
    let finished = runner
        .run(&invocation)
        .map_err(|error| ToolError::cannot_start(&invocation.program, &error))?;
    if finished.too_long {
        return Err(takes_too_long("a round trip through stub", 1));
    }
    let said = match finished.is_success() {
        true => judge(&String::from_utf8_lossy(&finished.output)),
        false => {
            let status = finished.code.map(|code| format!("status {code}"));
            let status = status.unwrap_or_else(|| "a signal".to_owned());
            let found = format!("{status}: {}", finished.errors.trim());
            Err(("status 0".to_owned(), found))
        }
    };
    let text = setting
        .iter()
        .map(|(name, value)| format!("{name}={value}"));
    Ok(match said {
        Ok(mlx) => RoundTrip::Passed(mlx),
        Err((expected, found)) => RoundTrip::Wrong(Wrong {
            environment: text.collect::<Vec<_>>().join(" "),
            expected,
            found,
        }),
    })
}

/// Compares the program's lines with the expected ones. Returns the version that it reports, or the first pair that differs.
fn judge(said: &str) -> Result<Option<String>, (String, String)> {
    let mut lines = said.lines();
    let mut next = || lines.next().unwrap_or("nothing");
    same(next(), "backend stub".to_owned())?;
    let mlx = next();
    let Some(version) = mlx.strip_prefix("mlx ") else {
        return Err(("mlx VERSION".to_owned(), mlx.to_owned()));
    };
    same(next(), "start 0".to_owned())?;
    for value in VALUES {
        same(next(), format!("{value} 0 0"))?;
    }
    same(next(), "nothing".to_owned())?;
    Ok(Some(version.to_owned()).filter(|version| version != "none"))
}

fn same(found: &str, expected: String) -> Result<(), (String, String)> {
    if found == expected {
        Ok(())
    } else {
        Err((expected, found.to_owned()))
    }
}
