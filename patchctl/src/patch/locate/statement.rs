//! The one statement of a function that an anchor names.

use std::ops::Range;

use crate::cpp::{self, Construct, Parsed, Statement};
use crate::overlay::StatementPattern;

use super::miss::{Candidate, Miss, SHOWN};

/// The one statement of `function` that the patterns name.
pub(super) fn one_statement(
    parsed: &Parsed,
    function: &Construct,
    wanted: Option<&StatementPattern>,
    expression: Option<&str>,
) -> Result<Statement, Miss> {
    let (found, wanted) = match (wanted, expression) {
        (Some(wanted), _) => (
            by_pattern(parsed, function, wanted),
            describe_statement(wanted),
        ),
        (None, expression) => {
            let expression = expression.unwrap_or_default();
            (
                by_expression(parsed, function, expression),
                format!("an expression `{expression}`"),
            )
        }
    };
    match found.as_slice() {
        [one] => Ok(one.clone()),
        [] => Err(Miss::NotFound {
            wanted,
            inside: Some(Candidate::construct(parsed, function)),
        }),
        _ => Err(Miss::Ambiguous {
            wanted,
            count: found.len(),
            candidates: shown(parsed, &found),
        }),
    }
}

fn describe_statement(wanted: &StatementPattern) -> String {
    let kind = wanted
        .kind
        .map(|kind| format!("{kind:?} ").to_lowercase())
        .unwrap_or_default();
    let tokens = wanted
        .tokens
        .as_ref()
        .map(|t| format!(" beginning with `{t}`"))
        .unwrap_or_default();
    format!("a {kind}statement{tokens}")
}

fn by_pattern(parsed: &Parsed, function: &Construct, wanted: &StatementPattern) -> Vec<Statement> {
    // The loader has refused tokens that do not lex.
    let tokens = wanted
        .tokens
        .as_deref()
        .map(cpp::pattern)
        .and_then(Result::ok)
        .unwrap_or_default();
    let mut found = parsed.statements(function, wanted.nested);
    found.retain(|statement| {
        let kind = wanted.kind.is_none_or(|kind| statement.kind == Some(kind));
        let texts = parsed.tokens_in(&statement.range);
        let begins = texts.len() >= tokens.len()
            && texts
                .iter()
                .zip(&tokens)
                .all(|(text, wanted)| *text == wanted.as_bytes());
        kind && begins
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
    parsed
        .find_tokens(&body, &tokens)
        .iter()
        .filter_map(around)
        .collect()
}
