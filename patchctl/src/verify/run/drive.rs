//! Runs a driver through scenarios: one process for one environment, since MLX reads its limits once a process. `bridge/native/driver/main.cpp`
//! describes the lines that the driver prints.

use std::time::Duration;

use camino::Utf8Path;
use serde::Deserialize;

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

/// The device that the driver ran on.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Device {
    /// `host-metal` or `metal`.
    pub backend: String,
    /// The GPU's architecture as MLX sees it.
    pub architecture: String,
    /// True if the program has the override's entry points.
    #[serde(rename = "override")]
    pub has_override: bool,
    /// The member function that decides about a commit, as this release calls it.
    pub check: String,
}

/// The driver's lines about one scenario.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Seen {
    /// The scenario's name.
    pub scenario: String,
    /// Every non-empty command buffer; in order for each thread.
    pub commits: Vec<SeenCommit>,
    /// The getter's values after each step that set the override.
    pub reads: Vec<i64>,
    /// The most that was in flight, each time that it was asked for; only host-metal can say.
    pub peaks: Vec<SeenPeak>,
    /// True if the driver reached its end.
    pub ended: bool,
}

/// The most bytes that command buffers which were not completed referred to, since the last time.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeenPeak {
    /// The phase that the asking thread was in.
    pub phase: String,
    /// Bytes of distinct buffers; without weights.
    pub bytes: u64,
}

/// A command buffer that was committed.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeenCommit {
    /// The phase that its thread was in.
    pub phase: String,
    /// The thread.
    pub on: String,
    /// First and last op, as the driver counts them, from 1.
    pub ops: (u64, u64),
    /// The cause of its commit.
    pub why: Why,
    /// First and last op whose dispatches the runtime found in it; only host-metal can say.
    pub seen: Option<(u64, u64)>,
}

/// Names a phase as scenarios do: with its thread where that is not the main one.
pub(super) fn full_phase(phase: &str, thread: &str) -> String {
    match thread {
        "main" => phase.to_owned(),
        _ => format!("{phase}@{thread}"),
    }
}

/// The cause of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Why {
    /// The commit check said yes.
    Asked,
    /// MLX's own `gpu::eval` committed.
    Eval,
    /// The driver committed the rest, without asking.
    Flush,
    /// Nobody asked for it.
    Elsewhere,
}

/// One line of the driver.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Line {
    Device(Device),
    Scenario(String),
    Override(i64),
    Commit(SeenCommit),
    Peak(SeenPeak),
    End(String),
}

/// Reads a driver's output: its device, and what it saw of each scenario. What a crash cut off is left out.
///
/// # Errors
/// Gives back the first whole line that is none of the driver's.
pub(super) fn transcript(output: &[u8]) -> Result<(Option<Device>, Vec<Seen>), String> {
    let text = String::from_utf8_lossy(output);
    let (mut device, mut scenarios) = (None, Vec::<Seen>::new());
    for line in text.split_inclusive('\n') {
        let Some(line) = line.strip_suffix('\n') else {
            break;
        };
        let stray = || line.to_owned();
        let parsed: Line = serde_json::from_str(line).map_err(|_| stray())?;
        match (parsed, scenarios.last_mut()) {
            (Line::Device(found), _) => device = Some(found),
            (Line::Scenario(scenario), _) => scenarios.push(Seen {
                scenario,
                ..Seen::default()
            }),
            (Line::Override(value), Some(seen)) => seen.reads.push(value),
            (Line::Commit(commit), Some(seen)) => seen.commits.push(commit),
            (Line::Peak(peak), Some(seen)) => seen.peaks.push(peak),
            (Line::End(name), Some(seen)) if name == seen.scenario => seen.ended = true,
            (Line::End(_), _) | (_, None) => return Err(stray()),
        }
    }
    Ok((device, scenarios))
}
