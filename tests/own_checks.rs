//! `verify --check` and `status --require`: a repository's own checks, run here and asked for there.

use std::fs;

use serde_json::Value;

use crate::support::outcome::Outcome;
use crate::support::pinned::{OVERLAY, pinned};
use crate::support::scratch::{Scratch, copy};

/// A kind of host that this one is not.
const ELSEWHERE: &str = if cfg!(target_os = "macos") {
    "linux-x86_64"
} else {
    "macos-arm64"
};

/// A pinned repository with one check, `own`; `rest` is in YAML's flow form.
fn with_check(rest: &str) -> Scratch {
    let scratch = pinned();
    let config = scratch.read("patchctl.yaml");
    scratch.write(
        "patchctl.yaml",
        format!("{config}checks:\n  - {{ name: own, {rest} }}\n"),
    );
    scratch
}

fn ends(scratch: &Scratch, line: &str, code: i32) -> Outcome {
    let outcome = scratch.run(line);
    assert_eq!(outcome.code, Some(code), "{outcome}");
    outcome
}

/// The records, by the names of their files.
fn records(scratch: &Scratch) -> Vec<String> {
    let Ok(entries) = fs::read_dir(scratch.path("overlays/checks")) else {
        return Vec::new();
    };
    let name = |entry: fs::DirEntry| entry.file_name().into_string().unwrap();
    entries.map(|entry| name(entry.unwrap())).collect()
}

