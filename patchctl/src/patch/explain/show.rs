//! Code and conditions as a reader sees them.

use std::ops::Range;

use camino::Utf8Path;

use crate::cpp::Parsed;
use crate::patch::check::lossy;
use crate::patch::condition::Unmet;
use crate::patch::likeness::overlap;
use crate::patch::locate::Candidate;

pub(super) fn said(unmet: &Unmet) -> String {
    format!("{}, and {}", unmet.expected, unmet.instead)
}

pub(super) fn under(candidate: &Candidate) -> String {
    match candidate.preprocessor.as_slice() {
        [] => candidate.what.clone(),
        stack => format!("{} under {}", candidate.what, conditions(stack)),
    }
}

/// A line a candidate: file, line, what it is.
pub(super) fn listed(file: &Utf8Path, candidates: &[Candidate]) -> String {
    let line = |it: &Candidate| format!("  {file}:{}  {}\n", it.line, under(it));
    candidates.iter().map(line).collect()
}

pub(super) fn conditions(stack: &[String]) -> String {
    match stack {
        [] => "no `#if` around it".to_owned(),
        _ => format!("`{}`", stack.join("`, `")),
    }
}

pub(super) fn likest_tokens(
    parsed: &Parsed,
    scope: &Range<usize>,
    wanted: &str,
    nested: bool,
) -> Option<String> {
    let wanted = crate::cpp::pattern(wanted).ok()?;
    let wanted: Vec<&[u8]> = wanted.iter().map(String::as_bytes).collect();
    let function = parsed
        .constructs()
        .iter()
        .find(|c| c.range == *scope && c.body.is_some())?;
    let statements = parsed.statements(function, nested);
    let best = statements
        .iter()
        .filter(|statement| statement.kind != Some(crate::overlay::StatementKind::Block))
        .map(|statement| parsed.tokens_in(&statement.range))
        .map(|tokens| (overlap(&wanted, &tokens), tokens))
        .max_by(|a, b| a.0.total_cmp(&b.0))?;
    let texts: Vec<String> = best
        .1
        .iter()
        .map(|t| String::from_utf8_lossy(t).into_owned())
        .collect();
    (best.0 > 0.2).then(|| texts.join(" "))
}

pub(super) fn lines_from(parsed: &Parsed, first: usize, count: usize) -> String {
    let end = (first + count).min(parsed.lines().count() + 1);
    let lines: Vec<String> = (first..end)
        .map(|n| lossy(parsed.text(), parsed.lines().range(n)))
        .collect();
    lines.join("\n")
}

pub(super) fn numbered(parsed: &Parsed, offset: usize, count: usize) -> String {
    let middle = parsed.lines().number(offset);
    let first = middle.saturating_sub(count / 2).max(1);
    let end = (first + count).min(parsed.lines().count() + 1);
    let line = |n: usize| format!("{n:>6} | {}", lossy(parsed.text(), parsed.lines().range(n)));
    (first..end).map(line).collect::<Vec<_>>().join("\n")
}
