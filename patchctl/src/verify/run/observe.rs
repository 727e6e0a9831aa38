//! The lines that the driver prints, as values. `bridge/native/driver/main.cpp` describes the lines.

use serde::Deserialize;

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
