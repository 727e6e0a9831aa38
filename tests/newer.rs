//! `status --upstream`: releases newer than the current pin, and whether the hunks land there.

use serde_json::{Value, json};

use crate::support::files::Files;
use crate::support::outcome::Outcome;
use crate::support::pinned::OVERLAY;
use crate::support::scratch::Scratch;
use crate::support::upstream::{Tags, Upstream};

/// Each release's file: the hunk lands on 1.0.0 and 1.1.0, wants a look on 1.2.0, and has no place on 1.3.0.
const RELEASES: [(&str, &str); 4] = [
    ("1.0.0", "int limit() {\n  return 50;\n}\n"),
    ("1.1.0", "int other();\nint limit() {\n  return 50;\n}\n"),
    (
        "1.2.0",
        "namespace n {\nint limit() {\n  int a = 3;\n  int b = 4;\n  return a * b;\n}\n}\n",
    ),
    ("1.3.0", "int bound() {\n  return 50;\n}\n"),
];

fn release(upstream: &mut Upstream, (name, text): (&str, &str)) {
    let files = Files::from([("quill/gpu.cpp".to_owned(), text.as_bytes().to_vec())]);
    upstream.commit(name, "Release", &files);
    upstream.tag(name, &format!("v{name}"), Tags::Lightweight);
}

/// A repository pinned to the first release, with the overlay in the files `count` releases long.
fn pinned_to_the_first(count: usize) -> Scratch {
    let mut scratch = Scratch::new();
    let mut upstream = scratch.upstream();
    for one in &RELEASES[..count] {
        release(&mut upstream, *one);
    }
    scratch.write("overlays/budget.yaml", OVERLAY);
    let bump = scratch.run("bump --mlx 1.0.0 --reviewed read");
    assert_eq!(bump.code, Some(0), "{bump}");
    scratch
}

fn steps(outcome: &Outcome, name: &str) -> Vec<String> {
    let json = outcome.json();
    let steps = json["steps"].as_array().unwrap().clone();
    let named = steps.into_iter().filter(|step| step["name"] == name);
    named
        .map(|step| step["what"].as_str().unwrap().to_owned())
        .collect()
}

fn statuses(outcome: &Outcome) -> Vec<Value> {
    let json = outcome.json();
    let results = json["results"].as_array().unwrap().iter();
    results
        .map(|it| json!([it["release"], it["status"]]))
        .collect()
}

#[test]
fn newer_releases_are_told_newest_first() {
    let scratch = pinned_to_the_first(4);
    let before = scratch.snapshot();
    let status = scratch.run("status --upstream");
    assert_eq!(status.code, Some(0), "news is no disagreement: {status}");
    assert_eq!(
        statuses(&status),
        [
            json!(["1.0.0", "passed"]),
            json!(["1.3.0", "failed"]),
            json!(["1.2.0", "needs-review"]),
            json!(["1.1.0", "passed"]),
        ]
    );
    let upstream = steps(&status, "upstream");
    let told = "3 releases newer than 1.0.0; the newest is 1.3.0, says git:";
    assert!(upstream[0].starts_with(told), "{upstream:?}");
    let newer = steps(&status, "newer");
    assert!(newer[0].starts_with("1.3.0 ("), "{newer:?}");
    assert!(newer[0].ends_with("): does not carry every hunk (1 finding)"));
    assert!(newer[1].ends_with("): needs review (1 edit, 1 finding)"));
    assert!(newer[2].ends_with("): every hunk lands (1 edit)"));
    assert_eq!(status.json()["next"], json!(["patchctl bump --mlx 1.3.0"]));
    assert_eq!(before.differences(&scratch.snapshot()), [""; 0]);
    assert_eq!(scratch.run("status --upstream --check").code, Some(1));
    assert_eq!(scratch.run("status --check").code, Some(0));
}