fn not_run(outcome: &Outcome) -> String {
    let json = outcome.json();
    let all = json["not_run"].as_array().cloned().unwrap_or_default();
    let own = all.iter().find(|it| it["what"] == "own").cloned();
    own.unwrap_or(Value::Null)["why"]
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

#[test]
fn passed_check_is_recorded_and_required() {
    let scratch = with_check(
        "command: [sh, -c, 'pwd; echo 3 passed; echo 4 passed'], count: '(\\d+) passed'",
    );
    let before = ends(&scratch, "status", 0);
    assert_eq!(not_run(&before), "it has not been run");
    let missing = ends(&scratch, "status --require own", 1);
    assert_eq!(
        missing.codes().into_iter().collect::<Vec<_>>(),
        ["check-required"]
    );

    let run = ends(&scratch, "verify --check own", 0);
    let json = run.json();
    let row = &json["checks"][0];
    assert_eq!(
        (&row["name"], &row["status"]),
        (&"own".into(), &"passed".into())
    );
    let what = row["what"].as_str().unwrap();
    assert!(
        what.starts_with("7 tests on ") && what.contains(", for 1.1.0 ("),
        "{what}"
    );
    let files = records(&scratch);
    assert_eq!(
        json["changed"],
        serde_json::json!([format!("overlays/checks/{}", files[0])])
    );
    let record: Value =
        serde_yaml::from_str(&scratch.read(&format!("overlays/checks/{}", files[0]))).unwrap();
    let locked: Value = serde_yaml::from_str(&scratch.read("overlays/lock.yaml")).unwrap();
    let pin = locked["pins"]
        .as_array()
        .unwrap()
        .iter()
        .find(|pin| pin["release"] == "1.1.0")
        .unwrap();
    assert_eq!(
        (&record["passed"], &record["tests"]),
        (&true.into(), &7.into())
    );
    assert_eq!(
        (&record["revision"], &record["overlays"]),
        (&pin["revision"], &pin["overlays"])
    );

    // Another machine has the repository's files, and nothing else.
    let mut other = Scratch::new();
    copy(&scratch.root(), &other.root());
    other.set_source(None);
    let gate = ends(&other, "--offline status --check --require own", 0);
    assert_eq!(gate.json()["checks"][0]["status"], "passed");
    assert_eq!(
        gate.json()["proven"].as_array().unwrap().last().unwrap()["level"],
        "own"
    );
    let verify = ends(&scratch, "verify --level structure", 0);
    assert_eq!(verify.json()["checks"][0]["name"], "own");
}

#[test]
fn record_is_outdated_by_any_change() {
    let scratch = with_check("command: 'true'");
    ends(&scratch, "verify --check own", 0);
    ends(&scratch, "status --require own", 0);
    let why = |scratch: &Scratch, expected: &str| {
        let gate = ends(scratch, "status --require own", 1);
        let findings = gate.findings();
        let required = findings
            .iter()
            .find(|it| it["code"] == "check-required")
            .unwrap();
        let message = required["message"].as_str().unwrap().to_owned();
        assert!(message.ends_with(expected), "{message}");
    };
    let config = scratch.read("patchctl.yaml");
    scratch.write("patchctl.yaml", config.replace("'true'", "'exit 0'"));
    why(&scratch, "its command has changed since it was run");
    scratch.write("patchctl.yaml", config);

    scratch.write(
        "overlays/budget.yaml",
        OVERLAY.replace("int budget", "long budget"),
    );
    why(&scratch, "pins, lock and overlays do not agree");
    ends(&scratch, "bump --all-pins --reviewed read", 0);
    why(&scratch, "the overlays have changed since it was run");
    ends(&scratch, "verify --check own", 0);
    ends(&scratch, "status --require own", 0);

    ends(&scratch, "bump --mlx 1.0.0", 0);
    why(&scratch, "it was last run for 1.1.0");
}

#[test]
fn failed_check_is_recorded_with_its_output() {
    let scratch = with_check("command: [sh, -c, 'seq 100; echo it broke >&2; exit 3']");
    let run = ends(&scratch, "verify --check own", 1);
    let finding = &run.json()["checks"][0]["findings"][0];
    assert_eq!(finding["code"], "check-failed");
    assert_eq!(finding["message"], "`own` ended with status 3");
    let excerpt = finding["excerpt"].as_str().unwrap();
    assert!(
        excerpt.starts_with("62\n") && excerpt.ends_with("100\nit broke"),
        "{excerpt}"
    );
    assert_eq!(records(&scratch).len(), 1);
    let gate = ends(&scratch, "status --require own", 1);
    assert!(
        gate.findings()[0]["message"]
            .as_str()
            .unwrap()
            .contains("it failed on ")
    );
    // What is said to hold of the pin does not.
    ends(&scratch, "verify --level structure", 1);
    ends(&scratch, "status --check", 0);
}

#[test]
fn a_check_that_ran_no_test_has_not_passed() {
    let scratch = with_check("command: 'echo 0 passed', count: '(\\d+) passed'");
    let run = ends(&scratch, "verify --check own", 1);
    assert_eq!(
        run.json()["checks"][0]["findings"][0]["code"],
        "check-ran-nothing"
    );
    ends(&scratch, "status --require own", 1);
}

#[test]
fn wrong_host_takes_the_record_of_another() {
    let scratch = with_check(&format!("command: 'touch ran', needs: {ELSEWHERE}"));
    let run = ends(&scratch, "verify --check own", 3);
    assert!(
        not_run(&run).starts_with(&format!("it needs {ELSEWHERE}, this is ")),
        "{run}"
    );
    assert!(!scratch.path("ran").exists() && records(&scratch).is_empty());

    // As the right host would have written it.
    let config = scratch.read("patchctl.yaml");
    scratch.write(
        "patchctl.yaml",
        config.replace(&format!(", needs: {ELSEWHERE}"), ""),
    );
    ends(&scratch, "verify --check own", 0);
    scratch.write("patchctl.yaml", config);
    let here = records(&scratch).remove(0);
    let host = here
        .strip_prefix("own.")
        .unwrap()
        .strip_suffix(".yaml")
        .unwrap()
        .to_owned();
    let gate = ends(&scratch, "status --require own", 1);
    assert!(
        gate.findings()[0]["message"]
            .as_str()
            .unwrap()
            .ends_with(&format!("needs {ELSEWHERE}"))
    );
    let text = scratch
        .read(&format!("overlays/checks/{here}"))
        .replace(&host, ELSEWHERE);
    scratch.write(&format!("overlays/checks/own.{ELSEWHERE}.yaml"), text);
    ends(&scratch, "status --require own", 0);
}

#[test]
fn unknown_or_unstartable_check_is_told() {
    let scratch = with_check("command: [patchctl-no-such-program]");
    for line in ["verify --check owm", "status --require owm"] {
        let wrong = ends(&scratch, line, 2);
        assert!(wrong.stderr.contains("did you mean `own`?"), "{wrong}");
    }
    ends(&scratch, "verify --check own --all-pins", 2);
    let run = ends(&scratch, "verify --check own", 3);
    assert_eq!(
        run.json()["checks"][0]["findings"][0]["code"],
        "check-not-started"
    );
    assert!(records(&scratch).is_empty());
}

#[test]
fn disagreeing_files_leave_no_record() {
    let change =
        "sed 's/int budget/long budget/' overlays/budget.yaml > new && mv new overlays/budget.yaml";
    let scratch = with_check(&format!("command: \"{change}\""));
    let run = ends(&scratch, "verify --check own", 1);
    assert!(run.codes().contains("check-overtaken"), "{run}");
    assert!(records(&scratch).is_empty());
    // The overlay is not the locked one now: what would be tried is not what would be recorded.
    let again = ends(&scratch, "verify --check own", 1);
    assert_eq!(not_run(&again), "pins, lock and overlays do not agree");
    assert!(again.codes().contains("lock-mismatch"), "{again}");
}

#[test]
fn the_record_of_a_check_that_is_gone_is_noted() {
    let scratch = with_check("command: 'true'");
    ends(&scratch, "verify --check own", 0);
    let config = scratch.read("patchctl.yaml");
    let renamed = config.replace("name: own", "name: other");
    scratch.write("patchctl.yaml", renamed);
    let status = ends(&scratch, "status --check", 0);
    let findings = status.findings();
    assert_eq!(findings[0]["code"], "check-retired", "{status}");
}

#[test]
fn a_record_that_was_changed_by_hand_is_an_error() {
    let scratch = with_check("command: 'true'");
    ends(&scratch, "verify --check own", 0);
    let file = format!("overlays/checks/{}", records(&scratch)[0]);
    let text = scratch.read(&file);
    scratch.write(&file, text.replace("check: own", "check: other"));
    let status = ends(&scratch, "status", 2);
    assert_eq!(
        status.codes().into_iter().collect::<Vec<_>>(),
        ["pins-bad-name"]
    );
}
