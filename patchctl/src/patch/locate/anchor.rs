//! The one construct that an anchor names, and the place that follows from it.

use std::ops::Range;

use crate::cpp::{self, Construct, ConstructKind, Parsed, name_matches, without_arguments};
use crate::overlay::{Anchor, EditText, Position, Scope};

use super::found::Found;
use super::lines::{insertion_point, whole_lines};
use super::place::{At, Candidate, Miss, Place};
use super::statement::one_statement;

/// Locates `anchor` in `parsed` for the given text.
///
/// # Errors
/// [`Miss`] when there is not exactly one trusted place of whole lines under the expected conditions.
pub fn locate(parsed: &Parsed, anchor: &Anchor, text: &EditText) -> Result<Place, Miss> {
    let construct = construct(parsed, anchor)?;
    let found = match (&anchor.statement, &anchor.expression) {
        (None, None) => Found::whole(parsed, construct, anchor.position),
        (statement, expression) => {
            let statement =
                one_statement(parsed, construct, statement.as_ref(), expression.as_deref())?;
            Found::statement(parsed, construct, &statement)?
        }
    };
    if found.preprocessor != anchor.preprocessor {
        let candidates = vec![candidate(parsed, &found.range, found.what.clone())];
        return Err(Miss::Preprocessor {
            candidates,
            expected: anchor.preprocessor.clone(),
        });
    }
    let at = match text {
        EditText::Insert(_) => At::Insert(insertion_point(parsed, &found, anchor.position)?),
        EditText::Replace(_) => At::Replace(whole_lines(parsed, &found)?),
    };
    Ok(Place {
        at,
        line: parsed.lines().number(found.range.start),
        scope: found.scope,
        preprocessor: found.preprocessor,
        shape: found.shape,
    })
}

/// Every construct that a scope can mean; for a namespace all its blocks.
pub(in crate::patch) fn constructs<'p>(parsed: &'p Parsed, scope: &Scope) -> Vec<&'p Construct> {
    let named = |kind, wanted: String| -> Vec<&'p Construct> {
        let mut found: Vec<&Construct> = parsed
            .of_kind(kind)
            .filter(|construct| name_matches(&construct.name, &wanted))
            .collect();
        // `Pool::take` is `Pool<T>::take`, where nothing is called `Pool::take`.
        if found.is_empty() && !wanted.contains('<') {
            found = parsed
                .of_kind(kind)
                .filter(|construct| name_matches(&without_arguments(&construct.name), &wanted))
                .collect();
        }
        found
    };
    match scope {
        Scope::File => Vec::new(),
        Scope::Include(name) => parsed
            .of_kind(ConstructKind::Include)
            .filter(|include| include.name == *name)
            .collect(),
        Scope::Namespace(name) => {
            let blocks = parsed.of_kind(ConstructKind::Namespace);
            blocks
                .filter(|block| block.name == name.trim_start_matches("::"))
                .collect()
        }
        Scope::Class { name, member: None } => named(ConstructKind::Class, name.clone()),
        Scope::Class {
            name,
            member: Some(member),
        } => named(ConstructKind::Member, format!("{name}::{member}")),
        Scope::Function { name, signature } => {
            let wanted = signature.as_deref().map(cpp::pattern).and_then(Result::ok);
            let mut found = named(ConstructKind::Function, name.clone());
            found.retain(|f| {
                wanted
                    .as_ref()
                    .is_none_or(|wanted| f.signature.starts_with(wanted))
            });
            found
        }
    }
}

/// A scope as the overlay's author writes it.
pub(in crate::patch) fn describe(scope: &Scope) -> String {
    match scope {
        Scope::File => "the file".to_owned(),
        Scope::Include(name) => format!("`#include {name}`"),
        Scope::Function {
            name,
            signature: None,
        } => format!("function `{name}`"),
        Scope::Function {
            name,
            signature: Some(signature),
        } => {
            format!("function `{name}{signature}`")
        }
        Scope::Class { name, member: None } => format!("class `{name}`"),
        Scope::Class {
            name,
            member: Some(member),
        } => format!("member `{member}` of class `{name}`"),
        Scope::Namespace(name) => format!("namespace `{name}`"),
    }
}

pub(super) fn candidate(parsed: &Parsed, range: &Range<usize>, what: String) -> Candidate {
    Candidate {
        what,
        range: range.clone(),
        line: parsed.lines().number(range.start),
        preprocessor: parsed.preprocessor_at(range.start),
    }
}

pub(in crate::patch) fn of_construct(parsed: &Parsed, construct: &Construct) -> Candidate {
    let what = format!("{} `{}`", construct.kind.word(), construct.display());
    candidate(parsed, &construct.range, what)
}

/// What the scope names and the parser has not read, where the text holds such a thing.
pub(in crate::patch) fn unread(parsed: &Parsed, scope: &Scope) -> Option<Miss> {
    let found = match scope {
        Scope::Function { name, .. } => parsed.unread_functions(name),
        Scope::Class { name, .. } => parsed.unread_classes(name),
        Scope::File | Scope::Include(_) | Scope::Namespace(_) => Vec::new(),
    };
    let unread = found.into_iter().next()?;
    Some(Miss::Untrusted {
        candidate: candidate(parsed, &unread.range, describe(scope)),
        why: unread.why,
    })
}

/// The one construct that the anchor's scope names.
pub(super) fn construct<'p>(parsed: &'p Parsed, anchor: &Anchor) -> Result<&'p Construct, Miss> {
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
        found
            .iter()
            .map(|c| of_construct(parsed, c))
            .collect::<Vec<_>>()
    };
    let expected = &anchor.preprocessor;
    let fits =
        |construct: &&&Construct| match anchor.statement.is_some() || anchor.expression.is_some() {
            true => expected.starts_with(&construct.preprocessor),
            false => *expected == construct.preprocessor,
        };
    // Conditions that are named select among several; without any, a second definition is an error.
    let chosen: Vec<&Construct> = match (found.len(), expected.is_empty()) {
        (0 | 1, _) | (_, true) => found.clone(),
        (_, false) => found.iter().filter(fits).copied().collect(),
    };
    match chosen.as_slice() {
        [] if found.is_empty() => Err(unread(parsed, &anchor.scope).unwrap_or(Miss::NotFound {
            wanted: wanted(),
            inside: None,
        })),
        [] => Err(Miss::Preprocessor {
            candidates: candidates(),
            expected: expected.clone(),
        }),
        [one] => match &one.distrust {
            Some(why) => Err(Miss::Untrusted {
                candidate: of_construct(parsed, one),
                why: why.clone(),
            }),
            // A second one that the parser cannot read makes the first no less one of two.
            None => unread(parsed, &anchor.scope).map_or(Ok(*one), Err),
        },
        _ => Err(Miss::Ambiguous {
            wanted: wanted(),
            candidates: candidates(),
        }),
    }
}
