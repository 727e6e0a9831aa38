//! Runs a driver through scenarios: one process for one environment, since MLX reads its limits once a process.

use std::time::Duration;

use camino::Utf8Path;

use super::observe::{Device, Seen, transcript};
use super::scenario::Scenario;
use crate::report::Code;
use crate::toolchain::{Finished, Invocation, Runner, ToolError};

/// The whole suite takes a second; what takes longer hangs in a wait.
const LIMIT: Duration = Duration::from_secs(120);

/// What came of one scenario.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observed {
    /// What the driver said about its surroundings; none when it ended before.
    pub device: Option<Device>,
    /// What it saw of the scenario; none where the process ended before.
    pub seen: Option<Seen>,
    /// The scenario before in the same process, where that one was the end of it.
    pub ended_by: Option<String>,
    /// How the process ended, where this is the last scenario that it came to.
    pub ended: Ended,
}

/// How a driver's process ended.
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
    let invocation = Invocation {
        program: program.to_string(),
        arguments: Vec::new(),
        environment: environment(&group[0]),
        input: group.iter().map(Scenario::input).collect::<String>().into(),
        limit: LIMIT,
    };
    let finished = runner
        .run(&invocation)
        .map_err(|error| ToolError::cannot_start(&invocation.program, &error))?;
    let all = transcript(&finished.output).map_err(|line| {
        let message = format!("the driver printed '{line}', which is no line of its own");
        ToolError::of_code(Code::RunFailed, message)
    })?;
    let ended = ended(&finished);
    let reached = all.scenarios.len();
    let last = all.scenarios.last().map(|seen| seen.scenario.clone());
    let observed = (0..group.len()).map(|index| Observed {
        device: all.device.clone(),
        seen: all.scenarios.get(index).cloned(),
        ended_by: last.clone().filter(|_| index >= reached),
        // The end of the process belongs to the scenario that it happened in, or after.
        ended: if index + 1 < reached {
            Ended::Well
        } else {
            ended.clone()
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
        Ended::Hangs
    } else if finished.is_success() {
        Ended::Well
    } else {
        let last = finished.errors.trim_end().lines().last().unwrap_or("");
        let how = finished.code.map_or_else(
            || "killed by a signal".to_owned(),
            |code| format!("status {code}"),
        );
        Ended::Badly {
            how: if last.is_empty() {
                how
            } else {
                format!("{how}: {last}")
            },
            said: finished.errors.clone(),
        }
    }
}

/// No scenario could be asked.
pub fn nothing_run(why: &str) -> ToolError {
    ToolError::missing(format!("no scenario could be run: {why}"))
}
