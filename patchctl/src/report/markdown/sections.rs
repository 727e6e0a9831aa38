//! The sections, in the order in which they are worth keeping: the head and what to do come before lists.

use std::fmt::Write;

use super::Section;
use super::text::{block, code, prose};
use crate::report::grouped::{Grouped, grouped, word};
use crate::report::measured::grid;
use crate::report::style::{severity_word, status_word};
use crate::report::summary::{summary_line, verdict};
use crate::report::{Bump, Report, UpstreamDid};

/// Upstream commits that are listed; their count is always said.
const COMMITS: usize = 100;

/// A section's name, and what makes its text; none where there is nothing to say.
type Part = (&'static str, fn(&Report) -> String);

pub(super) fn all(report: &Report) -> Vec<Section> {
    let mut sections = vec![head(report)];
    if let Some(bump) = &report.bump {
        sections.push(revisions(bump));
    }
    let parts: [Part; 9] = [
        ("Codes", codes),
        ("Results", results),
        ("Checks", checks),
        ("Proven", proven),
        ("Not run", not_run),
        ("What to do", next),
        ("Files", files),
        ("Upstream commits that change these files", upstream),
        ("What was done", done),
    ];
    for (name, part) in parts {
        let text = part(report);
        if !text.is_empty() {
            sections.push(Section {
                name: name.to_owned(),
                text: format!("### {name}\n\n{text}"),
            });
        }
    }
    for (index, one) in grouped(report).iter().enumerate() {
        let text = finding(one);
        let head = if index == 0 { "### Findings\n\n" } else { "" };
        sections.push(Section {
            name: format!("a finding `{}`", one.finding.code),
            text: format!("{head}{text}"),
        });
    }
    sections
}

fn head(report: &Report) -> Section {
    let subject = match &report.bump {
        Some(bump) => format!(": {}", moved(bump)),
        None => String::new(),
    };
    let mut text = format!("## patchctl {}{subject}\n\n", report.command);
    let _ = write!(text, "**{}**", status_word(verdict(report)));
    if let Some(line) = summary_line(report) {
        let line = anstream::adapter::strip_str(&line).to_string();
        let _ = write!(text, ": {}", prose(&line));
    }
    text.push('\n');
    if report.dry_run {
        text.push_str("\nNothing was written: that was asked for.\n");
    }
    Section {
        name: "The head".to_owned(),
        text,
    }
}

fn moved(bump: &Bump) -> String {
    match &bump.from {
        Some(from) => format!("{} → {}", prose(&from.release), prose(&bump.to.release)),
        None => prose(&bump.to.release),
    }
}

fn revisions(bump: &Bump) -> Section {
    let mut text = "| | release | commit |\n| --- | --- | --- |\n".to_owned();
    let rows = [("old", bump.from.as_ref()), ("new", Some(&bump.to))];
    for (word, revision) in rows {
        let Some(revision) = revision else { continue };
        let _ = writeln!(
            text,
            "| {word} | {} | {} |",
            prose(&revision.release),
            code(&revision.revision)
        );
    }
    if let Some(range) = bump.range {
        let _ = writeln!(
            text,
            "\nBetween them: {} and {}.",
            counted(range.commits, "commit"),
            counted(range.files, "changed file")
        );
    }
    if let Some(why) = &bump.range_unknown {
        let _ = writeln!(
            text,
            "\nWhat lies between them is not known: {}.",
            prose(why)
        );
    }
    Section {
        name: "Revisions".to_owned(),
        text,
    }
}

fn counted(count: usize, noun: &str) -> String {
    match count {
        1 => format!("1 {noun}"),
        _ => format!("{count} {noun}s"),
    }
}

fn results(report: &Report) -> String {
    if report.results.is_empty() {
        return String::new();
    }
    let mut text = "| result | release | commit | level |\n| --- | --- | --- | --- |\n".to_owned();
    for result in &report.results {
        let commit: String = result.revision.chars().take(12).collect();
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} |",
            status_word(result.status),
            prose(&result.release),
            code(&commit),
            prose(&result.level)
        );
    }
    // Only the one revision that a pull request is about gets a list of landings.
    if let [result] = report.results.as_slice()
        && (!result.landed.is_empty() || !result.shown.is_empty())
    {
        text.push('\n');
        for place in &result.landed {
            let _ = writeln!(text, "- {}", code(place));
        }
        for shown in &result.shown {
            let _ = writeln!(text, "- {}", prose(shown));
        }
    }
    for result in &report.results {
        for (index, row) in grid(&result.measured).iter().enumerate() {
            let cells: Vec<String> = row.iter().map(|cell| prose(cell)).collect();
            if index == 0 {
                let _ = writeln!(
                    text,
                    "\n| {}{} |",
                    prose(&result.release),
                    cells.join(" | ")
                );
                let _ = writeln!(text, "|{}", " --- |".repeat(cells.len()));
            } else {
                let _ = writeln!(text, "| {} |", cells.join(" | "));
            }
        }
    }
    text
}

