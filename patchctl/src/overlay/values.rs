//! Checks of single values: ids, paths, names, tokens, regular expressions.

use patchctl_apply::check_tree_path;
use regex::RegexBuilder;

use super::digest::MARKER_DIGEST_DIGITS;
use crate::cpp::{LexError, TokenKind, lex, normalised, without_arguments};
use crate::report::{Code, Text};
use crate::yaml::{Cursor, NO_HELP};

/// The columns that a marker may take: clang-format leaves such lines alone, whatever it does to code.
const MARKER_COLUMNS: usize = 80;
/// The bytes that a compiled regular expression may take, and the bytes that it may be written in.
const REGEX_SIZE: usize = 1 << 20;
const REGEX_TEXT: usize = 4 << 10;

/// Checks that `id` can stand in an address, a marker and a file name.
pub(super) fn id(what: &str, id: &str, at: Cursor<'_>) {
    let fits = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-');
    if id.is_empty() || !id.bytes().all(fits) {
        let message = format!("the {what} `{id}` is not made of `a` to `z`, `0` to `9` and `-`");
        let lower = id.to_lowercase();
        let parts = lower.split(|c: char| !c.is_ascii_lowercase() && !c.is_ascii_digit());
        let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
        let help = (!parts.is_empty()).then(|| format!("write `{}`", parts.join("-")));
        at.fault(Code::OverlayBadId, message, help);
    }
}

pub(super) fn filled(key: &str, text: &str, at: Cursor<'_>) {
    if text.trim().is_empty() {
        at.key(key)
            .fault(Code::OverlayBadName, format!("`{key}` is empty"), NO_HELP);
    }
}

/// Checks that the longest line of the edit's markers fits; see [`MARKER_COLUMNS`].
pub(super) fn marker(overlay: &str, hunk: &str, edit: &str, at: Cursor<'_>) {
    let digest = "0".repeat(MARKER_DIGEST_DIGITS);
    let marker = format!("// patchctl:begin {overlay}/{hunk}.{edit} {digest}");
    let columns = marker.chars().count();
    if columns > MARKER_COLUMNS {
        let over = columns - MARKER_COLUMNS;
        at.fault(
            Code::OverlayMarkerTooLong,
            format!(
                "the marker `{marker}` has {columns} columns, over the limit of {MARKER_COLUMNS}"
            ),
            format!("shorten the ids of overlay, hunk and edit by {over} characters together"),
        );
    }
}

pub(super) fn path(path: &str, at: Cursor<'_>) {
    if let Some(why) = path_problem(path) {
        let help =
            "write it relative to the upstream tree, with `/`: `mlx/backend/metal/device.cpp`";
        at.fault(Code::OverlayBadPath, why, help);
    }
}

/// Says what keeps `path` from naming a file inside a tree, on every system. The lock's own rule, and two more:
/// names that Windows takes for `.git`, and control characters, which no report could show.
pub(crate) fn path_problem(path: &str) -> Option<String> {
    if let Err(why) = check_tree_path(path) {
        return Some(why);
    }
    let is_git = |part: &str| {
        let part = part.trim_end_matches(['.', ' ']).to_ascii_lowercase();
        part == ".git" || part == "git~1"
    };
    if path.split('/').any(is_git) {
        return Some(format!(
            "the path `{path}` lies in a git repository's own folder"
        ));
    }
    let hidden = path.chars().any(char::is_control);
    hidden.then(|| format!("the path `{}` has a control character", path.escape_debug()))
}

pub(super) fn bad_name(name: &str, expected: &str, help: impl Text, at: Cursor<'_>) {
    let message = format!("`{name}` is not {expected}");
    at.fault(Code::OverlayBadName, message, help);
}

/// The keys for a reader: `` `edits` and `variants` ``.
pub(super) fn joined(keys: &[&str]) -> String {
    let keys: Vec<String> = keys.iter().map(|key| format!("`{key}`")).collect();
    keys.join(" and ")
}

/// Returns true if `text` is an identifier of C++.
pub(super) fn is_identifier(text: &str) -> bool {
    let part = |c: char| c == '_' || c.is_alphanumeric();
    !text.is_empty() && !text.starts_with(|c: char| c.is_ascii_digit()) && text.chars().all(part)
}

/// A token of C++ and where it begins, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token<'a> {
    pub(super) at: usize,
    pub(super) text: &'a str,
    pub(super) kind: TokenKind,
}

