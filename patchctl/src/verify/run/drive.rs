//! Runs a driver through scenarios: one process for one environment, since MLX reads its limits once a process.

use std::time::Duration;

use camino::Utf8Path;

use super::observe::{Device, Seen, transcript};
use super::scenario::Scenario;
use crate::report::Code;
use crate::toolchain::{Finished, Invocation, Runner, ToolError};

/// The whole suite takes a second; what takes longer hangs in a wait.
const LIMIT: Duration = Duration::from_secs(120);

/// The observation of one scenario.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observed {
    /// The driver's device; none when it ended before.
    pub device: Option<Device>,
    /// The driver's lines about it; none where the process ended before.
    pub seen: Option<Seen>,
    /// The scenario before in the same process, where that one was the end of it.
    pub ended_by: Option<String>,
    /// The end of the process, where this is the last scenario that it came to.
    pub ended: Ended,
}

/// The end of a driver's process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// Status 0.
    Well,
    /// Another status or a signal.
    Badly {
        /// The status, and the last line that it said.
        how: String,
        /// All that it said on standard error.
        said: String,
    },
    /// It was killed because it did not end.
    Hangs,
}

/// Runs `scenarios` and gives one observation for each, in their order.
///
/// # Errors
/// When the program cannot be started or prints what is no line of the driver's.
pub fn drive(
    program: &Utf8Path,
    scenarios: &[Scenario],
    runner: &dyn Runner,
) -> Result<Vec<Observed>, ToolError> {
    let mut observed = Vec::new();
    for group in scenarios.chunk_by(Scenario::shares_process) {
        observed.extend(process(program, group, runner)?);
    }
    Ok(observed)
}

fn process(
    program: &Utf8Path,
    group: &[Scenario],
    runner: &dyn Runner,
) -> Result<Vec<Observed>, ToolError> {
    let finished = runner.start(&Invocation {
        program: program.to_string(),
        environment: environment(&group[0]),
        input: group.iter().map(Scenario::input).collect::<String>().into(),
        limit: LIMIT,
        ..Invocation::default()
    })?;
    let (device, seen) = transcript(&finished.output).map_err(|line| {
        let message = format!("the driver printed '{line}', which is no line of its own");
        ToolError::of_code(Code::RunFailed, message)
    })?;
    let ended = ended(&finished);
    let last = seen.last().map(|seen| seen.scenario.clone());
    let observed = (0..group.len()).map(|index| Observed {
        device: device.clone(),
        seen: seen.get(index).cloned(),
        ended_by: last.clone().filter(|_| index >= seen.len()),
        // The end of the process belongs to the scenario that it happened in, or after.
        ended: match index + 1 < seen.len() {
            true => Ended::Well,
            false => ended.clone(),
        },
    });
    Ok(observed.collect())
}

/// The architecture by both names: host-metal's own, and the one that MLX reads since 0.31.0, on a Mac too.
fn environment(scenario: &Scenario) -> Vec<(String, String)> {
    let mut environment: Vec<(String, String)> = ["HOST_METAL_ARCHITECTURE", "MLX_METAL_GPU_ARCH"]
        .map(|name| (name.to_owned(), scenario.architecture.clone()))
        .into();
    environment.extend(scenario.environment.clone());
    environment
}

fn ended(finished: &Finished) -> Ended {
    if finished.too_long {
        return Ended::Hangs;
    }
    if finished.is_success() {
        return Ended::Well;
    }
    let said = finished.errors.clone();
    let how = finished.code.map_or_else(
        || "killed by a signal".to_owned(),
        |code| format!("status {code}"),
    );
    Ended::Badly {
        how: match said.trim_end().lines().last() {
            None | Some("") => how,
            Some(last) => format!("{how}: {last}"),
        },
        said,
    }
}

/// No scenario could be asked.
pub fn nothing_run(why: &str) -> ToolError {
    ToolError::missing(format!("no scenario could be run: {why}"))
}