fn checks(report: &Report) -> String {
    let mut text = String::new();
    for check in &report.checks {
        if text.is_empty() {
            text.push_str("| result | check | |\n| --- | --- | --- |\n");
        }
        let _ = writeln!(
            text,
            "| {} | {} | {} |",
            status_word(check.status),
            prose(&check.name),
            prose(&check.what)
        );
    }
    text
}

fn proven(report: &Report) -> String {
    let mut text = String::new();
    for proof in &report.proven {
        if text.is_empty() {
            text.push_str("| release | level | host | by |\n| --- | --- | --- | --- |\n");
        }
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} |",
            prose(&proof.release),
            prose(&proof.level),
            prose(&proof.host),
            prose(&proof.by)
        );
    }
    text
}

fn not_run(report: &Report) -> String {
    let mut text = String::new();
    for it in &report.not_run {
        if text.is_empty() {
            text.push_str("| what | on | why | how to get it |\n| --- | --- | --- | --- |\n");
        }
        let help = it.help.as_deref().unwrap_or_default();
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} |",
            prose(&it.what),
            prose(&it.on.join(", ")),
            prose(&it.why),
            prose(help)
        );
    }
    text
}

fn next(report: &Report) -> String {
    let lines = report.next.iter();
    lines.map(|line| format!("- {}\n", prose(line))).collect()
}

fn files(report: &Report) -> String {
    let Some(bump) = &report.bump else {
        return String::new();
    };
    let mut text =
        "| file | upstream | edits | upstream commits |\n| --- | --- | --- | --- |\n".to_owned();
    for file in &bump.files {
        let did = match file.upstream {
            UpstreamDid::Nothing => "unchanged",
            UpstreamDid::Changed => "changed",
            UpstreamDid::Removed => "**removed**",
            UpstreamDid::New => "new here",
            UpstreamDid::NotKnown => "not known",
        };
        let touching = bump.upstream_commits.iter();
        let touching = touching.filter(|commit| commit.files.contains(&file.path));
        let commits = match bump.range {
            Some(_) => touching.count().to_string(),
            None => "not known".to_owned(),
        };
        let _ = writeln!(
            text,
            "| {} | {did} | {} | {commits} |",
            code(&file.path),
            file.edits
        );
    }
    text
}

fn upstream(report: &Report) -> String {
    let commits = match &report.bump {
        Some(bump) if !bump.upstream_commits.is_empty() => &bump.upstream_commits,
        _ => return String::new(),
    };
    let mut text = "| commit | | subject | files |\n| --- | --- | --- | --- |\n".to_owned();
    for commit in commits.iter().take(COMMITS) {
        let short: String = commit.revision.chars().take(12).collect();
        let files: Vec<String> = commit.files.iter().map(|file| code(file)).collect();
        // A subject is code to GitHub, so that `(#123)` in it links to no issue of this repository.
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} |",
            code(&short),
            prose(&commit.described),
            code(&commit.subject),
            files.join(", ")
        );
    }
    if commits.len() > COMMITS {
        let _ = writeln!(text, "\n{} in all.", counted(commits.len(), "commit"));
    }
    text
}

fn done(report: &Report) -> String {
    let steps = report.steps.iter();
    let mut text: String = steps
        .map(|step| format!("- {}: {}\n", prose(&step.name), prose(&step.what)))
        .collect();
    let word = match report.dry_run {
        true => "would be written",
        false => "written",
    };
    for path in &report.changed {
        let _ = writeln!(text, "- {word}: {}", code(path));
    }
    text
}

fn codes(report: &Report) -> String {
    let pages = report.codes.iter();
    pages
        .map(|page| page.section_text())
        .collect::<Vec<_>>()
        .join("\n")
}

fn finding(one: &Grouped<'_>) -> String {
    let finding = one.finding;
    let word = word(one).unwrap_or(severity_word(finding.severity).0);
    let mut text = format!("**{word}** {}", code(finding.code.as_str()));
    if let Some(hunk) = &finding.hunk {
        let _ = write!(text, " in {}", code(hunk));
    }
    if let Some(file) = &finding.file {
        let line = finding.line.map(|line| format!(":{line}"));
        let _ = write!(
            text,
            ", {}",
            code(&(file.clone() + &line.unwrap_or_default()))
        );
    }
    let _ = writeln!(text, "\n\n{}", prose(&finding.message));
    if one.releases.len() > 1 {
        let _ = writeln!(text, "\nIn {}.", prose(&one.releases.join(", ")));
    }
    if let Some(excerpt) = &finding.excerpt {
        let _ = write!(text, "\n{}", block(excerpt, "cpp"));
    }
    if let Some(help) = &finding.help {
        match help.trim_end().contains('\n') {
            true => {
                let _ = write!(text, "\n{}", block(help, "yaml"));
            }
            false => {
                let _ = writeln!(text, "\nWhat to do: {}", prose(help));
            }
        }
    }
    text
}
