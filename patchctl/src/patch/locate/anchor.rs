//! The one construct that an anchor names, and the place that follows from it.

use crate::cpp::{Construct, Parsed};
use crate::overlay::{Anchor, EditText, Position, Scope};

use super::lines::{insertion_point, whole_lines};
use super::location::{At, Location};
use super::miss::{Candidate, Miss, SHOWN};
use super::scope::{constructs, describe, untrusted};
use super::statement::one_statement;
use super::target::Target;

/// Locates `anchor` in `parsed` for the given text.
///
/// # Errors
/// [`Miss`] when there is not exactly one trusted place of whole lines under the expected conditions.
pub fn locate(parsed: &Parsed, anchor: &Anchor, text: &EditText) -> Result<Location, Miss> {
    let construct = construct(parsed, anchor)?;
    let target = match (&anchor.statement, &anchor.expression) {
        (None, None) => Target::whole(parsed, construct, anchor.position),
        (statement, expression) => {
            let statement =
                one_statement(parsed, construct, statement.as_ref(), expression.as_deref())?;
            Target::statement(parsed, construct, &statement)?
        }
    };
    if target.preprocessor != anchor.preprocessor {
        let candidates = vec![Candidate::new(parsed, &target.range, target.what.clone())];
        return Err(Miss::Preprocessor {
            candidates,
            expected: anchor.preprocessor.clone(),
        });
    }
    let at = match text {
        EditText::Insert(_) => At::Insert(insertion_point(parsed, &target, anchor.position)?),
        EditText::Replace(_) => At::Replace(whole_lines(parsed, &target)?),
    };
    Ok(Location {
        at,
        line: parsed.lines().number(target.range.start),
        scope: target.scope,
        preprocessor: target.preprocessor,
        shape: target.shape,
    })
}

/// The one construct that the anchor's scope names.
fn construct<'p>(parsed: &'p Parsed, anchor: &Anchor) -> Result<&'p Construct, Miss> {
    let mut found = constructs(parsed, &anchor.scope);
    if let (Scope::Namespace(_), false) = (&anchor.scope, found.is_empty()) {
        let block = match anchor.position {
            Position::Before | Position::Begin => found[0],
            Position::After | Position::End => found[found.len() - 1],
        };
        found = vec![block];
    }
    let wanted = || describe(&anchor.scope);
    let candidates = || {
        let shown = found.iter().take(SHOWN);
        shown.map(|it| Candidate::construct(parsed, it)).collect()
    };
    let expected = &anchor.preprocessor;
    let fits = |construct: &&&Construct| {
        let stack = parsed.preprocessor_at(construct.range.start);
        match anchor.statement.is_some() || anchor.expression.is_some() {
            true => expected.starts_with(&stack),
            false => *expected == stack,
        }
    };
    // Conditions that are named select among several; without any, a second definition is an error.
    let chosen: Vec<&Construct> = match (found.len(), expected.is_empty()) {
        (0 | 1, _) | (_, true) => found.clone(),
        (_, false) => found.iter().filter(fits).copied().collect(),
    };
    match chosen.as_slice() {
        [] if found.is_empty() => Err(untrusted(parsed, &anchor.scope).unwrap_or(Miss::NotFound {
            wanted: wanted(),
            inside: None,
        })),
        [] => Err(Miss::Preprocessor {
            candidates: candidates(),
            expected: expected.clone(),
        }),
        [one] => match &one.distrust {
            Some(why) => Err(Miss::Untrusted {
                candidate: Candidate::construct(parsed, one),
                why: why.to_string(),
            }),
            // A second one that the parser cannot read makes the first no less one of two.
            None if matches!(anchor.scope, Scope::Function { .. } | Scope::Class { .. }) => {
                untrusted(parsed, &anchor.scope).map_or(Ok(*one), Err)
            }
            None => Ok(*one),
        },
        _ => Err(Miss::Ambiguous {
            wanted: wanted(),
            count: found.len(),
            candidates: candidates(),
        }),
    }
}
