//! Code and conditions as a reader sees them.

use std::ops::Range;

use camino::Utf8Path;

use crate::cpp::{Parsed, Statement, StatementKind};
use crate::overlay::{Anchor, Position};
use crate::patch::check::lossy;
use crate::patch::likeness::overlap;
use crate::patch::locate::Candidate;
use crate::report::Finding;

/// Lines of code shown at the most.
const SHOWN: usize = 16;

/// Shows the code at `range` of a file under a finding.
pub(super) fn show(
    finding: Finding,
    file: &Utf8Path,
    parsed: &Parsed,
    range: &Range<usize>,
) -> Finding {
    let line = parsed.lines().number(range.start);
    let last = range.end.saturating_sub(1).max(range.start);
    let count = parsed.lines().number(last) - line + 1;
    finding
        .file(file)
        .line(line as u64)
        .excerpt_from(line as u64, lines_from(parsed, line, count.min(SHOWN)))
}

/// A line a candidate: file, line, kind and name, conditions.
pub(super) fn listed(file: &Utf8Path, parsed: &Parsed, candidates: &[Candidate]) -> String {
    let line = |it: &Candidate| {
        let line = parsed.lines().number(it.range.start);
        format!("  {file}:{line}  {}\n", it.under(parsed))
    };
    candidates.iter().map(line).collect()
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
    let (likeness, tokens) = statements
        .iter()
        .map(|statement| parsed.tokens_in(&statement.range))
        .map(|tokens| (overlap(&wanted, &tokens), tokens))
        .max_by(|a, b| a.0.total_cmp(&b.0))?;
    (likeness > 0.1).then(|| String::from_utf8_lossy(&tokens.join(&b' ')).into_owned())
}

/// `count` lines from the 1-based line `first` on.
pub(super) fn lines_from(parsed: &Parsed, first: usize, count: usize) -> String {
    let end = (first + count).min(parsed.lines().count() + 1);
    let line = |n: usize| lossy(parsed.text(), parsed.lines().range(n));
    (first..end).map(line).collect::<Vec<_>>().join("\n")
}

/// `count` lines around the byte at `offset`, with their numbers.
pub(super) fn numbered(parsed: &Parsed, offset: usize, count: usize) -> String {
    let middle = parsed.lines().number(offset);
    let first = middle.saturating_sub(count / 2).max(1);
    let lines = lines_from(parsed, first, count);
    let line = |(n, line): (usize, &str)| format!("{n:>6} | {line}");
    let lines = (first..).zip(lines.split('\n')).map(line);
    lines.collect::<Vec<_>>().join("\n")
}