/// The text's tokens, as the lexer that later compares it with upstream's code sees them; white space and comments are
/// none. Fails with the byte and the reason where the text is not whole tokens.
pub(super) fn tokens(text: &str) -> Result<Vec<Token<'_>>, (usize, String)> {
    let found = lex(text.as_bytes())
        .map_err(|LexError { what, at }| (at, format!("a {what} has no end")))?;
    let token = |token: &crate::cpp::Token| Token {
        at: token.range.start,
        text: text.get(token.range.clone()).unwrap_or_default(),
        kind: token.kind,
    };
    let found: Vec<Token<'_>> = found.iter().map(token).collect();
    // No token of C++ begins with one of these; the lexer takes them as they come.
    let stray =
        |one: &&Token<'_>| one.kind == TokenKind::Punct && one.text.starts_with(['@', '`', '\\']);
    match found.iter().find(stray) {
        Some(stray) => Err((stray.at, format!("a stray `{}`", stray.text))),
        None => Ok(found),
    }
}

/// Returns true if `text` is a sequence of one or more tokens, else notes the problem.
pub(super) fn token_pattern(text: &str, at: Cursor<'_>) -> bool {
    let (byte, why) = match tokens(text) {
        Ok(found) if !found.is_empty() => return true,
        Ok(_) => (0, "there is none".to_owned()),
        Err(problem) => problem,
    };
    let message = format!("these are no C++ tokens: {why}");
    at.fault_inside(byte, Code::OverlayBadTokens, message, NO_HELP);
    false
}

/// Checks that `text` is a regular expression of bounded size that says something.
pub(super) fn regex(text: &str, at: Cursor<'_>) {
    let bad = |mark, why: &str| {
        let message = format!("this is no regular expression: {why}");
        at.problems
            .note(mark, Code::OverlayBadRegex, message, NO_HELP);
    };
    let (whole, bytes) = (at.node.mark, text.len());
    if bytes > REGEX_TEXT {
        let why = format!("it has {bytes} bytes, over the limit of {REGEX_TEXT}");
        return bad(whole, &why);
    }
    if let Err(error) = regex_syntax::Parser::new().parse(text) {
        use regex_syntax::Error;
        let (byte, why) = match &error {
            Error::Parse(error) => (error.span().start.offset, error.kind().to_string()),
            Error::Translate(error) => (error.span().start.offset, error.kind().to_string()),
            _ => (0, "it does not parse".to_owned()),
        };
        let why = format!("{why} (at byte {})", byte + 1);
        return bad(at.node.inside(byte), &why);
    }
    match RegexBuilder::new(text).size_limit(REGEX_SIZE).build() {
        Ok(regex) if regex.is_match("") => at.fault(
            Code::OverlayBadRegex,
            "this regular expression matches the empty text, so it holds everywhere",
            "leave out what may be absent, such as a `*` at its end",
        ),
        Ok(_) => {}
        Err(_) => {
            let why = format!("compiled, it takes more than {REGEX_SIZE} bytes");
            bad(whole, &why);
        }
    }
}

/// The operand of `#include`.
pub(super) fn check_include(include: &str, at: Cursor<'_>) {
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
        bad_name(include, "what stands behind `#include`", help, at);
    }
}

/// `a::b`, with or without a leading `::`.
pub(super) fn check_path(name: &str, expected: &str, at: Cursor<'_>) {
    let parts = name.strip_prefix("::").unwrap_or(name).split("::");
    if !parts.into_iter().all(is_identifier) {
        bad_name(name, expected, NO_HELP, at);
    }
}

/// `a::b`, where the last part may be `~a` or `operator…`; each part may have template arguments.
pub(super) fn check_function(written: &str, at: Cursor<'_>) {
    let name = match has_arguments(written) {
        true => &without_arguments(written),
        false => written,
    };
    let is_scope = |scope: &str| scope.is_empty() || scope.split("::").all(is_identifier);
    let operator = name
        .split_once("operator")
        .filter(|(scope, _)| scope.is_empty() || scope.ends_with("::"));
    let fits = match operator {
        Some((scope, rest)) => {
            is_scope(scope.strip_suffix("::").unwrap_or(scope))
                && tokens(rest).is_ok_and(|found| !found.is_empty())
        }
        None => {
            let name = name.strip_prefix("::").unwrap_or(name);
            let (scope, last) = name.rsplit_once("::").unwrap_or(("", name));
            is_scope(scope) && is_identifier(last.strip_prefix('~').unwrap_or(last))
        }
    };
    if !fits {
        let parts = name.split_once('(').filter(|_| operator.is_none());
        let help = parts.map(|(name, rest)| {
            let name = name.trim();
            format!("write `function: {name}` and `signature: '({rest}'`")
        });
        bad_name(written, "a function's name", help, at);
    }
}

/// Returns true if template arguments in a name are closed, and have what can stand in them.
fn has_arguments(name: &str) -> bool {
    let scope = name.split("operator").next().unwrap_or(name);
    let count = |bracket: char| scope.matches(bracket).count();
    let may_stand = |c: char| c.is_alphanumeric() || "_<>:,*& ".contains(c);
    count('<') == count('>') && scope.ends_with(|c: char| c != '<') && scope.chars().all(may_stand)
}

pub(super) fn check_signature(signature: &str, at: Cursor<'_>) {
    if !token_pattern(signature, at) {
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
        bad_name(signature, expected, NO_HELP, at);
    }
}

/// The `#if` stack as `cpp` gives it: `#ifdef X`, and for another branch `#else of #ifdef X`. White space is folded as
/// there, so that one stack has one spelling and one digest.
pub(super) fn preprocessor(lines: &[String], at: Cursor<'_>) -> Vec<String> {
    let mut stack = Vec::new();
    for (line, at) in at.each(lines) {
        let parts = line.split(" of ");
        let parts: Vec<String> = parts
            .map(|part| normalised(part.trim().as_bytes()))
            .collect();
        let fits = match parts.as_slice() {
            [first] => opens(first),
            [branch, first] => switches(branch) && opens(first),
            _ => false,
        };
        if !fits || !line.trim_start().starts_with('#') {
            let expected = "a line such as `#ifdef X`, or `#else of #ifdef X`";
            bad_name(line, expected, NO_HELP, at);
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
