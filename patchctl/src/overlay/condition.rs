//! Conditions: `in` with `tokens` or `matches`, or `exists`.

use super::anchor::scope;
use super::error::OverlayProblem;
use super::model::{Holds, Scope};
use super::validate::{regex, token_pattern};
use super::yaml::RawCondition;
use crate::yaml::{Node, Problems};

/// Where a condition looks and what for, or `None` with the problems noted.
pub(super) fn condition(
    raw: &RawCondition,
    node: &Node,
    problems: &mut Problems<'_>,
) -> Option<(Scope, Holds)> {
    let named = [
        ("tokens", raw.tokens.is_some()),
        ("matches", raw.matches.is_some()),
        ("exists", raw.exists.is_some()),
    ];
    let found: Vec<&'static str> = named.iter().filter(|one| one.1).map(|one| one.0).collect();
    if let Some(text) = &raw.tokens {
        token_pattern(text, node.key("tokens"), problems);
    }
    if let Some(text) = &raw.matches {
        regex(text, node.key("matches"), problems);
    }
    if found.len() != 1 {
        let (what, keys) = ("a condition", "`tokens`, `matches` and `exists`");
        problems.push(node.mark, OverlayProblem::ExactlyOne { what, keys, found });
        return None;
    }
    if let Some(raw_scope) = &raw.exists {
        if raw.scope.is_some() {
            let (key, why) = ("in", "stands beside `exists`");
            let help = "`exists` names the construct itself; remove it";
            problems.push(
                node.key_mark(key),
                OverlayProblem::Misplaced { key, why, help },
            );
        }
        let scope = scope(raw_scope, node.key("exists"), "a construct", problems)?;
        if scope == Scope::File {
            let (key, why) = ("whole-file", "says nothing in `exists`");
            let help = "name a construct";
            problems.push(
                node.key("exists").mark,
                OverlayProblem::Misplaced { key, why, help },
            );
        }
        return Some((scope, Holds::Exists));
    }
    let Some(raw_scope) = &raw.scope else {
        let (what, keys) = ("the condition", "`in`");
        problems.push(node.mark, OverlayProblem::Lacks { what, keys });
        return None;
    };
    let scope = scope(raw_scope, node.key("in"), "a scope", problems)?;
    match (&raw.tokens, &raw.matches) {
        (Some(text), _) => Some((scope, Holds::Tokens(text.clone()))),
        (None, Some(text)) => {
            if scope == Scope::File {
                let (key, why) = ("matches", "looks through the whole file");
                let help = "name the construct to look in, or use `tokens`";
                problems.push(
                    node.key_mark(key),
                    OverlayProblem::Misplaced { key, why, help },
                );
            }
            Some((scope, Holds::Matches(text.clone())))
        }
        (None, None) => None,
    }
}