#[test]
fn check_holds_where_every_hunk_lands() {
    let scratch = pinned_to_the_first(2);
    let status = scratch.run("status --upstream --check");
    assert_eq!(status.code, Some(0), "{status}");
    assert_eq!(steps(&status, "newer").len(), 1);
    let bump = scratch.run("bump --mlx 1.1.0 --keep-current");
    assert_eq!(bump.code, Some(0), "{bump}");
    let status = scratch.run("status --upstream --check");
    assert_eq!(status.code, Some(0), "{status}");
    assert_eq!(steps(&status, "newer"), [""; 0]);
    assert_eq!(statuses(&status).len(), 2);
    let upstream = &steps(&status, "upstream")[0];
    let told = "no release is newer than 1.0.0, 1 more pinned already; the newest is 1.1.0";
    assert!(upstream.starts_with(told), "{upstream}");
    assert_eq!(status.json()["next"], Value::Null);
}

#[test]
fn newest_release_is_told_without_pins() {
    let mut scratch = Scratch::new();
    let mut upstream = scratch.upstream();
    release(&mut upstream, RELEASES[0]);
    let status = scratch.run("status --upstream --check");
    assert_eq!(status.code, Some(0), "{status}");
    let upstream = &steps(&status, "upstream")[0];
    let told = "nothing is pinned to compare with; the newest is 1.0.0, says git:";
    assert!(upstream.starts_with(told), "{upstream}");
}

#[test]
fn silent_sources_are_not_run() {
    let scratch = pinned_to_the_first(2);
    let missing = scratch.beside("missing.git");
    let missing = format!("git:{}", missing.display());

    let mut alone = pinned_to_the_first(1);
    alone.set_source(Some(missing.clone()));
    let status = alone.run("status --upstream");
    assert_eq!(status.code, Some(3), "{status}");
    let not_run = &status.json()["not_run"][0];
    assert_eq!(not_run["what"], "upstream");
    let why = not_run["why"].as_str().unwrap();
    assert!(why.contains("missing.git"), "{why}");
    assert_eq!(steps(&status, "upstream"), [""; 0], "nothing is claimed");

    // The other source answers; that the first did not stays in view.
    let there = format!("git:{}", scratch.beside("upstream.git").display());
    let mut both = scratch;
    both.set_source(None);
    let line = format!("--source {missing} --source {there} status --upstream --check");
    let status = both.run(&line);
    assert_eq!(status.code, Some(0), "{status}");
    assert_eq!(steps(&status, "newer").len(), 1);
    assert_eq!(status.json()["not_run"][0]["what"], "upstream");
}

#[test]
fn offline_it_says_that_only_this_machine_was_asked() {
    let scratch = pinned_to_the_first(2);
    let status = scratch.run("--offline status --upstream");
    assert_eq!(status.code, Some(0), "{status}");
    let upstream = &steps(&status, "upstream")[0];
    assert!(
        upstream.ends_with(", as this machine has it (--offline)"),
        "{upstream}"
    );
    assert_eq!(steps(&status, "newer").len(), 1);
}

#[test]
fn silent_source_leaves_releases_not_run() {
    let mut scratch = pinned_to_the_first(2);
    let missing = format!("git:{}", scratch.beside("missing.git").display());
    let there = format!("git:{}", scratch.beside("upstream.git").display());
    scratch.set_source(None);
    let sources = format!("--source {missing} --source {there}");
    let verify = scratch.run(&format!("{sources} verify --releases >=1.0.0"));
    assert_eq!(verify.code, Some(3), "{verify}");
    assert_eq!(statuses(&verify).len(), 2, "what there is is looked at");
    let json = verify.json();
    let mut not_run = json["not_run"].as_array().unwrap().iter();
    assert!(not_run.any(|it| it["what"] == "upstream"), "{verify}");
    let verify = scratch.run(&format!("{sources} verify --releases >=9"));
    assert_eq!(verify.code, Some(3), "{verify}");
    let verify = scratch.run(&format!("--source {there} verify --releases >=9"));
    assert_eq!(verify.code, Some(2), "{verify}");
}
