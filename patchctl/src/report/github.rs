//! The form for GitHub Actions: a summary, then annotations as workflow commands, then the whole report as a
//! person reads it, folded.
//!
//! The escaping is that of `@actions/core` (`packages/core/src/command.ts`), the limits are those of
//! `actions/runner` (`ExecutionContext.AddIssue`): ten annotations of each kind for a step, 4,096 characters each.

use std::fmt::Write;

use patchctl_apply::BlobId;

use super::grouped::{Grouped, grouped, word};
use super::style::{counted, status_word, visible};
use super::summary::{summary_line, verdict};
use super::{Report, Severity, Status, render_human};

/// Annotations of one kind that GitHub keeps for a step.
const MOST: usize = 10;
/// Characters of an annotation that it keeps.
const LONGEST: usize = 4096;

/// The report for a step of a workflow. `in_repository` gives the path, as seen from the workspace, of a
/// finding's file that stands in it: GitHub can show an annotation only there, and a finding may be about a file of
/// upstream.
pub fn render_github(report: &Report, in_repository: &dyn Fn(&str) -> Option<String>) -> String {
    let all = grouped(report);
    let mut out = String::new();
    let (word, _) = status_word(verdict(report));
    let _ = write!(out, "patchctl {}: {word}", report.command);
    if let Some(line) = summary_line(report) {
        let line = anstream::adapter::strip_str(&line).to_string();
        let _ = write!(out, ": {}", inert(&line));
    }
    out.push('\n');
    let counts = KINDS.into_iter().filter_map(|kind| {
        let of_it = all.iter().filter(|it| kind_of(it, report) == kind);
        annotated(kind, of_it.count())
    });
    let counts: Vec<String> = counts.collect();
    if !counts.is_empty() {
        let _ = writeln!(out, "{}", counts.join(", "));
    }
    for kind in KINDS {
        let of_it = all.iter().filter(|it| kind_of(it, report) == kind);
        for one in of_it.take(MOST) {
            annotation(&mut out, kind, one, in_repository);
        }
    }
    out.push_str("::group::the whole report\n");
    out.push_str(&render_github_text(&render_human(report)));
    out.push_str("::endgroup::\n");
    out
}

/// Text (a diff, a manual page) for a step of a workflow, in which the runner obeys nothing: upstream's code and other
/// people's messages may look like workflow commands. What ends it again is made from the text, so that the text cannot
/// hold it.
pub fn render_github_text(text: &str) -> String {
    let token = BlobId::of(text.as_bytes());
    let end = if text.ends_with('\n') { "" } else { "\n" };
    format!("::stop-commands::{token}\n{text}{end}::{token}::\n")
}

/// The kinds of annotations: a note is a notice.
const KINDS: [Severity; 3] = [Severity::Error, Severity::Warning, Severity::Note];

fn kind_word(kind: Severity) -> &'static str {
    match kind {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    }
}

/// `12 errors (the first 10 are annotations)`; nothing where there is none.
fn annotated(kind: Severity, count: usize) -> Option<String> {
    let all = counted(count, kind_word(kind));
    match count {
        0 => None,
        1..=MOST => Some(all),
        _ => Some(format!("{all} (the first {MOST} are annotations)")),
    }
}

fn kind_of(one: &Grouped<'_>, report: &Report) -> Severity {
    match one.finding.severity {
        // A level that could not be run and was not asked for by name is no failure.
        Severity::Error if report.ok && one.status == Some(Status::NotRun) => Severity::Note,
        severity => severity,
    }
}

fn annotation(
    out: &mut String,
    kind: Severity,
    one: &Grouped<'_>,
    in_repository: &dyn Fn(&str) -> Option<String>,
) {
    let finding = one.finding;
    let mut properties = Vec::new();
    let mut text = String::new();
    match finding
        .file
        .as_deref()
        .map(|file| (file, in_repository(file)))
    {
        Some((_, Some(path))) => {
            properties.push(format!("file={}", property(&path)));
            if let Some(line) = finding.line {
                properties.push(format!("line={line}"));
                properties.extend(finding.column.map(|column| format!("col={column}")));
            }
        }
        Some((file, None)) => {
            let _ = write!(text, "{file}:");
            if let Some(line) = finding.line {
                let _ = write!(text, "{line}:");
            }
            text.push(' ');
        }
        None => {}
    }
    let title = word(one).map_or_else(String::new, |word| format!("{word}: "));
    let title = format!("{title}{}", finding.code);
    properties.push(format!("title={}", property(&title)));
    if let Some(hunk) = &finding.hunk {
        let _ = write!(text, "{hunk}: ");
    }
    text.push_str(&finding.message);
    if one.releases.len() > 1 {
        let _ = write!(text, "\nin: {}", one.releases.join(", "));
    }
    if let Some(help) = &finding.help {
        let _ = write!(text, "\n{}", help.trim_end());
    }
    let text = visible(&text);
    let text = match text.char_indices().nth(LONGEST - 1) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.into_owned(),
    };
    let _ = writeln!(
        out,
        "::{} {}::{}",
        kind_word(kind),
        properties.join(","),
        data(&text)
    );
}

fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(&visible(text)).replace(':', "%3A").replace(',', "%2C")
}

/// Text outside of a command, in one line that holds none: the runner finds the old form, `##[…]`, anywhere.
fn inert(text: &str) -> String {
    visible(text).replace('\n', " ").replace("##[", "## [")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Code, Finding, NotRun, ReleaseResult};

    fn finding(code: Code, file: Option<&str>, message: &str) -> Finding {
        Finding::new(code, message).file(file).at(7, 3)
    }

    fn rendered(report: &Report) -> String {
        let here = |file: &str| file.starts_with("overlays/").then(|| format!("a,b/{file}"));
        let text = render_github(report, &here);
        anstream::adapter::strip_str(&text).to_string()
    }

    /// Lines that the runner would obey, by its own rules: blanks before `::` do not count.
    fn obeyed(text: &str) -> Vec<&str> {
        let mut stopped: Option<String> = None;
        let mut commands = Vec::new();
        for line in text.lines().map(str::trim_start) {
            if let Some(token) = &stopped {
                if line == format!("::{token}::") {
                    stopped = None;
                }
                continue;
            }
            if let Some(token) = line.strip_prefix("::stop-commands::") {
                stopped = Some(token.to_owned());
            } else if line.starts_with("::") || line.contains("##[") {
                commands.push(line);
            }
        }
        assert!(stopped.is_none(), "commands stay stopped");
        commands
    }

    #[test]
    fn summary_then_annotations_then_the_report() {
        let mut report = Report {
            ok: false,
            findings: vec![
                finding(
                    Code::PremiseFailed,
                    Some("overlays/b.yaml"),
                    "it: moved, 5%",
                )
                .hunk("budget/read")
                .help("write:\n  a: 100%\r\n"),
                finding(Code::PinFollowerDiffers, Some("mlx/device.cpp"), "behind"),
            ],
            ..Report::new("verify")
        };
        report.not_run.push(NotRun {
            on: Vec::new(),
            what: "run".to_owned(),
            why: "no\n::error::clang ##[error]x".to_owned(),
            help: None,
        });
        let text = rendered(&report);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines[..4],
            [
                "patchctl verify: failed: not run: run (no ::error::clang ## [error]x)",
                "1 error, 1 warning",
                "::error file=a%2Cb/overlays/b.yaml,line=7,col=3,title=premise-failed::budget/read: it: moved, 5%25%0A\
                 write:%0A  a: 100%25",
                "::warning title=pin-follower-differs::mlx/device.cpp:7: behind",
            ]
        );
        assert_eq!(
            obeyed(&text),
            [
                lines[2],
                lines[3],
                "::group::the whole report",
                "::endgroup::"
            ]
        );
        assert!(text.contains("error[premise-failed]: budget/read: it: moved, 5%\n"));
    }

    #[test]
    fn code_like_a_command_is_not_obeyed() {
        let hostile =
            "::set-output name=a::b\n  ::add-mask::x\n##[add-mask]y\n::endgroup::\u{1b}[2J";
        let report = Report {
            ok: false,
            findings: vec![
                finding(Code::BuildFailed, Some(hostile), hostile)
                    .hunk(hostile)
                    .help(hostile)
                    .excerpt(hostile),
            ],
            next: vec![hostile.to_owned()],
            ..Report::new("bump")
        };
        let text = rendered(&report);
        let obeyed = obeyed(&text);
        assert_eq!(obeyed.len(), 3, "{obeyed:#?}");
        assert!(obeyed[0].starts_with("::error title=build-failed::"));
    }

    #[test]
    fn limits_of_github_are_kept() {
        let many = (0..12).map(|n| finding(Code::Io, None, &format!("{n} {}", "é".repeat(5000))));
        let report = Report {
            ok: false,
            findings: many.collect(),
            ..Report::new("verify")
        };
        let text = rendered(&report);
        let annotations: Vec<&str> = text
            .lines()
            .filter(|it| it.starts_with("::error"))
            .collect();
        assert_eq!(annotations.len(), 10);
        assert_eq!(
            text.lines().nth(1),
            Some("12 errors (the first 10 are annotations)")
        );
        let (_, message) = annotations[0].rsplit_once("::").unwrap();
        assert_eq!(message.chars().count(), 4096);
        assert!(
            text.contains("error[io]: 11 "),
            "all are in the folded report"
        );
    }

    #[test]
    fn not_run_is_a_notice_unless_it_failed() {
        let result = |release: &str| ReleaseResult {
            status: Status::NotRun,
            landed: vec![],
            findings: vec![finding(Code::NoRealBackend, None, "no real backend here")],
            ..ReleaseResult::new(release, "1f8e74e3", "run")
        };
        let mut report = Report {
            results: vec![result("0.32.0"), result("0.32.2")],
            ..Report::new("test")
        };
        let said = "title=not run%3A no-real-backend::no real backend here%0Ain: 0.32.0, 0.32.2\n";
        assert!(rendered(&report).contains(&format!("::notice {said}")));
        report.ok = false;
        assert!(rendered(&report).contains(&format!("::error {said}")));
    }
}
