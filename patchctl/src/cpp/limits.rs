//! Limits of what is read as C++. Each is a count, so that a verdict never depends on the machine. They keep every
//! text, however it was made, within about two seconds and 200 MB; MLX's largest file takes a sixteenth of the
//! nearest one.

use std::fmt;

use super::lex::{Lexed, TokenKind, directive_name};

/// Bytes of a text.
pub(crate) const TEXT: usize = 8 << 20;
/// Tokens of a text.
pub(crate) const TOKENS: usize = 1_000_000;
/// Brackets and `#if` branches inside of each other, template brackets included. clang's default is the same.
pub(crate) const NESTING: usize = 256;
/// Tokens without a brace, a semicolon, a directive or a list's comma. tree-sitter's time can grow with the square
/// of this; the longest run in MLX has 813.
pub(crate) const STATEMENT: usize = 2048;
/// Bytes of all qualified names of a text.
pub(crate) const NAMES: usize = 32 << 20;
/// Steps of tree-sitter's parser, as it counts them itself. MLX's largest file takes 190,500.
pub(crate) const STEPS: usize = 3_000_000;
/// tree-sitter calls back after this many steps.
pub(super) const STEPS_A_CALL: usize = 100;

/// A limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// [`TEXT`].
    Text,
    /// [`TOKENS`].
    Tokens,
    /// [`NESTING`].
    Nesting,
    /// [`STATEMENT`].
    Statement,
    /// [`NAMES`].
    Names,
    /// [`STEPS`].
    Steps,
}

/// A limit that a text passes, and where it does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exceeded {
    /// The limit.
    pub limit: Limit,
    /// Byte offset.
    pub at: usize,
    /// 1-based line.
    pub line: usize,
}

impl Exceeded {
    pub(super) fn new(limit: Limit, text: &[u8], at: usize) -> Self {
        let at = at.min(text.len());
        let line = memchr::memchr_iter(b'\n', &text[..at]).count() + 1;
        Self { limit, at, line }
    }
}

impl fmt::Display for Exceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.limit {
            Limit::Text => return write!(f, "it has more than {} MiB", TEXT >> 20),
            Limit::Tokens => write!(f, "it has more than {TOKENS} tokens"),
            Limit::Nesting => write!(f, "brackets or `#if` nest more than {NESTING} deep"),
            Limit::Statement => write!(f, "a statement has more than {STATEMENT} tokens"),
            Limit::Names => write!(f, "its qualified names have more than {} MiB", NAMES >> 20),
            Limit::Steps => write!(f, "the parser needs more than {STEPS} steps"),
        }?;
        write!(f, " (line {})", self.line)
    }
}

/// Finds the first place at which the tokens of `text` nest too deep or a statement is too long.
pub(super) fn check(text: &[u8], lexed: &Lexed) -> Option<Exceeded> {
    if let Some(at) = lexed.too_many {
        return Some(Exceeded::new(Limit::Tokens, text, at));
    }
    let mut open = Vec::new();
    // What was open where each `#if` began: every branch begins with that.
    let mut groups: Vec<Vec<u8>> = Vec::new();
    let mut statement = 0;
    let mut after_literal = false;
    for token in &lexed.tokens {
        let at = token.range.start;
        let literal = token.kind == TokenKind::Literal;
        // Adjacent literals are one.
        statement += usize::from(!(literal && after_literal));
        after_literal = literal;
        match (token.kind, &text[token.range.clone()]) {
            (TokenKind::Directive, directive) => {
                statement = 0;
                match directive_name(directive).as_slice() {
                    b"if" | b"ifdef" | b"ifndef" => groups.push(open.clone()),
                    b"else" | b"elif" | b"elifdef" | b"elifndef" => {
                        open = groups.last().cloned().unwrap_or(open);
                    }
                    b"endif" => drop(groups.pop()),
                    _ => {}
                }
            }
            (TokenKind::Punct, b"(" | b"[" | b"<") => open.push(text[at]),
            (TokenKind::Punct, b">" | b">>") => {
                for _ in token.range.clone() {
                    open.pop_if(|last| *last == b'<');
                }
            }
            (TokenKind::Punct, b")") => close(&mut open, b'('),
            (TokenKind::Punct, b"]") => close(&mut open, b'['),
            (TokenKind::Punct, b"{" | b"}" | b";") => {
                statement = 0;
                while open.pop_if(|last| *last == b'<').is_some() {}
                match text[at] {
                    b'{' => open.push(b'{'),
                    b'}' => close(&mut open, b'{'),
                    _ => {}
                }
            }
            (TokenKind::Punct, b",") if matches!(open.last(), None | Some(b'{')) => statement = 0,
            _ => {}
        }
        let limit = match open.len() + groups.len() > NESTING {
            true => Limit::Nesting,
            false if statement > STATEMENT => Limit::Statement,
            false => continue,
        };
        return Some(Exceeded::new(limit, text, at));
    }
    None
}

/// Closes the innermost bracket of a kind and all inside of it. One that is not open, or not in these braces, is
/// passed over.
fn close(open: &mut Vec<u8>, kind: u8) {
    let in_reach = |last: &&u8| kind == b'{' || **last != b'{';
    let inner = open.iter().rev().take_while(in_reach);
    if let Some(above) = inner.into_iter().position(|last| *last == kind) {
        open.truncate(open.len() - 1 - above);
    }
}

#[cfg(test)]
mod tests {
    use super::super::lex::lex_all;
    use super::*;

    fn limit(text: &str) -> Option<(Limit, usize)> {
        let found = check(text.as_bytes(), &lex_all(text.as_bytes()))?;
        Some((found.limit, found.line))
    }

    #[test]
    fn nesting_is_counted_in_brackets_and_conditions() {
        for bracket in ["(\n", "[\n", "{\n", "a<\n", "#if A\n"] {
            assert_eq!(limit(&bracket.repeat(256)), None, "{bracket}");
            let deep = bracket.repeat(257);
            assert_eq!(limit(&deep), Some((Limit::Nesting, 257)), "{bracket}");
        }
    }

    #[test]
    fn what_is_closed_does_not_nest() {
        for text in [
            "f(a<b>(c), d[e]);\n",
            "bool operator<(a b);\n",
            "#if A\nf(\n#else\ng(\n#endif\nx);\n",
            "a<b<c>> d;\n",
            "x = a < b;\n",
            "void f() { g(; }\n",
        ] {
            assert_eq!(limit(&text.repeat(300)), None, "{text}");
        }
    }

    #[test]
    fn a_long_statement_is_found_and_a_long_list_is_none() {
        let statement = format!("int a =\n{};", "+ 1".repeat(STATEMENT));
        assert_eq!(limit(&statement), Some((Limit::Statement, 2)));
        assert_eq!(
            limit(&format!("int a[] = {{{}}};", "1,".repeat(9000))),
            None
        );
        assert_eq!(limit(&format!("auto a = {};", "\"a\" ".repeat(9000))), None);
    }
}
