//! The one statement of a function that an anchor names.

use std::ops::Range;

use camino::Utf8Path;

use crate::cpp::{self, Construct, Parsed, Statement};
use crate::overlay::{Anchor, StatementPattern};
use crate::report::Code;

use super::miss::{Candidate, Miss, SHOWN};

/// The bytes of the one statement of `function` that the anchor names; `None` where it names none.
pub(super) fn one_statement(
    parsed: &Parsed,
    file: &Utf8Path,
    function: &Construct,
    anchor: &Anchor,
) -> Result<Option<Range<usize>>, Miss> {
    let (found, wanted) = match (&anchor.statement, &anchor.expression) {
        (None, None) => return Ok(None),
        (Some(wanted), _) => (
            by_pattern(parsed, function, wanted),
            format!("a {}", describe(wanted)),
        ),
        (None, Some(expression)) => (
            by_expression(parsed, function, expression),
            format!("an expression `{expression}`"),
        ),
    };
    match found.as_slice() {
        [one] => match obstacle(parsed, one) {
            Some(miss) => Err(miss),
            None => Ok(Some(one.range.clone())),
        },
        [] => {
            let function = Candidate::construct(function);
            let wanted = wanted.trim_start_matches("a ").trim_start_matches("an ");
            let message = format!("{} has no {wanted}", function.what);
            Err(Miss::one(Code::AnchorNotFound, message, function))
        }
        _ => Err(Miss {
            code: Code::AnchorAmbiguous,
            message: format!("{wanted} is in {file} {} times", found.len()),
            candidates: shown(parsed, &found),
        }),
    }
}

/// The reason why no line can be put beside a statement.
fn obstacle(parsed: &Parsed, statement: &Statement) -> Option<Miss> {
    let candidate = Candidate::statement(parsed, &statement.range);
    if statement.unreadable {
        let why = "the parser cannot read all of this statement";
        return Some(Miss::untrusted(candidate, why));
    }
    let before = parsed.tokens_within(&(0..statement.range.start)).last();
    match before.map(|token| &parsed.text()[token.range.clone()]) {
        Some(b")" | b"else" | b"do") => Some(Miss::not_on_own_line(
            candidate,
            "it is the body of an `if`, `else` or loop without braces, so a line beside it would change what is \
             conditional",
        )),
        Some(b"{" | b"}" | b";" | b":" | [b'#', ..]) => None,
        _ => {
            let why = "the tokens before it do not end a statement";
            Some(Miss::untrusted(candidate, why))
        }
    }
}

/// A statement, for a reader.
fn describe(wanted: &StatementPattern) -> String {
    let kind = wanted.kind.map(|kind| format!("{} ", kind.word()));
    let tokens = wanted.tokens.as_ref();
    let tokens = tokens.map(|tokens| format!(" beginning with `{tokens}`"));
    format!(
        "{}statement{}",
        kind.unwrap_or_default(),
        tokens.unwrap_or_default()
    )
}

fn by_pattern(parsed: &Parsed, function: &Construct, wanted: &StatementPattern) -> Vec<Statement> {
    // The loader has refused tokens that do not lex.
    let tokens = wanted
        .tokens
        .as_deref()
        .and_then(|it| cpp::pattern(it).ok());
    let tokens = tokens.unwrap_or_default();
    let mut found = parsed.statements(function, wanted.nested);
    found.retain(|statement| {
        let texts = parsed.tokens_in(&statement.range);
        wanted.kind.is_none_or(|kind| statement.kind == Some(kind))
            && texts.len() >= tokens.len()
            && texts.iter().zip(&tokens).all(|(a, b)| *a == b.as_bytes())
    });
    found
}

/// Statements in nested blocks that a pattern which does not ask for them would name.
pub(in crate::patch) fn nested_hits(
    parsed: &Parsed,
    function: &Construct,
    wanted: &StatementPattern,
) -> Vec<Candidate> {
    let nested = StatementPattern {
        nested: true,
        ..wanted.clone()
    };
    shown(parsed, &by_pattern(parsed, function, &nested))
}

fn shown(parsed: &Parsed, found: &[Statement]) -> Vec<Candidate> {
    let first = found.iter().take(SHOWN);
    first
        .map(|it| Candidate::statement(parsed, &it.range))
        .collect()
}

/// The innermost statements around each occurrence of an expression.
fn by_expression(parsed: &Parsed, function: &Construct, expression: &str) -> Vec<Statement> {
    let tokens = cpp::pattern(expression).unwrap_or_default();
    let body = function.body.clone().unwrap_or(function.range.clone());
    let statements = parsed.statements(function, true);
    // The statements come outer ones first: the last one that holds the hit is the innermost.
    let around = |hit: &Range<usize>| {
        let before = statements.partition_point(|it| it.range.start <= hit.start);
        let mut inner = statements[..before].iter().rev();
        inner.find(|it| hit.end <= it.range.end).cloned()
    };
    let hits = parsed.find_tokens(&body, &tokens);
    hits.iter().filter_map(around).collect()
}
