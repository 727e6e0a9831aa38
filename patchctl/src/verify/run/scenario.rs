//! Scenarios as data: what to do with the encoder, and what must be seen. `bridge/native/driver/main.cpp` lists the steps.

use std::collections::BTreeMap;

use camino::Utf8Path;
use mlx_bridge_native::FILES;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::commits::Commits;

/// What one scenario does and expects.
#[derive(Debug, Clone, PartialEq)]
pub struct Scenario {
    /// Unique, kebab-case.
    pub name: String,
    /// What it shows, one sentence.
    pub why: String,
    /// The GPU's architecture, from whose last letter MLX takes its limits.
    pub architecture: String,
    /// Environment variables that MLX reads once a process.
    pub environment: BTreeMap<String, String>,
    /// Set where MLX's own `gpu::eval` encodes and asks, not the driver.
    pub through_eval: bool,
    /// The non-empty command buffers of each phase (`phase` on the main thread, `phase@thread` on another).
    pub expect: BTreeMap<String, Commits>,
    /// The steps, as the driver reads them.
    pub steps: Vec<Map<String, Value>>,
    /// What the getter must say after each step that sets the override, in order.
    pub reads: Vec<i64>,
}

/// Where no architecture is named: an M-series Max, 50 ops and 50 Mi elements.
pub(super) const DEFAULT_ARCHITECTURE: &str = "applegpu_g16s";

impl Scenario {
    /// Returns true if it needs the overlay: upstream alone cannot run it.
    pub fn sets_override(&self) -> bool {
        self.steps.iter().any(sets_override)
    }

    /// Returns true if one process can do both: MLX reads its limits once.
    pub fn shares_process(&self, other: &Self) -> bool {
        self.environment == other.environment && self.architecture == other.architecture
    }

    /// The lines that the driver reads.
    pub fn input(&self) -> String {
        let mut head = Map::new();
        head.insert("scenario".to_owned(), self.name.clone().into());
        if self.through_eval {
            head.insert("through".to_owned(), "eval".into());
        }
        let mut lines = Value::Object(head).to_string();
        lines.push('\n');
        for step in &self.steps {
            lines.push_str(&Value::Object(step.clone()).to_string());
            lines.push('\n');
        }
        lines
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    scenario: String,
    why: String,
    architecture: Option<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    through: Option<Through>,
    expect: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Through {
    Eval,
}

/// The suite that patchctl carries in itself.
///
/// # Errors
/// As [`read_scenarios`]; a test reads them all.
pub fn suite() -> Result<Vec<Scenario>, String> {
    let mut all = Vec::new();
    let files = FILES
        .iter()
        .map(|(path, text)| (Utf8Path::new(path), *text));
    let scenarios = files.filter(|(path, _)| path.starts_with("driver/scenarios"));
    for (file, text) in scenarios {
        all.extend(read_scenarios(file.as_str(), text)?);
    }
    Ok(all)
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
        let mut members: Map<String, Value> =
            serde_json::from_str(line).map_err(|error| wrong(error.to_string()))?;
        if members.contains_key("scenario") {
            let scenario = head(members).map_err(wrong)?;
            if scenarios.iter().any(|other| other.name == scenario.name) {
                return Err(wrong(format!("a second scenario '{}'", scenario.name)));
            }
            scenarios.push(scenario);
            continue;
        }
        let scenario = scenarios
            .last_mut()
            .ok_or_else(|| wrong("a step before the first scenario".to_owned()))?;
        let reads = members.remove("reads").and_then(|reads| reads.as_i64());
        match (sets_override(&members), reads) {
            (true, Some(reads)) => scenario.reads.push(reads),
            (false, None) => {}
            (true, None) => {
                return Err(wrong(
                    "a step that sets the override says what is read back: \"reads\": 0".to_owned(),
                ));
            }
            (false, Some(_)) => {
                return Err(wrong("\"reads\" on a step that sets nothing".to_owned()));
            }
        }
        scenario.steps.push(members);
    }
    Ok(scenarios)
}

fn head(members: Map<String, Value>) -> Result<Scenario, String> {
    let head: Head =
        serde_json::from_value(Value::Object(members)).map_err(|error| error.to_string())?;
    let mut expect = BTreeMap::new();
    for (phase, commits) in head.expect {
        let commits: Commits = commits
            .parse()
            .map_err(|error| format!("{phase}: {error}"))?;
        expect.insert(phase, commits);
    }
    Ok(Scenario {
        name: head.scenario,
        why: head.why,
        architecture: head
            .architecture
            .unwrap_or_else(|| DEFAULT_ARCHITECTURE.to_owned()),
        environment: head.env,
        through_eval: head.through.is_some(),
        expect,
        steps: Vec::new(),
        reads: Vec::new(),
    })
}

fn sets_override(step: &Map<String, Value>) -> bool {
    let kind = step.get("step").and_then(Value::as_str);
    matches!(kind, Some("override" | "guard" | "unguard"))
}
