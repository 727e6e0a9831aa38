//! Anchors and scopes: which keys go together, and which positions a construct has.

use super::model::{Anchor, Position, Scope};
use super::values::{
    check_function, check_include, check_path, check_signature, joined, preprocessor, token_pattern,
};
use super::yaml::{RawAnchor, RawScope};
use crate::report::Code;
use crate::yaml::Cursor;

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

/// Gives the one key of `keys` that the map has, or `None` with the problem noted. `shown` are the keys for a reader.
pub(super) fn exactly_one(
    what: &str,
    shown: &str,
    keys: &[&'static str],
    at: Cursor<'_>,
) -> Option<&'static str> {
    let found = at.present(keys);
    let (found, help) = match found.as_slice() {
        [one] => return Some(one),
        [] => ("none".to_owned(), format!("add one of {shown}")),
        several => (joined(several), format!("keep one of {}", joined(several))),
    };
    let message = format!("{what} needs exactly one of {shown}, found {found}");
    at.fault(Code::OverlayKeysClash, message, help);
    None
}

/// Notes that a key says nothing without, or beside, another.
pub(super) fn misplaced(key: &str, why: &str, help: &str, at: Cursor<'_>) {
    at.fault_of_key(key, Code::OverlayKeysClash, format!("`{key}` {why}"), help);
}

/// Notes that `key` stands without `other`.
fn needs(key: &str, other: &str, at: Cursor<'_>) {
    let (why, help) = (format!("needs a `{other}`"), format!("add `{other}: …`"));
    misplaced(key, &why, &help, at);
}

/// The anchor that `raw` means, or `None` with the problems noted.
pub(super) fn anchor(raw: RawAnchor, purpose: Purpose, at: Cursor<'_>) -> Option<Anchor> {
    let inside = at.present(&["statement", "expression"]);
    if raw.function.is_none() {
        inside.iter().for_each(|key| needs(key, "function", at));
    }
    if inside.len() == 2 {
        let help = "an expression names the statement that holds it; keep one";
        misplaced("expression", "stands beside `statement`", help, at);
    }
    if let Some(statement) = &raw.statement {
        let at = at.key("statement");
        if statement.kind.is_none() && statement.tokens.is_none() {
            let message = "the statement has no `kind` or `tokens`";
            at.fault(Code::OverlayKeysClash, message, "add `kind` or `tokens`");
        }
        if let Some(text) = &statement.tokens {
            token_pattern(text, at.key("tokens"));
        }
    }
    if let Some(text) = &raw.expression {
        token_pattern(text, at.key("expression"));
    }
    let lines = raw.preprocessor.as_deref().unwrap_or_default();
    let preprocessor = preprocessor(lines, at.key("preprocessor"));
    let position = position(&raw, purpose, at);
    let named = RawScope {
        include: raw.include,
        function: raw.function,
        signature: raw.signature,
        class: raw.class,
        member: raw.member,
        namespace: raw.namespace,
        line: raw.line,
        under: raw.under,
        whole_file: None,
    };
    Some(Anchor {
        scope: scope(named, at, "an anchor")?,
        statement: raw.statement,
        expression: raw.expression,
        position: position?,
        preprocessor,
    })
}

/// The scope that `raw` means, or `None` with the problems noted. `what` is the map's name in errors.
pub(super) fn scope(raw: RawScope, at: Cursor<'_>, what: &str) -> Option<Scope> {
    if raw.signature.is_some() && raw.function.is_none() {
        needs("signature", "function", at);
    }
    if raw.member.is_some() && raw.class.is_none() {
        needs("member", "class", at);
    }
    if raw.under.is_some() && raw.line.is_none() {
        needs("under", "line", at);
    }
    let keys = [
        "include",
        "function",
        "class",
        "namespace",
        "line",
        "whole-file",
    ];
    let shown = "`include`, `function`, `class`, `namespace` and `line`";
    let key = exactly_one(what, shown, &keys, at)?;
    if let Some(include) = raw.include {
        check_include(&include, at.key(key));
        return Some(Scope::Include(include));
    }
    if let Some(name) = raw.function {
        check_function(&name, at.key(key));
        let check = |it: &String| check_signature(it, at.key("signature"));
        let signature = raw.signature.inspect(check);
        return Some(Scope::Function { name, signature });
    }
    if let Some(name) = raw.class {
        check_path(&name, "a class's name", at.key(key));
        let check = |it: &String| check_function(it, at.key("member"));
        let member = raw.member.inspect(check);
        return Some(Scope::Class { name, member });
    }
    if let Some(name) = raw.namespace {
        check_path(&name, "a namespace's full name", at.key(key));
        return Some(Scope::Namespace(name));
    }
    if let Some(line) = raw.line {
        for (key, line) in [("line", Some(&line)), ("under", raw.under.as_ref())] {
            let is_one = |it: &String| !it.is_empty() && it.trim() == it && !it.contains('\n');
            if line.is_some_and(|it| !is_one(it)) {
                let message = format!("`{key}` is no line");
                let help = "write one line as it is, without the white space around it";
                at.key(key).fault(Code::OverlayBadName, message, help);
            }
        }
        let under = raw.under;
        return Some(Scope::Line { line, under });
    }
    if raw.whole_file == Some(false) {
        let help = "write `whole-file: true`, or name a construct";
        misplaced(key, "is false", help, at);
    }
    Some(Scope::File)
}

fn position(raw: &RawAnchor, purpose: Purpose, at: Cursor<'_>) -> Option<Position> {
    let needless = match purpose {
        Purpose::Insert => return insert_position(raw, at),
        Purpose::Unless => (
            "says nothing in `unless`",
            "`unless` only looks for the anchor; remove it",
        ),
        Purpose::Replace => (
            "says nothing beside `replace`",
            "a replacement stands in the statement's own place; remove it",
        ),
    };
    if purpose == Purpose::Replace && raw.statement.is_none() {
        let key = raw.expression.as_ref().map_or("at", |_| "expression");
        let message = format!("`{key}` does not name a statement");
        let help = "a replacement takes the place of one whole statement: add `statement: …`";
        at.fault(Code::OverlayKeysClash, message, help);
    }
    if raw.position.is_some() {
        misplaced("position", needless.0, needless.1, at);
    }
    Some(Position::Before)
}

/// The position of an insertion: one that the construct has.
fn insert_position(raw: &RawAnchor, at: Cursor<'_>) -> Option<Position> {
    use Position::{After, Before, Begin, End};
    // The innermost construct decides.
    let constructs: [(_, _, &[Position]); 8] = [
        ("statement", "a statement", &[Before, After]),
        ("expression", "an expression", &[Before, After]),
        ("member", "a member", &[Before, After]),
        ("function", "a function", &[Before, After, Begin, End]),
        ("class", "a class", &[Before, After, Begin, End]),
        ("include", "an include", &[Before, After]),
        ("namespace", "a namespace", &[Begin, End]),
        ("line", "a line", &[Before, After]),
    ];
    let mut constructs = constructs.into_iter();
    let (_, anchor, allowed) = constructs.find(|(key, ..)| !at.present(&[key]).is_empty())?;
    let (at, message) = match raw.position {
        Some(position) if allowed.contains(&position) => return Some(position),
        Some(position) => (
            at.key("position"),
            format!("{anchor} has no position `{position}`"),
        ),
        None => (at, "the anchor has no `position`".to_owned()),
    };
    let words: Vec<String> = allowed.iter().map(|one| format!("`{one}`")).collect();
    let help = format!("{anchor} can have {}", words.join(", "));
    at.fault(Code::OverlayBadPosition, message, help);
    None
}
