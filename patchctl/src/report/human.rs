//! The human form: a line a step, a line a result, then each finding once, then what to make of it.

use std::fmt::Write;

use super::frame::{frame, help};
use super::grouped::{grouped, word};
use super::mutants::mutants;
use super::pages::codes;
use super::rows::{checks, results};
use super::style::{BAD, GOOD, HELPFUL, STRONG, paint, visible};
use super::summary::{advice, summary_line};
use super::{Error, Report};

/// The report as text with colours. The caller takes them out where they are not wanted.
pub fn render_human(report: &Report) -> String {
    let mut out = String::new();
    codes(&mut out, report);
    steps(&mut out, report);
    results(&mut out, report);
    mutants(&mut out, report);
    checks(&mut out, report);
    findings(&mut out, report);
    changed(&mut out, report);
    summary(&mut out, report);
    next(&mut out, report);
    out
}

/// An error outside of a report: the message, each cause on its own line, and what to do; or, where it points into
/// files, each finding with its line.
pub fn render_error(error: &Error) -> String {
    let mut out = String::new();
    if let Some(findings) = error.framed() {
        for finding in findings {
            separate(&mut out);
            frame(&mut out, finding, None);
        }
        return out;
    }
    let message = error.to_string();
    let _ = writeln!(out, "{}: {}", paint(BAD, "error"), visible(&message));
    for cause in error.causes() {
        let _ = writeln!(out, "  {}: {}", paint(STRONG, "cause"), visible(cause));
    }
    if let Some(advice) = error.advice() {
        help(&mut out, advice);
    }
    out
}

/// A line that is no error: a source that was passed over.
pub fn render_note(what: &str) -> String {
    format!("{}: {}\n", paint(HELPFUL, "note"), visible(what))
}

fn steps(out: &mut String, report: &Report) {
    let width = report.steps.iter().map(|step| step.name.len()).max();
    for step in &report.steps {
        let name = format!("{:width$}", step.name, width = width.unwrap_or(0));
        let _ = writeln!(out, "{}  {}", paint(STRONG, name), visible(&step.what));
    }
    let rows_follow = !report.results.is_empty() || !report.checks.is_empty();
    if rows_follow && !report.steps.is_empty() {
        out.push('\n');
    }
}

fn findings(out: &mut String, report: &Report) {
    let many = report.results.len() > 1;
    for one in grouped(report) {
        separate(out);
        frame(out, one.finding, word(&one));
        if many && !one.releases.is_empty() {
            let _ = writeln!(out, "{}: {}", paint(STRONG, "in"), one.releases.join(", "));
        }
    }
}

fn changed(out: &mut String, report: &Report) {
    if report.changed.is_empty() {
        return;
    }
    separate(out);
    let word = if report.dry_run {
        "would change"
    } else {
        "changed"
    };
    for path in &report.changed {
        let _ = writeln!(out, "{}: {}", paint(STRONG, word), visible(path));
    }
}

fn summary(out: &mut String, report: &Report) {
    let Some(line) = summary_line(report) else {
        return;
    };
    separate(out);
    let _ = writeln!(out, "{line}");
    for text in advice(report) {
        help(out, text);
    }
}

fn next(out: &mut String, report: &Report) {
    for line in &report.next {
        let _ = writeln!(out, "{}: {}", paint(HELPFUL, "next"), visible(line));
    }
    // A command that has nothing to say has still done what it was asked.
    if out.is_empty() && report.ok {
        let _ = writeln!(out, "{}", paint(GOOD, "nothing to do"));
    }
}

