//! The human form: a line a step, a line a result, then each finding once, then what to make of it.

use std::fmt::Write;

use super::frame::{frame, help};
use super::rows::{checks, results};
use super::style::{
    BAD, DOUBTFUL, GOOD, HELPFUL, STRONG, paint, status_style, status_word, visible,
};
use super::{Finding, Report, Severity, Status};

/// The report as text with colours. The caller takes them out where they are not wanted.
pub fn render_human(report: &Report) -> String {
    let mut out = String::new();
    steps(&mut out, report);
    results(&mut out, report);
    checks(&mut out, report);
    findings(&mut out, report);
    changed(&mut out, report);
    summary(&mut out, report);
    next(&mut out, report);
    out
}

/// An error outside of a report: the message, each cause on its own line, and what to do.
pub fn render_error(message: &str, causes: &[String], advice: Option<&str>) -> String {
    let mut out = format!("{}: {}\n", paint(BAD, "error"), visible(message));
    for cause in causes {
        let _ = writeln!(out, "  {}: {}", paint(STRONG, "cause"), visible(cause));
    }
    if let Some(advice) = advice {
        help(&mut out, advice);
    }
    out
}

/// Findings alone, for errors that point into files.
pub fn render_findings(findings: &[Finding]) -> String {
    let mut out = String::new();
    for finding in findings {
        separate(&mut out);
        frame(&mut out, finding, None);
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

/// Each finding once: thirty releases that fail alike are one thing to mend.
fn findings(out: &mut String, report: &Report) {
    let mut seen: Vec<(&Finding, Option<&str>, Vec<&str>)> = Vec::new();
    for result in &report.results {
        for finding in &result.findings {
            let word = better_word(result.status, finding.severity);
            match seen
                .iter_mut()
                .find(|(known, known_word, _)| *known_word == word && alike(known, finding))
            {
                Some((_, _, releases)) => releases.push(&result.release),
                None => seen.push((finding, word, vec![&result.release])),
            }
        }
    }
    let of_checks = report.checks.iter().flat_map(|check| {
        let findings = check.findings.iter();
        findings.map(|finding| (finding, better_word(check.status, finding.severity), vec![]))
    });
    seen.extend(of_checks);
    seen.extend(
        report
            .findings
            .iter()
            .map(|finding| (finding, None, vec![])),
    );
    let many = report.results.len() > 1;
    for (finding, word, releases) in seen {
        separate(out);
        frame(out, finding, word);
        if many && !releases.is_empty() {
            let _ = writeln!(out, "{}: {}", paint(STRONG, "in"), releases.join(", "));
        }
    }
}

/// The same thing to mend, if perhaps on another line.
fn alike(one: &Finding, other: &Finding) -> bool {
    let anywhere = |finding: &Finding| Finding {
        line: None,
        excerpt_line: None,
        ..finding.clone()
    };
    anywhere(one) == anywhere(other)
}

fn better_word(status: Status, severity: Severity) -> Option<&'static str> {
    match (status, severity) {
        (Status::NeedsReview, Severity::Error) => Some("review"),
        (Status::NotRun, Severity::Error) => Some("not run"),
        _ => None,
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

/// `3 releases: 2 passed, 1 needs review; 1 check: 1 passed; not run: compile (clang is not installed)`.
fn summary(out: &mut String, report: &Report) {
    if report.results.is_empty() && report.checks.is_empty() && report.not_run.is_empty() {
        return;
    }
    separate(out);
    let mut parts = Vec::new();
    let results = report.results.iter().map(|result| result.status).collect();
    let checks = report.checks.iter().map(|check| check.status).collect();
    parts.extend(counted("release", results));
    parts.extend(counted("check", checks));
    if !report.not_run.is_empty() {
        parts.push(format!("not run: {}", not_run(report)));
    }
    let _ = writeln!(out, "{}", parts.join("; "));
    let mut advice: Vec<&str> = Vec::new();
    for text in report.not_run.iter().filter_map(|it| it.help.as_deref()) {
        if !advice.contains(&text) {
            advice.push(text);
        }
    }
    for text in advice {
        help(out, text);
    }
}

/// `3 releases: 2 passed, 1 needs review`; nothing where there is none.
fn counted(noun: &str, statuses: Vec<Status>) -> Option<String> {
    let count = statuses.len();
    let plural = if count == 1 { "" } else { "s" };
    let words = [
        Status::Passed,
        Status::NeedsReview,
        Status::Failed,
        Status::NotRun,
        Status::Unsupported,
    ];
    let words: Vec<String> = words
        .into_iter()
        .filter_map(|status| {
            let of_it = statuses.iter().filter(|one| **one == status).count();
            (of_it > 0).then(|| {
                let words = format!("{of_it} {}", status_word(status));
                paint(status_style(status), words)
            })
        })
        .collect();
    (count > 0).then(|| format!("{count} {noun}{plural}: {}", words.join(", ")))
}

/// What was not run, those with one reason together: `compile, run (clang is not installed)`.
fn not_run(report: &Report) -> String {
    type Because<'a> = (&'a str, &'a [String]);
    let mut reasons: Vec<(Because<'_>, Vec<&str>)> = Vec::new();
    for it in &report.not_run {
        let because = (&*it.why, &*it.on);
        match reasons.iter_mut().find(|(other, _)| *other == because) {
            Some((_, whats)) => whats.push(&it.what),
            None => reasons.push((because, vec![&it.what])),
        }
    }
    let texts = reasons.iter().map(|((why, on), whats)| {
        let whats = paint(DOUBTFUL, whats.join(", "));
        let on = match on.len() {
            some if some > 0 && some < report.results.len() => format!(" on {}", on.join(", ")),
            _ => String::new(),
        };
        format!("{whats}{} ({})", visible(&on), visible(why))
    });
    texts.collect::<Vec<_>>().join("; ")
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
    use crate::report::{Check, NotRun, ReleaseResult, Step};

    fn plain(report: &Report) -> String {
        anstream::adapter::strip_str(&render_human(report)).to_string()
    }

    fn result(release: &str, status: Status, findings: Vec<Finding>) -> ReleaseResult {
        ReleaseResult {
            release: release.to_owned(),
            revision: "1f8e74e3f12f31365464a6867c6579f0e9b29d85".to_owned(),
            status,
            level: "structure".to_owned(),
            landed: vec![
                "include: line 3".to_owned(),
                "read: f(), line 512".to_owned(),
            ],
            shown: Vec::new(),
            findings,
        }
    }

    fn unknown_shape(line: u64) -> Finding {
        Finding {
            hunk: Some("budget/commit-check".to_owned()),
            file: Some("mlx/device.cpp".to_owned()),
            line: Some(line),
            code: "shape-unknown".to_owned(),
            message: "nobody has looked at this form yet".to_owned(),
            ..Finding::default()
        }
    }

    #[test]
    fn a_bump_reads_from_its_steps_to_what_comes_next() {
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
    fn what_several_releases_have_in_common_is_said_once_and_not_run_is_not_passed() {
        let moved = ReleaseResult {
            landed: vec![
                "include: line 3".to_owned(),
                "read: g(), line 9 (only)".to_owned(),
            ],
            shown: Vec::new(),
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

review[shape-unknown]: budget/commit-check: nobody has looked at this form yet
 --> mlx/device.cpp:500
in: 0.31.2, 0.32.0

4 releases: 1 passed, 2 needs review, 1 not run
";
        assert_eq!(plain(&report), expected);
    }

    #[test]
    fn a_check_about_no_release_stands_apart_and_is_counted_apart() {
        let report = Report {
            ok: false,
            results: vec![ReleaseResult {
                landed: vec![],
                shown: Vec::new(),
                ..result("0.32.2", Status::NotRun, vec![])
            }],
            checks: vec![Check {
                name: "stub".to_owned(),
                status: Status::Failed,
                what: "reads 0 whatever is set".to_owned(),
                findings: vec![Finding {
                    code: "override-wrong".to_owned(),
                    message: "it reads 1".to_owned(),
                    ..Finding::default()
                }],
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
    fn an_error_names_each_cause_on_a_line_and_what_to_do() {
        let text = render_error(
            "cannot read lock.yaml",
            &["permission denied".to_owned(), "os error 13".to_owned()],
            Some("make it readable"),
        );
        assert_eq!(
            anstream::adapter::strip_str(&text).to_string(),
            "error: cannot read lock.yaml\n  cause: permission denied\n  cause: os error 13\nhelp: make it readable\n"
        );
    }

    #[test]
    fn a_status_is_green_red_yellow_or_faint_and_never_only_a_colour() {
        let colored = render_human(&Report {
            results: vec![result("0.32.2", Status::Passed, vec![])],
            ..Report::new("verify")
        });
        assert!(colored.contains("\u{1b}[32mpassed"), "{colored:?}");
    }
}
