//! True if a text is whole C++ tokens, as the lexer that later compares it with upstream's code sees it.

use crate::cpp::{LexError, TokenKind, lex};

/// A token and where it begins, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token<'a> {
    pub(super) at: usize,
    pub(super) text: &'a str,
    pub(super) kind: TokenKind,
}

/// The reason for which a text is not whole tokens, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NotTokens {
    pub(super) at: usize,
    pub(super) why: String,
}

/// The text's tokens; white space and comments are none.
pub(super) fn tokens(text: &str) -> Result<Vec<Token<'_>>, NotTokens> {
    let found = lex(text.as_bytes()).map_err(|LexError { what, at }| NotTokens {
        at,
        why: format!("a {what} has no end"),
    })?;
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
        Some(stray) => Err(NotTokens {
            at: stray.at,
            why: format!("a stray `{}`", stray.text),
        }),
        None => Ok(found),
    }
}