fn separate(out: &mut String) {
    if !out.is_empty() {
        out.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Check, Code, Finding, NotRun, ReleaseResult, Status, Step};

    fn plain(report: &Report) -> String {
        anstream::adapter::strip_str(&render_human(report)).to_string()
    }

    fn result(release: &str, status: Status, findings: Vec<Finding>) -> ReleaseResult {
        ReleaseResult {
            status,
            landed: vec![
                "include: line 3".to_owned(),
                "read: f(), line 512".to_owned(),
            ],
            findings,
            ..ReleaseResult::new(
                release,
                "1f8e74e3f12f31365464a6867c6579f0e9b29d85",
                "structure",
            )
        }
    }

    fn unknown_shape(line: u64) -> Finding {
        Finding::new(Code::NeedsReviewShape, "nobody has looked at this form yet")
            .hunk("budget/commit-check")
            .file("mlx/device.cpp")
            .line(line)
    }

    #[test]
    fn bump_reads_from_steps_to_next() {
        let report = Report {
            steps: vec![
                Step {
                    name: "resolve".to_owned(),
                    what: "v0.32.2 (1f8e74e3f12f) from crates: mlxrs-sys 0.2.0".to_owned(),
                },
                Step {
                    name: "carry".to_owned(),
                    what: "3 hunks of 1 overlay".to_owned(),
                },
            ],
            results: vec![result("0.32.2", Status::Passed, vec![])],
            not_run: ["compile", "run"]
                .map(|what| NotRun {
                    on: Vec::new(),
                    what: what.to_owned(),
                    why: "clang is not installed".to_owned(),
                    help: Some("install clang 16 or later".to_owned()),
                })
                .to_vec(),
            changed: vec!["overlays/mlx/lock.yaml".to_owned()],
            next: vec!["patchctl verify --all-pins".to_owned()],
            ..Report::new("bump")
        };
        let expected = "\
resolve  v0.32.2 (1f8e74e3f12f) from crates: mlxrs-sys 0.2.0
carry    3 hunks of 1 overlay

passed  0.32.2  1f8e74e3f12f  structure
    include: line 3
    read: f(), line 512

changed: overlays/mlx/lock.yaml

1 release: 1 passed; not run: compile, run (clang is not installed)
help: install clang 16 or later
next: patchctl verify --all-pins
";
        assert_eq!(plain(&report), expected);
    }

    #[test]
    fn common_lines_of_releases_stand_once() {
        let moved = ReleaseResult {
            landed: vec![
                "include: line 3".to_owned(),
                "read: g(), line 9 (only)".to_owned(),
            ],
            shown: Vec::new(),
            measured: Vec::new(),
            ..result("0.32.2", Status::Passed, vec![])
        };
        let report = Report {
            ok: false,
            results: vec![
                result("0.31.2", Status::NeedsReview, vec![unknown_shape(500)]),
                result("0.32.0", Status::NeedsReview, vec![unknown_shape(512)]),
                moved,
                ReleaseResult {
                    landed: vec![],
                    shown: Vec::new(),
                    measured: Vec::new(),
                    ..result("0.33.0", Status::NotRun, vec![])
                },
            ],
            ..Report::new("verify")
        };
        let expected = "\
needs review  0.31.2  1f8e74e3f12f  structure  line 512
needs review  0.32.0  1f8e74e3f12f  structure  line 512
    include: line 3
    read: f()
passed        0.32.2  1f8e74e3f12f  structure  line 9
    include: line 3
    read: g() (only)
not run       0.33.0  1f8e74e3f12f  structure

review[needs-review-shape]: budget/commit-check: nobody has looked at this form yet
 --> mlx/device.cpp:500
in: 0.31.2, 0.32.0

4 releases: 1 passed, 2 needs review, 1 not run
";
        assert_eq!(plain(&report), expected);
    }

    #[test]
    fn checks_stand_and_count_apart() {
        let report = Report {
            ok: false,
            results: vec![ReleaseResult {
                landed: vec![],
                shown: Vec::new(),
                measured: Vec::new(),
                ..result("0.32.2", Status::NotRun, vec![])
            }],
            checks: vec![Check {
                name: "stub".to_owned(),
                status: Status::Failed,
                what: "reads 0 whatever is set".to_owned(),
                findings: vec![Finding::new(Code::OverrideWrong, "it reads 1")],
            }],
            ..Report::new("test")
        };
        let expected = "\
not run  0.32.2  1f8e74e3f12f  structure

failed  stub  reads 0 whatever is set

error[override-wrong]: it reads 1

1 release: 1 not run; 1 check: 1 failed
";
        assert_eq!(plain(&report), expected);
    }

    #[test]
    fn error_lists_causes_and_help() {
        let error = Error::new(Code::Io, "cannot read lock.yaml")
            .because_of(["permission denied", "os error 13"])
            .help("make it readable");
        let text = render_error(&error);
        assert_eq!(
            anstream::adapter::strip_str(&text).to_string(),
            "error: cannot read lock.yaml\n  cause: permission denied\n  cause: os error 13\nhelp: make it readable\n"
        );
    }

    #[test]
    fn status_has_a_word_and_a_colour() {
        let colored = render_human(&Report {
            results: vec![result("0.32.2", Status::Passed, vec![])],
            ..Report::new("verify")
        });
        assert!(colored.contains("\u{1b}[32mpassed"), "{colored:?}");
    }
}
