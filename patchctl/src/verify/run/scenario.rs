//! Scenarios as data: what to do with the encoder, and what must be seen. `bridge/native/driver/main.cpp` lists the steps.

use std::collections::BTreeMap;
use std::fmt;

use camino::Utf8Path;
use mlx_bridge_native::FILES;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use crate::embedded_sources::short;

/// A step, as the driver reads it.
pub type Step = Map<String, Value>;

/// The steps and the expectation of one scenario.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// Unique, kebab-case.
    #[serde(rename = "scenario")]
    pub name: String,
    /// Its purpose, one sentence.
    pub why: String,
    /// The GPU's architecture, from whose last letter MLX takes its limits.
    #[serde(default = "default_architecture")]
    pub architecture: String,
    /// Environment variables that MLX reads once a process.
    #[serde(rename = "env", default)]
    pub environment: BTreeMap<String, String>,
    /// The encoding function, where it is not the driver itself.
    pub through: Option<Through>,
    /// The non-empty command buffers of each phase (`phase` on the main thread, `phase@thread` on another).
    pub expect: BTreeMap<String, Commits>,
    /// The steps.
    #[serde(skip)]
    pub steps: Vec<Step>,
    /// The getter's value after each step that sets the override, in order.
    #[serde(skip)]
    pub reads: Vec<i64>,
}

/// A function of MLX's that encodes and asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Through {
    /// `gpu::eval`.
    Eval,
}

/// Returns the architecture where none is named: an M-series Max, 50 ops and 50 Mi elements.
fn default_architecture() -> String {
    "applegpu_g16s".to_owned()
}

impl Scenario {
    /// Returns true if it needs the overlay: upstream alone cannot run it.
    pub fn sets_override(&self) -> bool {
        self.steps.iter().any(sets_override)
    }

    /// Returns true if one process can do both: MLX reads its limits once.
    pub fn shares_process(&self, other: &Self) -> bool {
        self.environment == other.environment && self.architecture == other.architecture
    }

    /// Writes the lines that the driver reads.
    pub fn input(&self) -> String {
        let mut head = step(json!({"scenario": self.name}));
        if self.through.is_some() {
            head.insert("through".to_owned(), "eval".into());
        }
        let lines = std::iter::once(&head).chain(&self.steps);
        lines
            .map(|line| format!("{}\n", Value::Object(line.clone())))
            .collect()
    }
}

/// Makes a step of a JSON object.
pub(in crate::verify) fn step(value: Value) -> Step {
    match value {
        Value::Object(members) => members,
        _ => Step::new(),
    }
}

/// Reads the suite that patchctl carries in itself.
///
/// # Errors
/// As [`read_scenarios`]; a test reads them all.
pub fn suite() -> Result<Vec<Scenario>, String> {
    let mut all = Vec::new();
    for (file, text) in FILES {
        if Utf8Path::new(file).starts_with("driver/scenarios") {
            all.extend(read_scenarios(file, text)?);
        }
    }
    Ok(all)
}

/// Returns twelve hex digits of the SHA-256 of what shows level `run`: the scenarios, the driver and host-metal.
pub fn suite_digest() -> String {
    let mut digest = Sha256::new();
    for (path, text) in FILES {
        if path.starts_with("driver/") || path.starts_with("host-metal/") {
            digest.update(format!("{path} {}\n{text}", text.len()));
        }
    }
    short(digest)
}

/// Reads a file of scenarios; `file` is its name, for messages.
///
/// # Errors
/// When a line is no JSON object, a scenario has a field that is not known, or a step that sets the override does not
/// say what the getter must read.
pub fn read_scenarios(file: &str, text: &str) -> Result<Vec<Scenario>, String> {
    let mut scenarios: Vec<Scenario> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let wrong = |why: String| format!("{file}:{}: {why}", index + 1);
        let unreadable = |error: serde_json::Error| wrong(error.to_string());
        let mut members: Step = serde_json::from_str(line).map_err(unreadable)?;
        if members.contains_key("scenario") {
            let scenario: Scenario =
                serde_json::from_value(Value::Object(members)).map_err(unreadable)?;
            if scenarios.iter().any(|other| other.name == scenario.name) {
                return Err(wrong(format!("a second scenario '{}'", scenario.name)));
            }
            scenarios.push(scenario);
            continue;
        }
        let reads = members.remove("reads").and_then(|reads| reads.as_i64());
        let fault = match (
            scenarios.last_mut(),
            sets_override(&members),
            reads.is_some(),
        ) {
            (None, ..) => "a step before the first scenario",
            (_, true, false) => {
                "a step that sets the override says what is read back: \"reads\": 0"
            }
            (_, false, true) => "\"reads\" on a step that sets nothing",
            (Some(scenario), ..) => {
                scenario.reads.extend(reads);
                scenario.steps.push(members);
                continue;
            }
        };
        return Err(wrong(fault.to_owned()));
    }
    Ok(scenarios)
}

fn sets_override(step: &Step) -> bool {
    let kind = step.get("step").and_then(Value::as_str);
    matches!(kind, Some("override" | "guard" | "unguard"))
}

/// The sizes of a run of command buffers in order, as a scenario writes them: `51 x7, rest 43`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Commits(pub Vec<Commit>);

/// One command buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Commit {
    /// The number of ops it holds.
    pub ops: u64,
    /// `rest`: committed because all was encoded, and not because the commit check said so.
    pub is_rest: bool,
}

impl TryFrom<String> for Commits {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let mut commits = Vec::new();
        for piece in text.split(',').map(str::trim) {
            let wrong = || {
                format!(
                    "'{piece}' is no command buffer: write '51', '51 x7' or 'rest 43', separated by commas"
                )
            };
            let (is_rest, sizes) = match piece.strip_prefix("rest ") {
                Some(rest) => (true, rest),
                None => (false, piece),
            };
            let (ops, times) = sizes.split_once(" x").unwrap_or((sizes, "1"));
            let ops = ops.parse().map_err(|_| wrong())?;
            let times = times.parse().map_err(|_| wrong())?;
            commits.extend(std::iter::repeat_n(Commit { ops, is_rest }, times));
        }
        Ok(Self(commits))
    }
}

impl fmt::Display for Commits {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return out.write_str("none");
        }
        for (index, run) in self.0.chunk_by(PartialEq::eq).enumerate() {
            if index > 0 {
                out.write_str(", ")?;
            }
            if run[0].is_rest {
                out.write_str("rest ")?;
            }
            write!(out, "{}", run[0].ops)?;
            if run.len() > 1 {
                write!(out, " x{}", run.len())?;
            }
        }
        Ok(())
    }
}
