//! `.github/workflows/`: what actionlint and zizmor do not ask, and the scripts of the scheduled bump.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Every workflow and the composite action: name, text, and what the YAML says.
fn all() -> Vec<(String, String, Value)> {
    let folder = root().join(".github/workflows");
    let entries = fs::read_dir(folder).unwrap().map(|it| it.unwrap().path());
    let mut paths: Vec<PathBuf> = entries.collect();
    paths.push(root().join("ci/action.yml"));
    paths.sort();
    assert!(paths.len() > 4, "{paths:?}");
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).unwrap();
        let value = serde_yaml::from_str(&text).unwrap_or_else(|error| panic!("{path:?}: {error}"));
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        (name, text, value)
    };
    paths.into_iter().map(read).collect()
}

fn jobs(workflow: &Value) -> BTreeMap<String, Value> {
    let jobs = workflow["jobs"].as_object().into_iter().flatten();
    jobs.map(|(name, job)| (name.clone(), job.clone()))
        .collect()
}

fn steps(job: &Value) -> Vec<Value> {
    job["steps"].as_array().unwrap().clone()
}

/// Each workflow's jobs' steps, with where they stand.
fn all_steps() -> Vec<(String, Value)> {
    let mut found = Vec::new();
    for (file, _, workflow) in all() {
        for (name, job) in jobs(&workflow) {
            found.extend(
                steps(&job)
                    .into_iter()
                    .map(|step| (format!("{file}: {name}"), step)),
            );
        }
    }
    assert!(found.len() > 15, "{found:?}");
    found
}

#[test]
fn workflows_only_call_scripts_of_ci_that_can_be_run() {
    for (place, step) in all_steps() {
        let Some(run) = step["run"].as_str() else {
            continue;
        };
        assert!(run.starts_with("ci/"), "{place}: {run}");
        let script = run.split_whitespace().next().unwrap();
        let found = fs::metadata(root().join(script))
            .unwrap_or_else(|error| panic!("{place}: {script}: {error}"));
        assert!(
            found.is_file() && found.permissions().mode() & 0o111 != 0,
            "{script}"
        );
        // What stands in an expression could be a pull request's title.
        assert!(!run.contains("${{"), "{place}: {run}");
    }
}

#[test]
fn no_workflow_has_a_right_that_its_job_does_not_name_or_runs_forever() {
    for (file, text, workflow) in all() {
        if file == "action.yml" {
            continue;
        }
        assert_eq!(workflow["permissions"], serde_json::json!({}), "{file}");
        assert!(workflow["concurrency"]["group"].is_string(), "{file}");
        assert!(!text.contains("pull_request_target"), "{file}");
        assert!(!text.contains("secrets."), "{file}");
        for (name, job) in jobs(&workflow) {
            assert!(job["permissions"].is_object(), "{file}: {name}");
            assert!(job["timeout-minutes"].is_u64(), "{file}: {name}");
        }
    }
}

#[test]
fn actions_are_pinned_by_their_commit_with_the_version_beside_it_and_each_by_one() {
    let pinned = regex::Regex::new(r"uses: ([\w./-]+)@([0-9a-f]{40}) # (v\d+\.\d+\.\d+)$").unwrap();
    let mut versions: BTreeMap<String, String> = BTreeMap::new();
    for (file, text, _) in all() {
        let lines = text
            .lines()
            .filter(|line| line.contains("uses:") && !line.starts_with('#'));
        for line in lines {
            let found = pinned
                .captures(line)
                .unwrap_or_else(|| panic!("{file}: {line}"));
            let pin = format!("{} {}", &found[2], &found[3]);
            let known = versions
                .entry(found[1].to_owned())
                .or_insert_with(|| pin.clone());
            assert_eq!(*known, pin, "{file}: {line}");
        }
    }
    assert!(versions.contains_key("actions/checkout"), "{versions:?}");
}

#[test]
fn the_token_is_seen_by_the_steps_that_need_it_and_a_checkout_leaves_none() {
    let mut with_token = Vec::new();
    for (place, step) in all_steps() {
        let uses = step["uses"].as_str().unwrap_or_default();
        if uses.starts_with("actions/checkout@") {
            assert_eq!(step["with"]["persist-credentials"], false, "{place}");
        }
        if step.to_string().contains("github.token") {
            with_token.push(step["run"].as_str().unwrap_or(uses).to_owned());
        }
    }
    assert_eq!(
        with_token,
        ["ci/release/publish", "ci/scheduled/pull-request"]
    );
}

#[test]
fn a_job_that_may_write_neither_builds_nor_takes_a_cache() {
    for (file, _, workflow) in all() {
        for (name, job) in jobs(&workflow) {
            let rights = job["permissions"].as_object().into_iter().flatten();
            let writes = rights.filter(|(_, right)| *right == "write").count() > 0;
            for step in steps(&job) {
                let uses = step["uses"].as_str().unwrap_or_default();
                let caches = uses.starts_with("actions/cache@");
                assert!(!(caches && writes), "{file}: {name}");
                assert!(!(caches && file == "release.yml"), "{file}: {name}");
            }
        }
    }
}

#[test]
fn a_cache_is_named_after_what_it_was_made_from() {
    let globs = regex::Regex::new(r"'([^']+)'").unwrap();
    let mut count = 0;
    for (place, step) in all_steps() {
        if !step["uses"]
            .as_str()
            .is_some_and(|uses| uses.starts_with("actions/cache@"))
        {
            continue;
        }
        count += 1;
        let key = step["with"]["key"].as_str().unwrap();
        let paths = step["with"]["path"].as_str().unwrap();
        let wanted: &[&str] = match paths {
            _ if paths.contains(".cache/patchctl") || paths.contains("tmp/crates") => {
                &["overlays/mlx/lock.yaml", "overlays/mlx/*.yaml"]
            }
            _ if paths.contains("registry") => &["Cargo.lock", "rust-toolchain.toml"],
            _ => &["ci/tools.env"],
        };
        for file in wanted {
            assert!(key.contains(&format!("'{file}'")), "{place}: {key}");
        }
        assert!(key.contains("runner.arch"), "{place}: {key}");
        for found in globs.captures_iter(key) {
            let fixed = found[1].split('*').next().unwrap();
            assert!(
                root().join(fixed).exists(),
                "{place}: nothing is at {}",
                &found[1]
            );
        }
    }
    assert!(count > 3);
}
