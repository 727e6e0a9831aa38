//! Limits of what is read as C++. Each is a count, so that a verdict never depends on the machine. They keep every
//! text, however it was made, within about two seconds and 200 MB. MLX's largest file takes a fifth of the nearest one.

use std::fmt;

use super::lex::{Lexed, Token, TokenKind, directive_name};

/// Bytes of a text.
pub(crate) const TEXT: usize = 8 << 20;
/// Tokens of a text.
pub(crate) const TOKENS: usize = 250_000;
/// Brackets and `#if` branches inside of each other, as clang's default is; an open `<` counts [`ANGLE`]-fold.
pub(crate) const NESTING: usize = 256;
/// Nesting that an open `<` counts for: what it can mean doubles the parser's work.
const ANGLE: usize = 8;
/// Brackets without a partner; [`COMPARISONS`] lone `<` count as one.
pub(crate) const UNBALANCED: usize = 256;
const COMPARISONS: usize = 32;
/// Tokens without a brace, a semicolon, a directive or a list's comma. tree-sitter's time can grow with the square
/// of this; the longest run in MLX has 813. Eight bytes of an `#if` line count as one token.
pub(crate) const STATEMENT: usize = 2048;
/// Attributes (`[[`) of a text: tree-sitter compares those that it has read with each other over and over.
pub(crate) const ATTRIBUTES: usize = 4096;
/// Bytes of all qualified names of a text.
pub(crate) const NAMES: usize = 32 << 20;
/// Steps of tree-sitter's parser, as it counts them itself. MLX's largest file takes 211,200.
pub(crate) const STEPS: usize = 1_500_000;
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
    /// [`UNBALANCED`].
    Unbalanced,
    /// [`STATEMENT`].
    Statement,
    /// [`ATTRIBUTES`].
    Attributes,
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
    /// 1-based line.
    pub line: usize,
}

impl Exceeded {
    pub(super) fn new(limit: Limit, text: &[u8], at: usize) -> Self {
        let at = at.min(text.len());
        let line = memchr::memchr_iter(b'\n', &text[..at]).count() + 1;
        Self { limit, line }
    }
}

impl fmt::Display for Exceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.limit {
            Limit::Text => return write!(f, "it has more than {} MiB", TEXT >> 20),
            Limit::Tokens => write!(f, "it has more than {TOKENS} tokens"),
            Limit::Nesting => write!(f, "brackets or `#if` nest more than {NESTING} deep"),
            Limit::Unbalanced => write!(f, "more than {UNBALANCED} brackets have no partner"),
            Limit::Statement => write!(f, "a statement has more than {STATEMENT} tokens"),
            Limit::Attributes => write!(f, "it has more than {ATTRIBUTES} attributes"),
            Limit::Names => write!(f, "its qualified names have more than {} MiB", NAMES >> 20),
            Limit::Steps => write!(f, "the parser needs more than {STEPS} steps"),
        }?;
        write!(f, " (line {})", self.line)
    }
}

/// Finds the first place at which the tokens of `text` exceed a limit.
pub(super) fn check(text: &[u8], lexed: &Lexed) -> Option<Exceeded> {
    let mut count = Count::default();
    let mut previous: Option<&Token> = None;
    for token in &lexed.tokens {
        count.token(token, previous, text);
        previous = Some(token);
        if let Some(limit) = count.exceeded() {
            return Some(Exceeded::new(limit, text, token.range.start));
        }
    }
    let too_many = lexed.too_many?;
    Some(Exceeded::new(Limit::Tokens, text, too_many))
}

#[derive(Default)]
struct Count {
    /// The brackets that are open.
    open: Vec<u8>,
    /// Those of them that are `<`.
    angles: usize,
    /// The brackets that were open where each `#if` began: every branch begins with them.
    groups: Vec<(Vec<u8>, usize)>,
    statement: usize,
    unbalanced: usize,
    comparisons: usize,
    attributes: usize,
}

impl Count {
    fn exceeded(&self) -> Option<Limit> {
        let nesting = self.open.len() + (ANGLE - 1) * self.angles + self.groups.len();
        match () {
            () if nesting > NESTING => Some(Limit::Nesting),
            () if self.statement > STATEMENT => Some(Limit::Statement),
            () if self.unbalanced + self.comparisons / COMPARISONS > UNBALANCED => {
                Some(Limit::Unbalanced)
            }
            () if self.attributes > ATTRIBUTES => Some(Limit::Attributes),
            () => None,
        }
    }

    fn token(&mut self, token: &Token, previous: Option<&Token>, text: &[u8]) {
        let bytes = &text[token.range.clone()];
        match token.kind {
            TokenKind::Directive => self.directive(bytes),
            TokenKind::Punct => {
                self.statement += 1;
                self.punctuation(bytes, token.range.start, previous, text);
            }
            // Adjacent literals are one.
            TokenKind::Literal if previous.is_some_and(|it| it.kind == TokenKind::Literal) => {}
            _ => self.statement += 1,
        }
    }

