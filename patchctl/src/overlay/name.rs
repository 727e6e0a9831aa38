//! Names in anchors and scopes: whether they can be what they stand for.

use super::tokens::tokens;
use super::validate::{bad_name, is_identifier, token_pattern};
use crate::cpp::normalised;
use crate::yaml::{Node, Problems};

/// The operand of `#include`.
pub(super) fn check_include(include: &str, node: &Node, problems: &mut Problems<'_>) {
    let inner = |open: char, close: char| {
        include
            .strip_prefix(open)
            .and_then(|rest| rest.strip_suffix(close))
            .is_some_and(|name| !name.is_empty() && !name.contains(['<', '>', '"', '\n']))
    };
    if !inner('<', '>') && !inner('"', '"') {
        let bare = include.trim_matches(['<', '>', '"']);
        let help = (!bare.is_empty())
            .then(|| format!("write `<{bare}>`, or `'\"{bare}\"'` for one with quotes"));
        bad_name(
            include,
            "what stands behind `#include`",
            help,
            node,
            problems,
        );
    }
}

/// `a::b`, with or without a leading `::`.
pub(super) fn check_path(
    name: &str,
    expected: &'static str,
    node: &Node,
    problems: &mut Problems<'_>,
) {
    let parts = name.strip_prefix("::").unwrap_or(name).split("::");
    if !parts.into_iter().all(is_identifier) {
        bad_name(name, expected, None, node, problems);
    }
}

/// `a::b`, where the last part may be `~a` or `operator…`.
pub(super) fn check_function(name: &str, node: &Node, problems: &mut Problems<'_>) {
    let (scope, last) = match name.split_once("operator") {
        Some((scope, rest)) if scope.is_empty() || scope.ends_with("::") => (scope, Some(rest)),
        _ => (name, None),
    };
    let fits = match last {
        Some(rest) => {
            let scope = scope.strip_suffix("::").unwrap_or(scope);
            (scope.is_empty() || scope.split("::").all(is_identifier))
                && tokens(rest).is_ok_and(|found| !found.is_empty())
        }
        None => {
            let name = name.strip_prefix("::").unwrap_or(name);
            let (scope, last) = name.rsplit_once("::").unwrap_or(("", name));
            (scope.is_empty() || scope.split("::").all(is_identifier))
                && is_identifier(last.strip_prefix('~').unwrap_or(last))
        }
    };
    if !fits {
        let help = name
            .split_once('(')
            .filter(|_| last.is_none())
            .map(|(name, rest)| {
                format!(
                    "write `function: {}` and `signature: '({rest}'`",
                    name.trim()
                )
            });
        bad_name(name, "a function's name", help, node, problems);
    }
}

pub(super) fn check_signature(signature: &str, node: &Node, problems: &mut Problems<'_>) {
    if !token_pattern(signature, node, problems) {
        return;
    }
    let Ok(found) = tokens(signature) else { return };
    let mut depth = 0_i64;
    let mut closed = false;
    for token in &found {
        depth += match token.text {
            "(" => 1,
            ")" => -1,
            _ => 0,
        };
        if depth < 0 {
            break;
        }
        closed |= depth == 0 && token.text == ")";
    }
    if found.first().is_none_or(|first| first.text != "(") || depth != 0 || !closed {
        let expected = "a parameter list such as `(int index) const`";
        bad_name(signature, expected, None, node, problems);
    }
}

/// The `#if` stack as `cpp` gives it: `#ifdef X`, and for another branch `#else of #ifdef X`. White space is folded as
/// there, so that one stack has one spelling and one digest.
pub(super) fn preprocessor(
    lines: &[String],
    node: &Node,
    problems: &mut Problems<'_>,
) -> Vec<String> {
    let mut stack = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let parts = line
            .split(" of ")
            .map(|part| normalised(part.trim().as_bytes()));
        let parts: Vec<String> = parts.collect();
        let fits = match parts.as_slice() {
            [first] => opens(first),
            [branch, first] => switches(branch) && opens(first),
            _ => false,
        };
        if !fits || !line.trim_start().starts_with('#') {
            let expected = "a line such as `#ifdef X`, or `#else of #ifdef X`";
            bad_name(line, expected, None, node.item(index), problems);
        }
        stack.push(parts.join(" of "));
    }
    stack
}

/// Returns true if a folded line is one that begins a conditional.
fn opens(line: &str) -> bool {
    matches!(line.split_once(' '), Some(("#if" | "#ifdef" | "#ifndef", condition)) if !condition.is_empty())
}

/// Returns true if a folded line is one that begins another branch of it.
fn switches(line: &str) -> bool {
    let word = line.split(' ').next().unwrap_or_default();
    line == "#else" || matches!(word, "#elif" | "#elifdef" | "#elifndef")
}
