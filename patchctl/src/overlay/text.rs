//! The text of an edit: what can stand between two markers and be taken off again.

use super::error::{BadText, MAX_EDIT_TEXT, OverlayProblem};
use super::tokens::{Token, tokens};
use crate::cpp::TokenKind;
use crate::yaml::{Node, Problems};

/// Words that `patch` knows its own lines by.
const MARKER_WORDS: [&str; 3] = ["patchctl:begin", "patchctl:end", "patchctl:was"];

/// Checks the text of an insertion.
pub(super) fn insertion(text: &str, node: &Node, problems: &mut Problems<'_>) {
    whole_lines(text, node, problems);
}

/// Checks the text of a replacement, which comes to stand between `#else` and `#endif`.
pub(super) fn replacement(text: &str, node: &Node, problems: &mut Problems<'_>) {
    let found = whole_lines(text, node, problems);
    if let Some((at, _)) = directives(&found).next() {
        bad(BadText::Directive, at, node, problems);
    }
    let raw = |token: &&Token<'_>| {
        let prefix = token.text.split('"').next().unwrap_or_default();
        token.kind == TokenKind::Literal && prefix.ends_with('R')
    };
    if let Some(token) = found.iter().find(raw) {
        bad(BadText::RawString, token.at, node, problems);
    }
}

fn whole_lines<'a>(text: &'a str, node: &Node, problems: &mut Problems<'_>) -> Vec<Token<'a>> {
    if text.trim().is_empty() {
        bad(BadText::Empty, 0, node, problems);
        return Vec::new();
    }
    if text.len() > MAX_EDIT_TEXT {
        bad(BadText::TooLong(text.len()), 0, node, problems);
        return Vec::new();
    }
    if !text.ends_with('\n') {
        bad(BadText::NoLastLineFeed, 0, node, problems);
    }
    if text.trim_end_matches('\n').ends_with('\\') {
        bad(
            BadText::Continued,
            text.trim_end().len() - 1,
            node,
            problems,
        );
    }
    for word in MARKER_WORDS {
        if let Some(at) = text.find(word) {
            bad(BadText::MarkerWord(word), at, node, problems);
        }
    }
    if let Some((at, hidden)) = text.char_indices().find(|(_, c)| is_hidden(*c)) {
        bad(BadText::Hidden(u32::from(hidden)), at, node, problems);
    }
    match tokens(text) {
        Ok(found) => {
            balanced(&found, node, problems);
            found
        }
        Err(problem) => {
            bad(BadText::NotTokens(problem.why), problem.at, node, problems);
            Vec::new()
        }
    }
}

/// Control characters but the tab and the line feed, and those that turn the direction of writing.
fn is_hidden(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

fn balanced(found: &[Token<'_>], node: &Node, problems: &mut Problems<'_>) {
    let mut open = Vec::new();
    for (at, word) in directives(found) {
        let fits = match word {
            "if" | "ifdef" | "ifndef" => {
                open.push((at, word));
                true
            }
            "elif" | "elifdef" | "elifndef" | "else" => !open.is_empty(),
            "endif" => open.pop().is_some(),
            _ => true,
        };
        if !fits {
            bad(BadText::Unbalanced(word.to_owned()), at, node, problems);
        }
    }
    for (at, word) in open {
        bad(BadText::Unbalanced(word.to_owned()), at, node, problems);
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

fn bad(why: BadText, at: usize, node: &Node, problems: &mut Problems<'_>) {
    problems.push(node.inside(at), OverlayProblem::BadEdit(why));
}