    fn directive(&mut self, directive: &[u8]) {
        self.statement = 0;
        match directive_name(directive).as_slice() {
            b"if" | b"ifdef" | b"ifndef" => self.groups.push((self.open.clone(), self.angles)),
            b"else" | b"elif" | b"elifdef" | b"elifndef" => {
                if let Some((open, angles)) = self.groups.last() {
                    self.open.clone_from(open);
                    self.angles = *angles;
                }
            }
            b"endif" => drop(self.groups.pop()),
            _ => return,
        }
        self.statement = directive.len() / 8;
    }

    fn punctuation(&mut self, bytes: &[u8], at: usize, previous: Option<&Token>, text: &[u8]) {
        match bytes {
            b"<" => {
                self.open.push(b'<');
                self.angles += 1;
            }
            b">" | b">>" => {
                for _ in bytes {
                    self.close_angle();
                }
            }
            b"[" => {
                self.open.push(b'[');
                if previous.is_some_and(|it| it.range.end == at && text[it.range.start] == b'[') {
                    self.attributes += 1;
                }
            }
            b"(" => self.open.push(b'('),
            b")" => self.close(b'('),
            b"]" => self.close(b'['),
            b"{" | b"}" | b";" => {
                self.statement = 0;
                while self.close_angle() {
                    self.comparisons += 1;
                }
                match bytes {
                    b"{" => self.open.push(b'{'),
                    b"}" => self.close(b'{'),
                    _ => {}
                }
            }
            b"," if matches!(self.open.last(), None | Some(b'{')) => self.statement = 0,
            _ => {}
        }
    }

    fn close_angle(&mut self) -> bool {
        let closed = self.open.pop_if(|last| *last == b'<').is_some();
        self.angles -= usize::from(closed);
        closed
    }

    /// Closes the innermost bracket of a kind and all inside of it. A `)` or `]` reaches no further than its braces.
    fn close(&mut self, kind: u8) {
        let in_reach = |last: &&u8| kind == b'{' || **last != b'{';
        let mut inner = self.open.iter().rev().take_while(in_reach);
        let Some(inside) = inner.position(|last| *last == kind) else {
            self.unbalanced += 1;
            return;
        };
        for last in self.open.drain(self.open.len() - 1 - inside..).skip(1) {
            match last {
                b'<' => {
                    self.angles -= 1;
                    self.comparisons += 1;
                }
                _ => self.unbalanced += 1,
            }
        }
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
        for (bracket, most) in [
            ("(\n", 256),
            ("[\n", 256),
            ("{\n", 256),
            ("a<\n", 32),
            ("#if A\n", 256),
        ] {
            assert_eq!(limit(&bracket.repeat(most)), None, "{bracket}");
            let deep = limit(&bracket.repeat(most + 1));
            assert_eq!(deep, Some((Limit::Nesting, most + 1)), "{bracket}");
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
        ] {
            assert_eq!(limit(&text.repeat(300)), None, "{text}");
        }
    }

    #[test]
    fn brackets_without_a_partner_are_counted() {
        for text in ["}\n", ")\n", "]\n", "{ ( }\n"] {
            assert_eq!(limit(&text.repeat(256)), None, "{text}");
            let found = limit(&text.repeat(257));
            assert_eq!(found, Some((Limit::Unbalanced, 257)), "{text}");
        }
        let branches = "#if A\nf {\n#else\ng {\n#endif\n}\n";
        assert_eq!(limit(&branches.repeat(300)), None);
        let comparisons = limit(&"x = a < b;\n".repeat(9000));
        assert_eq!(comparisons, Some((Limit::Unbalanced, 257 * 32)));
    }

    #[test]
    fn attributes_are_counted() {
        let attributes = "[[a]];\n".repeat(ATTRIBUTES);
        assert_eq!(limit(&attributes), None);
        let more = limit(&format!("{attributes}{attributes}"));
        assert_eq!(more, Some((Limit::Attributes, ATTRIBUTES + 1)));
    }

    #[test]
    fn a_long_statement_is_found_and_a_long_list_is_none() {
        let statement = format!("int a =\n{};", "+ 1".repeat(STATEMENT));
        assert_eq!(limit(&statement), Some((Limit::Statement, 2)));
        let condition = format!("#if {}\n#endif\n", "a && ".repeat(4000));
        assert_eq!(limit(&condition), Some((Limit::Statement, 1)));
        assert_eq!(
            limit(&format!("int a[] = {{{}}};", "1,".repeat(9000))),
            None
        );
        assert_eq!(limit(&format!("auto a = {};", "\"a\" ".repeat(9000))), None);
    }
}
