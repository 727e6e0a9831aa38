//! Anchors and scopes: which keys go together, and which positions a construct has.

use super::error::{OverlayProblem, position_word};
use super::model::{Anchor, Position, Scope, StatementPattern};
use super::name::{check_function, check_include, check_path, check_signature, preprocessor};
use super::validate::token_pattern;
use super::yaml::{RawAnchor, RawScope};
use crate::yaml::{Node, Problems};

/// The purpose of an anchor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// Text goes beside it or into it.
    Insert,
    /// Text goes in its place.
    Replace,
    /// It is only looked for.
    Unless,
}

const SIDES: &[Position] = &[Position::Before, Position::After];
const SIDES_AND_ENDS: &[Position] = &[
    Position::Before,
    Position::After,
    Position::Begin,
    Position::End,
];
const ENDS: &[Position] = &[Position::Begin, Position::End];

/// The anchor that `raw` means, or `None` with the problems noted.
pub(super) fn anchor(
    raw: &RawAnchor,
    node: &Node,
    purpose: Purpose,
    problems: &mut Problems<'_>,
) -> Option<Anchor> {
    let scope = scope(&scope_of(raw), node, "an anchor", problems);
    let in_function = raw.function.is_some();
    for (key, there) in [
        ("statement", raw.statement.is_some()),
        ("expression", raw.expression.is_some()),
    ] {
        if there && !in_function {
            misplaced(
                key,
                "needs a `function`",
                "add `function: …`",
                node,
                problems,
            );
        }
    }
    if raw.statement.is_some() && raw.expression.is_some() {
        let help = "an expression names the statement that holds it; keep one";
        misplaced(
            "expression",
            "stands beside `statement`",
            help,
            node,
            problems,
        );
    }
    let statement = raw.statement.as_ref().map(|raw| {
        let node = node.key("statement");
        if raw.kind.is_none() && raw.tokens.is_none() {
            let (what, keys) = ("the statement", "`kind` or `tokens`");
            problems.push(node.mark, OverlayProblem::Lacks { what, keys });
        }
        if let Some(text) = &raw.tokens {
            token_pattern(text, node.key("tokens"), problems);
        }
        StatementPattern {
            kind: raw.kind,
            tokens: raw.tokens.clone(),
            nested: raw.nested,
        }
    });
    if let Some(text) = &raw.expression {
        token_pattern(text, node.key("expression"), problems);
    }
    let lines = raw.preprocessor.as_deref().unwrap_or_default();
    let preprocessor = preprocessor(lines, node.key("preprocessor"), problems);
    let position = position(raw, node, purpose, problems);
    Some(Anchor {
        scope: scope?,
        statement,
        expression: raw.expression.clone(),
        position: position?,
        preprocessor,
    })
}

fn scope_of(raw: &RawAnchor) -> RawScope {
    RawScope {
        include: raw.include.clone(),
        function: raw.function.clone(),
        signature: raw.signature.clone(),
        class: raw.class.clone(),
        member: raw.member.clone(),
        namespace: raw.namespace.clone(),
        whole_file: None,
    }
}

