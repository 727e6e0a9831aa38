//! A line a release, with where its edits landed, and a line a check.

use std::fmt::Write;

use super::measured::table;
use super::style::{FAINT, STRONG, paint, short, status_word, visible};
use super::{ReleaseResult, Report};

/// The places of hunks stand below their release up to this many releases, and below a run of releases that
/// have them in common from there on.
const FEW: usize = 3;

/// A line a release.
pub(super) fn results(out: &mut String, report: &Report) {
    let widest = |of: fn(&ReleaseResult) -> usize| report.results.iter().map(of).max().unwrap_or(0);
    let status_width = widest(|result| status_word(result.status).0.len());
    let release_width = widest(|result| result.release.chars().count());
    let few = report.results.len() <= FEW;
    for (index, result) in report.results.iter().enumerate() {
        let (word, style) = status_word(result.status);
        let release = format!("{:release_width$}", visible(&result.release));
        let commit = short(&result.revision);
        let line = format!(
            "{}  {}  {}  {}",
            paint(style, format!("{word:status_width$}")),
            paint(STRONG, release),
            paint(FAINT, format!("{commit:12}")),
            result.level,
        );
        if few {
            let _ = writeln!(out, "{}", line.trim_end());
            indented(out, &result.landed);
            indented(out, &result.shown);
            indented(out, &table(&result.measured));
            continue;
        }
        let (places, numbers) = places_and_lines(result);
        let _ = writeln!(out, "{}", format!("{line}  {numbers}").trim_end());
        // Findings that a run of releases shares stand once, below it.
        let next = report.results.get(index + 1).map(places_and_lines);
        if next.is_none_or(|(next, _)| next != places) {
            indented(out, &places);
        }
        indented(out, &table(&result.measured));
    }
}

/// A line a check, under the releases and apart from them: it is about none.
pub(super) fn checks(out: &mut String, report: &Report) {
    if !report.results.is_empty() && !report.checks.is_empty() {
        out.push('\n');
    }
    for check in &report.checks {
        let (word, style) = status_word(check.status);
        let status = paint(style, word);
        let name = paint(STRONG, visible(&check.name));
        let _ = writeln!(out, "{status}  {name}  {}", visible(&check.what));
    }
}

fn indented(out: &mut String, lines: &[String]) {
    for line in lines {
        let _ = writeln!(out, "    {}", visible(line));
    }
}

/// The places of a result's landings without line numbers, and the numbers: `lines 3, 512`.
fn places_and_lines(result: &ReleaseResult) -> (Vec<String>, String) {
    const LINE: &str = ", line ";
    let mut numbers = Vec::new();
    let places = result.landed.iter().map(|text| {
        let Some((before, rest)) = text.rsplit_once(LINE) else {
            return text.clone();
        };
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        numbers.push(&rest[..digits]);
        format!("{before}{}", &rest[digits..])
    });
    let places = places.collect();
    let lines = match numbers.as_slice() {
        [] => String::new(),
        [one] => format!("line {one}"),
        some => format!("lines {}", some.join(", ")),
    };
    (places, lines)
}
