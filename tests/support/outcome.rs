//! What a run of the binary ended with and said.

use std::collections::BTreeSet;
use std::fmt::Write;

use serde_json::Value;

/// A finished run.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The command line, without the options that every test gives.
    pub command: String,
    /// The exit status; none when a signal ended it.
    pub code: Option<i32>,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl Outcome {
    /// The one JSON document on standard output.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| {
            panic!("standard output is not one JSON document: {error}\n{self}")
        })
    }

    /// Every finding, of all results and of the whole.
    pub fn findings(&self) -> Vec<Value> {
        let json = self.json();
        let list = |value: &Value| value["findings"].as_array().cloned().unwrap_or_default();
        let mut findings: Vec<_> = results(&json).iter().flat_map(list).collect();
        findings.extend(list(&json));
        findings
    }

    /// The findings that are why the run did not end with 0.
    fn errors(&self) -> Vec<Value> {
        let mut findings = self.findings();
        findings.retain(|it| it["severity"] == "error");
        findings
    }

    /// The codes of the errors among the findings.
    pub fn codes(&self) -> BTreeSet<String> {
        self.errors().iter().map(|it| text(&it["code"])).collect()
    }

    /// The hunks that errors are about, as `overlay/hunk`, without the edit.
    pub fn hunks(&self) -> BTreeSet<String> {
        let hunk = |it: &Value| {
            let hunk = text(&it["hunk"]);
            hunk.split('.').next().map(str::to_owned)
        };
        let all = self.errors();
        all.iter()
            .filter_map(hunk)
            .filter(|it| !it.is_empty())
            .collect()
    }

    /// The statuses of all results.
    pub fn statuses(&self) -> BTreeSet<String> {
        results(&self.json())
            .iter()
            .map(|it| text(&it["status"]))
            .collect()
    }

    /// Whether nothing but a person's word is wanted.
    pub fn needs_review(&self) -> bool {
        let settled = |it: &String| it == "passed" || it == "needs-review";
        let statuses = self.statuses();
        self.code == Some(1) && statuses.contains("needs-review") && statuses.iter().all(settled)
    }

    /// Where the tool says that hunks landed.
    pub fn landed(&self) -> Vec<String> {
        let json = self.json();
        let landed = |it: &Value| it["landed"].as_array().cloned().unwrap_or_default();
        results(&json)
            .iter()
            .flat_map(landed)
            .map(|it| text(&it))
            .collect()
    }

    /// The findings as a reader sees them: `file:line: code: hunk: message`, then the excerpt and the help.
    pub fn shown(&self) -> String {
        let mut shown = String::new();
        for it in self.findings() {
            if let Some(file) = it["file"].as_str() {
                let line = it["line"]
                    .as_u64()
                    .map(|line| format!(":{line}"))
                    .unwrap_or_default();
                let _ = write!(shown, "{file}{line}: ");
            }
            let _ = writeln!(
                shown,
                "{}: {}: {}",
                text(&it["code"]),
                text(&it["hunk"]),
                text(&it["message"])
            );
            for part in ["excerpt", "help"] {
                if let Some(said) = it[part].as_str() {
                    let _ = writeln!(shown, "{said}");
                }
            }
        }
        shown
    }
}

impl std::fmt::Display for Outcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let code = self
            .code
            .map_or("a signal".to_owned(), |code| format!("status {code}"));
        writeln!(f, "patchctl {} ended with {code}", self.command)?;
        match serde_json::from_str::<Value>(&self.stdout) {
            Ok(_) => writeln!(f, "{}{:#}", self.shown(), self.json())?,
            Err(_) => writeln!(f, "stdout: {}", self.stdout)?,
        }
        writeln!(f, "stderr: {}", self.stderr)
    }
}

fn results(json: &Value) -> Vec<Value> {
    json["results"].as_array().cloned().unwrap_or_default()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
