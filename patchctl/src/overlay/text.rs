//! The text of an edit: what can stand between two markers and be removed again.

use super::values::{Token, tokens};
use crate::cpp::TokenKind;
use crate::report::{Code, Text};
use crate::yaml::{Cursor, NO_HELP};

/// The bytes that the text of one edit may have.
const MAX_EDIT_TEXT: usize = 64 << 10;

/// Words that `patch` knows its own lines by.
const MARKER_WORDS: [&str; 3] = ["patchctl:begin", "patchctl:end", "patchctl:was"];

const ELSEWHERE: &str = "move that part into an `insert` before or after";

/// Checks the text of an insertion into C++.
pub(super) fn insertion(text: &str, at: Cursor<'_>) {
    code(text, at);
}

/// Checks the text of a replacement, which comes to stand between `#else` and `#endif`.
pub(super) fn replacement(text: &str, at: Cursor<'_>) {
    let found = code(text, at);
    if let Some((byte, _)) = directives(&found).next() {
        let why = "holds a preprocessor line, which a replacement cannot";
        bad(byte, why, ELSEWHERE, at);
    }
    let raw = |token: &&Token<'_>| {
        let prefix = token.text.split('"').next().unwrap_or_default();
        token.kind == TokenKind::Literal && prefix.ends_with('R')
    };
    if let Some(token) = found.iter().find(raw) {
        let why = "holds a raw string, which a replacement cannot";
        bad(token.at, why, ELSEWHERE, at);
    }
}

/// Checks a text of any language. Gives whether its content can be looked at.
pub(super) fn whole_lines(text: &str, at: Cursor<'_>) -> bool {
    if text.trim().is_empty() {
        bad(0, "is empty", NO_HELP, at);
        return false;
    }
    let bytes = text.len();
    if bytes > MAX_EDIT_TEXT {
        let why = format!("has {bytes} bytes, over the limit of {MAX_EDIT_TEXT}");
        let help = "put the code in a file of its own and insert an `#include`";
        bad(0, &why, help, at);
        return false;
    }
    if !text.ends_with('\n') {
        let help = "write the text as a block: `insert: |`, or end it with `\\n`";
        bad(0, "does not end with a line feed", help, at);
    }
    if text.trim_end_matches('\n').ends_with('\\') {
        let why = "ends with a backslash, which would swallow the marker below it";
        bad(text.trim_end().len() - 1, why, NO_HELP, at);
    }
    for word in MARKER_WORDS {
        if let Some(byte) = text.find(word) {
            let why = format!("holds `{word}`, which marks patched code");
            bad(byte, &why, "patchctl writes the markers; remove it", at);
        }
    }
    if let Some((byte, hidden)) = text.char_indices().find(|(_, c)| is_hidden(*c)) {
        let number = u32::from(hidden);
        let why = format!("holds the character U+{number:04X}, which editors do not show");
        let help = "remove it, or write it as an escape in a C++ literal";
        bad(byte, &why, help, at);
    }
    true
}

fn code<'a>(text: &'a str, at: Cursor<'_>) -> Vec<Token<'a>> {
    if !whole_lines(text, at) {
        return Vec::new();
    }
    match tokens(text) {
        Ok(found) => {
            balanced(&found, at);
            found
        }
        Err((byte, why)) => {
            bad(
                byte,
                &format!("is not whole C++ tokens: {why}"),
                NO_HELP,
                at,
            );
            Vec::new()
        }
    }
}

/// Control characters but the tab and the line feed, and those that turn the direction of writing.
fn is_hidden(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

fn balanced(found: &[Token<'_>], at: Cursor<'_>) {
    let mut open = Vec::new();
    let mut alone = Vec::new();
    for (byte, word) in directives(found) {
        let fits = match word {
            "if" | "ifdef" | "ifndef" => {
                open.push((byte, word));
                true
            }
            "elif" | "elifdef" | "elifndef" | "else" => !open.is_empty(),
            "endif" => open.pop().is_some(),
            _ => true,
        };
        if !fits {
            alone.push((byte, word));
        }
    }
    for (byte, word) in alone.into_iter().chain(open) {
        let why = format!("has a `#{word}` without its partner");
        bad(byte, &why, "open and close it in one edit", at);
    }
}

/// The preprocessor lines, each with the word behind its `#`.
fn directives<'a>(found: &[Token<'a>]) -> impl Iterator<Item = (usize, &'a str)> {
    let directives = found
        .iter()
        .filter(|token| token.kind == TokenKind::Directive);
    directives.map(|token| {
        let word = token.text.trim_start_matches('#').trim_start();
        let end = word.find(|c: char| !c.is_ascii_alphabetic());
        (token.at, &word[..end.unwrap_or(word.len())])
    })
}

fn bad(byte: usize, why: &str, help: impl Text, at: Cursor<'_>) {
    let message = format!("the text {why}");
    at.fault_inside(byte, Code::OverlayBadText, message, help);
}
