//! The sections, in the order in which they are worth keeping: the head and what to do come before lists.

use std::fmt::Write;

use super::Section;
use super::text::{block, code, prose};
use crate::report::grouped::{Grouped, grouped, word};
use crate::report::measured::grid;
use crate::report::style::{severity_word, short, status_word};
use crate::report::summary::{summary_line, verdict};
use crate::report::{Bump, Report, UpstreamDid, counted};

/// Upstream commits that are listed; their count is always said.
const COMMITS: usize = 100;

/// A section's name, and what makes its text; none where there is nothing to say.
type Part = (&'static str, fn(&Report) -> String);

/// A table with the given head; nothing without rows.
fn table<R: AsRef<[String]>>(head: &str, rows: impl IntoIterator<Item = R>) -> String {
    let line = |row: R| format!("| {} |\n", row.as_ref().join(" | "));
    let rows: String = rows.into_iter().map(line).collect();
    if rows.is_empty() {
        return rows;
    }
    let columns = head.matches('|').count() - 1;
    format!("{head}\n|{}\n{rows}", " --- |".repeat(columns))
}

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
            sections.push(Section::new(name, format!("### {name}\n\n{text}")));
        }
    }
    for (index, one) in grouped(report).iter().enumerate() {
        let text = finding(one);
        let head = if index == 0 { "### Findings\n\n" } else { "" };
        let name = format!("a finding `{}`", one.finding.code);
        sections.push(Section::new(name, format!("{head}{text}")));
    }
    sections
}

fn head(report: &Report) -> Section {
    let subject = match &report.bump {
        Some(bump) => format!(": {}", moved(bump)),
        None => String::new(),
    };
    let mut text = format!("## patchctl {}{subject}\n\n", report.command);
    let _ = write!(text, "**{}**", status_word(verdict(report)).0);
    if let Some(line) = summary_line(report) {
        let line = anstream::adapter::strip_str(&line).to_string();
        let _ = write!(text, ": {}", prose(&line));
    }
    text.push('\n');
    if report.dry_run {
        text.push_str("\nNothing was written: that was asked for.\n");
    }
    Section::new("The head", text)
}

fn moved(bump: &Bump) -> String {
    match &bump.from {
        Some(from) => format!("{} → {}", prose(&from.release), prose(&bump.to.release)),
        None => prose(&bump.to.release),
    }
}

fn revisions(bump: &Bump) -> Section {
    let rows = [("old", bump.from.as_ref()), ("new", Some(&bump.to))];
    let rows = rows.into_iter().filter_map(|(word, named)| {
        let named = named?;
        Some([
            word.to_owned(),
            prose(&named.release),
            code(&named.revision),
        ])
    });
    let mut text = table("| | release | commit |", rows);
    if let Some(range) = bump.range {
        let _ = writeln!(
            text,
            "\nBetween them: {} and {}.",
            counted(range.commits, "commit"),
            counted(range.files, "changed file")
        );
    }
    if let Some(why) = &bump.range_unknown {
        let why = prose(why);
        let _ = writeln!(text, "\nWhat lies between them is not known: {why}.");
    }
    Section::new("Revisions", text)
}

fn results(report: &Report) -> String {
    let rows = report.results.iter().map(|result| {
        [
            status_word(result.status).0.to_owned(),
            prose(&result.release),
            code(short(&result.revision)),
            prose(&result.level),
        ]
    });
    let mut text = table("| result | release | commit | level |", rows);
    // Only the one revision that a pull request is about gets a list of landings.
    if let [result] = report.results.as_slice() {
        let landed = result.landed.iter().map(|place| code(place));
        let lines = landed.chain(result.shown.iter().map(|shown| prose(shown)));
        let lines: String = lines.map(|line| format!("- {line}\n")).collect();
        if !lines.is_empty() {
            text = text + "\n" + &lines;
        }
    }
    for result in &report.results {
        let escaped = |row: Vec<String>| row.iter().map(|cell| prose(cell)).collect::<Vec<_>>();
        let mut rows = grid(&result.measured).into_iter().map(escaped);
        if let Some(head) = rows.next() {
            let head = format!("| {}{} |", prose(&result.release), head.join(" | "));
            text = text + "\n" + &table(&head, rows);
        }
    }
    text
}

fn checks(report: &Report) -> String {
    let rows = report.checks.iter().map(|check| {
        [
            status_word(check.status).0.to_owned(),
            prose(&check.name),
            prose(&check.what),
        ]
    });
    table("| result | check | |", rows)
}

fn proven(report: &Report) -> String {
    let rows = report.proven.iter();
    let rows = rows.map(|it| {
        let cells = [&it.release, &it.level_text(), &it.host, &it.by];
        cells.map(|cell| prose(cell))
    });
    table("| release | level | host | by |", rows)
}

fn not_run(report: &Report) -> String {
    let rows = report.not_run.iter().map(|it| {
        let help = it.help.as_deref().unwrap_or_default();
        [&it.what, &*it.on.join(", "), &it.why, help].map(prose)
    });
    table("| what | on | why | how to get it |", rows)
}

fn next(report: &Report) -> String {
    let lines = report.next.iter();
    lines.map(|line| format!("- {}\n", prose(line))).collect()
}

fn files(report: &Report) -> String {
    let Some(bump) = &report.bump else {
        return String::new();
    };
    let rows = bump.files.iter().map(|file| {
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
        let edits = file.edits.to_string();
        [code(&file.path), did.to_owned(), edits, commits]
    });
    table("| file | upstream | edits | upstream commits |", rows)
}

fn upstream(report: &Report) -> String {
    let Some(Bump {
        upstream_commits: commits,
        ..
    }) = &report.bump
    else {
        return String::new();
    };
    let rows = commits.iter().take(COMMITS).map(|commit| {
        let files: Vec<String> = commit.files.iter().map(|file| code(file)).collect();
        // A subject is code to GitHub, so that `(#123)` in it links to no issue of this repository.
        [
            code(short(&commit.revision)),
            prose(&commit.described),
            code(&commit.subject),
            files.join(", "),
        ]
    });
    let mut text = table("| commit | | subject | files |", rows);
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
    let pages = report.codes.iter().map(|page| page.section_text());
    pages.collect::<Vec<_>>().join("\n")
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
