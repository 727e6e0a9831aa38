//! Names in anchors and scopes: whether they can be what they stand for.

use super::problems::Problems;
use super::tokens::tokens;
use super::validate::{bad_name, is_identifier, token_pattern};
use crate::document::Node;

/// What stands behind `#include`.
pub(super) fn check_include(include: &str, node: &Node, problems: &mut Problems) {
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
pub(super) fn check_path(name: &str, expected: &'static str, node: &Node, problems: &mut Problems) {
    let parts = name.strip_prefix("::").unwrap_or(name).split("::");
    if !parts.into_iter().all(is_identifier) {
        bad_name(name, expected, None, node, problems);
    }
}

/// `a::b`, where the last part may be `~a` or `operator…`.
pub(super) fn check_function(name: &str, node: &Node, problems: &mut Problems) {
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

pub(super) fn check_signature(signature: &str, node: &Node, problems: &mut Problems) {
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

/// The `#if` lines, each one that opens or switches a branch.
pub(super) fn check_preprocessor(lines: &[String], node: &Node, problems: &mut Problems) {
    const OPENING: [&str; 7] = [
        "if", "ifdef", "ifndef", "elif", "elifdef", "elifndef", "else",
    ];
    for (index, line) in lines.iter().enumerate() {
        let word = line.trim().strip_prefix('#').map(str::trim_start);
        let word = word.and_then(|rest| rest.split(|c: char| !c.is_ascii_alphabetic()).next());
        if !word.is_some_and(|word| OPENING.contains(&word)) || line.contains('\n') {
            let expected = "a line such as `#ifdef X`";
            bad_name(line, expected, None, node.item(index), problems);
        }
    }
}