/// The scope that `raw` means, or `None` with the problems noted. `what` is the map's name in errors.
pub(super) fn scope(
    raw: &RawScope,
    node: &Node,
    what: &'static str,
    problems: &mut Problems<'_>,
) -> Option<Scope> {
    let named = [
        ("include", raw.include.is_some()),
        ("function", raw.function.is_some()),
        ("class", raw.class.is_some()),
        ("namespace", raw.namespace.is_some()),
        ("whole-file", raw.whole_file.is_some()),
    ];
    let found: Vec<&'static str> = named.iter().filter(|one| one.1).map(|one| one.0).collect();
    if raw.signature.is_some() && raw.function.is_none() {
        misplaced(
            "signature",
            "needs a `function`",
            "add `function: …`",
            node,
            problems,
        );
    }
    if raw.member.is_some() && raw.class.is_none() {
        misplaced(
            "member",
            "needs a `class`",
            "add `class: …`",
            node,
            problems,
        );
    }
    if found.len() != 1 {
        let keys = "`include`, `function`, `class` and `namespace`";
        problems.push(node.mark, OverlayProblem::ExactlyOne { what, keys, found });
        return None;
    }
    if let Some(include) = &raw.include {
        check_include(include, node.key("include"), problems);
        return Some(Scope::Include(include.clone()));
    }
    if let Some(name) = &raw.function {
        check_function(name, node.key("function"), problems);
        if let Some(signature) = &raw.signature {
            check_signature(signature, node.key("signature"), problems);
        }
        return Some(Scope::Function {
            name: name.clone(),
            signature: raw.signature.clone(),
        });
    }
    if let Some(name) = &raw.class {
        check_path(name, "a class's name", node.key("class"), problems);
        if let Some(member) = &raw.member {
            check_function(member, node.key("member"), problems);
        }
        return Some(Scope::Class {
            name: name.clone(),
            member: raw.member.clone(),
        });
    }
    if let Some(name) = &raw.namespace {
        check_path(
            name,
            "a namespace's full name",
            node.key("namespace"),
            problems,
        );
        return Some(Scope::Namespace(name.clone()));
    }
    if raw.whole_file == Some(false) {
        let help = "write `whole-file: true`, or name a construct";
        misplaced("whole-file", "is false", help, node, problems);
    }
    Some(Scope::File)
}

fn misplaced(
    key: &'static str,
    why: &'static str,
    help: &'static str,
    node: &Node,
    problems: &mut Problems<'_>,
) {
    problems.push(
        node.key_mark(key),
        OverlayProblem::Misplaced { key, why, help },
    );
}

fn position(
    raw: &RawAnchor,
    node: &Node,
    purpose: Purpose,
    problems: &mut Problems<'_>,
) -> Option<Position> {
    let statement = raw.statement.is_some();
    match (purpose, raw.position) {
        (Purpose::Replace, position) => {
            if !statement {
                let help =
                    "a replacement takes the place of one whole statement: add `statement: …`";
                let key = if raw.expression.is_some() {
                    "expression"
                } else {
                    "at"
                };
                let why = "does not name a statement";
                problems.push(node.mark, OverlayProblem::Misplaced { key, why, help });
            }
            if position.is_some() {
                let help = "a replacement stands in the statement's own place; remove it";
                misplaced(
                    "position",
                    "says nothing beside `replace`",
                    help,
                    node,
                    problems,
                );
            }
            Some(Position::Before)
        }
        (Purpose::Unless, position) => {
            if position.is_some() {
                let help = "`unless` only looks for the anchor; remove it";
                misplaced("position", "says nothing in `unless`", help, node, problems);
            }
            Some(Position::Before)
        }
        (Purpose::Insert, position) => {
            let (anchor, allowed) = positions(raw)?;
            match position {
                Some(position) if allowed.contains(&position) => Some(position),
                Some(position) => {
                    let mark = node.key("position").mark;
                    problems.push(
                        mark,
                        OverlayProblem::PositionMeaningless {
                            position,
                            anchor,
                            allowed,
                        },
                    );
                    None
                }
                None => {
                    problems.push(
                        node.mark,
                        OverlayProblem::PositionMissing { anchor, allowed },
                    );
                    None
                }
            }
        }
    }
}

/// What the anchor names, and the positions of that; `None` where it names nothing.
fn positions(raw: &RawAnchor) -> Option<(&'static str, &'static [Position])> {
    Some(if raw.statement.is_some() {
        ("a statement", SIDES)
    } else if raw.expression.is_some() {
        ("an expression", SIDES)
    } else if raw.member.is_some() {
        ("a member", SIDES)
    } else if raw.function.is_some() {
        ("a function", SIDES_AND_ENDS)
    } else if raw.class.is_some() {
        ("a class", SIDES_AND_ENDS)
    } else if raw.include.is_some() {
        ("an include", SIDES)
    } else if raw.namespace.is_some() {
        ("a namespace", ENDS)
    } else {
        return None;
    })
}

impl std::fmt::Display for Position {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(position_word(*self))
    }
}
