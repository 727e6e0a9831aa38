//! Code and conditions as a reader sees them.

use std::ops::Range;

use camino::Utf8Path;

use crate::cpp::{Parsed, Statement, StatementKind};
use crate::overlay::{Anchor, Position};
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

/// The statements of the function at `scope`, without blocks.
pub(super) fn statements(parsed: &Parsed, scope: &Range<usize>, nested: bool) -> Vec<Statement> {
    let mut functions = parsed.constructs().iter();
    let function = functions.find(|c| c.range == *scope && c.body.is_some());
    let mut found = function
        .map(|function| parsed.statements(function, nested))
        .unwrap_or_default();
    found.retain(|statement| statement.kind != Some(StatementKind::Block));
    found
}

/// The statements that an edit at `at` can go beside: of the kind that it names, where there are such, and
/// none behind which nothing runs.
pub(super) fn possible(parsed: &Parsed, scope: &Range<usize>, at: &Anchor) -> Vec<Statement> {
    let pattern = at.statement.as_ref();
    let mut found = statements(parsed, scope, pattern.is_some_and(|it| it.nested));
    found.retain(|it| at.position != Position::After || it.kind != Some(StatementKind::Return));
    let kind = pattern.and_then(|it| it.kind);
    if found.iter().any(|it| it.kind == kind) {
        found.retain(|it| it.kind == kind);
    }
    found
}

/// The tokens of the statement that is likest to `wanted`; of several the last. `None` where none is.
pub(super) fn likest_tokens(
    parsed: &Parsed,
    statements: &[Statement],
    wanted: &str,
) -> Option<String> {
    let wanted = crate::cpp::pattern(wanted).ok()?;
    let wanted: Vec<&[u8]> = wanted.iter().map(String::as_bytes).collect();
    let best = statements
        .iter()
        .map(|statement| parsed.tokens_in(&statement.range))
        .map(|tokens| (overlap(&wanted, &tokens), tokens))
        .max_by(|a, b| a.0.total_cmp(&b.0))?;
    let texts: Vec<String> = best
        .1
        .iter()
        .map(|t| String::from_utf8_lossy(t).into_owned())
        .collect();
    (best.0 > 0.1).then(|| texts.join(" "))
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
