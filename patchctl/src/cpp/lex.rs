//! C++ tokens with their places: enough of translation phases 1 to 3 to compare code and count braces.

use std::ops::Range;

use super::limits::TOKENS;

/// Kinds of token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenKind {
    /// Identifier or keyword.
    Word,
    /// Number, with suffix and digit separators.
    Number,
    /// String or character literal, with prefix; raw strings whole.
    Literal,
    /// Operator or punctuation, longest first.
    Punct,
    /// A whole preprocessor line, continuation lines included.
    Directive,
}

/// A token: its kind and its bytes' range in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// Its kind.
    pub kind: TokenKind,
    /// Its bytes.
    pub range: Range<usize>,
}

/// A literal or comment that has no end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LexError {
    /// `string`, `raw string`, `comment`.
    pub what: &'static str,
    /// Byte offset of its beginning.
    pub at: usize,
}

/// The tokens of a text, and its comments.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lexed {
    pub tokens: Vec<Token>,
    pub comments: Vec<Range<usize>>,
    /// Set where the end of a literal or comment was not found: everything behind it is a guess.
    pub broken: Option<LexError>,
    /// The first thing that a compiler reads otherwise than both readers do, and its offset.
    pub unclear: Option<(usize, &'static str)>,
    /// The offset at which the limit of tokens was reached; nothing behind it was read.
    pub too_many: Option<usize>,
}

/// Longest first: the first that fits is the token.
const PUNCTUATION: &[&str] = &[
    "<=>", "...", "->*", "<<=", ">>=", "::", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=",
    "&&", "||", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "##", ".*",
];

/// Other spellings of `{`, `}`, `[`, `]` and `#`.
const DIGRAPHS: [&[u8]; 5] = [b"<%", b"%>", b"<:", b":>", b"%:"];

/// Reads the tokens of a pattern such as `auto [ max_ops , max_mb ]`, as texts.
///
/// # Errors
/// When a literal or comment has no end.
pub fn pattern(text: &str) -> Result<Vec<String>, LexError> {
    let tokens = lex(text.as_bytes())?;
    Ok(tokens
        .iter()
        .map(|token| text[token.range.clone()].to_owned())
        .collect())
}

/// Reads the tokens of a text; white space and comments are left out.
///
/// # Errors
/// When a literal or comment has no end.
pub fn lex(text: &[u8]) -> Result<Vec<Token>, LexError> {
    let lexed = lex_all(text);
    match lexed.broken {
        Some(error) => Err(error),
        None => Ok(lexed.tokens),
    }
}

/// Reads tokens and comments, and goes on as well as it can where the text is broken.
pub(crate) fn lex_all(text: &[u8]) -> Lexed {
    let at = if text.starts_with(b"\xEF\xBB\xBF") {
        3
    } else {
        0
    };
    let mut lexer = Lexer {
        text,
        at,
        line_is_fresh: true,
        out: Lexed::default(),
    };
    lexer.run();
    lexer.out
}

struct Lexer<'t> {
    text: &'t [u8],
    at: usize,
    /// No token yet on this line: a `#` begins a directive.
    line_is_fresh: bool,
    out: Lexed,
}

impl Lexer<'_> {
    fn run(&mut self) {
        while let Some(&byte) = self.text.get(self.at) {
            if self.out.tokens.len() + self.out.comments.len() == TOKENS {
                self.out.too_many = Some(self.at);
                return;
            }
            match byte {
                b'\n' => {
                    self.line_is_fresh = true;
                    self.at += 1;
                }
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c => self.at += 1,
                b'\\' if self.continuation(self.at) > 0 => self.at += self.continuation(self.at),
                b'/' if self.peek(1) == Some(b'/') => self.line_comment(),
                b'/' if self.peek(1) == Some(b'*') => self.block_comment(),
                b'#' if self.line_is_fresh => self.directive(),
                _ => self.token(byte),
            }
        }
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.text.get(self.at + ahead).copied()
    }

    /// Length of a backslash and line end at `at`; 0 where there is none.
    fn continuation(&self, at: usize) -> usize {
        match self.text.get(at..) {
            Some([b'\\', b'\n', ..]) => 2,
            Some([b'\\', b'\r', b'\n', ..]) => 3,
            _ => 0,
        }
    }

    fn push(&mut self, kind: TokenKind, start: usize) {
        self.line_is_fresh = false;
        self.out.tokens.push(Token {
            kind,
            range: start..self.at,
        });
    }

    fn unterminated(&mut self, what: &'static str, at: usize) {
        self.out.broken.get_or_insert(LexError { what, at });
    }

    /// Moves to the end of the logical line, not past its line feed.
    fn skip_to_line_end(&mut self) {
        while let Some(&byte) = self.text.get(self.at) {
            match self.continuation(self.at) {
                0 if byte == b'\n' => return,
                0 => self.at += 1,
                length => self.at += length,
            }
        }
    }

    fn unclear(&mut self, what: &'static str, at: usize) {
        self.out.unclear.get_or_insert((at, what));
    }

    fn line_comment(&mut self) {
        let start = self.at;
        self.skip_to_line_end();
        let line = &self.text[start..self.at];
        let code = line.trim_ascii_end();
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if code.ends_with(b"\\") && line != code {
            self.unclear("a comment that ends in a backslash and blanks", start);
        }
        let end = if self.text[..self.at].ends_with(b"\r") {
            self.at - 1
        } else {
            self.at
        };
        self.out.comments.push(start..end);
    }

    fn block_comment(&mut self) {
        let start = self.at;
        match find(&self.text[start + 2..], b"*/") {
            Some(length) => self.at = start + 2 + length + 2,
            None => {
                self.at = self.text.len();
                self.unterminated("comment", start);
            }
        }
        self.out.comments.push(start..self.at);
    }

    /// A directive ends with its logical line; a comment that spans lines belongs to it.
    fn directive(&mut self) {
        let start = self.at;
        let mut end = start + 1;
        let name = self.text[end..]
            .iter()
            .find(|it| !matches!(it, b' ' | b'\t'));
        if name == Some(&b'/') {
            self.unclear("a comment before a directive's name", start);
        }
        while let Some(&byte) = self.text.get(self.at) {
            match byte {
                b'\n' => break,
                b'\\' if self.continuation(self.at) > 0 => self.at += self.continuation(self.at),
                b'/' if self.peek(1) == Some(b'/') => self.line_comment(),
                b'/' if self.peek(1) == Some(b'*') => self.block_comment(),
                b'"' => {
                    self.quoted(b'"', self.at);
                    end = self.at;
                }
                _ => {
                    self.at += 1;
                    if !byte.is_ascii_whitespace() {
                        end = self.at;
                    }
                }
            }
        }
        self.line_is_fresh = false;
        self.out.tokens.push(Token {
            kind: TokenKind::Directive,
            range: start..end,
        });
    }

    fn token(&mut self, byte: u8) {
        let start = self.at;
        match byte {
            b'"' | b'\'' => {
                self.quoted(byte, start);
                self.push(TokenKind::Literal, start);
            }
            b'0'..=b'9' => self.number(start),
            b'.' if self.peek(1).is_some_and(|next| next.is_ascii_digit()) => self.number(start),
            _ if is_word(byte) => self.word(start),
            _ => {
                let rest = &self.text[start..];
                let spliced = self.continuation(start + 1);
                let behind = self.text.get(start + 1 + spliced);
                // `<::` is `<` and `::` before all but `:` and `>`.
                let scope = matches!(rest, [b'<', b':', b':', after, ..] if !b":>".contains(after));
                if DIGRAPHS.iter().any(|it| rest.starts_with(it)) && !scope {
                    self.unclear("a digraph", start);
                } else if spliced > 0 && byte == b'/' && matches!(behind, Some(b'/' | b'*')) {
                    self.unclear("a line continuation inside of a token", start);
                }
                let longest = PUNCTUATION
                    .iter()
                    .find(|punct| rest.starts_with(punct.as_bytes()));
                self.at += longest.map_or(1, |punct| punct.len());
                self.push(TokenKind::Punct, start);
            }
        }
    }

    fn word(&mut self, start: usize) {
        while self
            .peek(0)
            .is_some_and(|byte| is_word(byte) || byte.is_ascii_digit())
        {
            self.at += 1;
        }
        let spliced = self.continuation(self.at);
        let behind = self.peek(spliced);
        if spliced > 0 && behind.is_some_and(|it| is_word(it) || it.is_ascii_digit()) {
            self.unclear("a line continuation inside of a token", start);
        }
        let word = &self.text[start..self.at];
        match self.peek(0) {
            Some(b'"') if matches!(word, b"R" | b"LR" | b"uR" | b"UR" | b"u8R") => {
                self.raw_string(start);
            }
            Some(quote @ (b'"' | b'\'')) if matches!(word, b"L" | b"u" | b"U" | b"u8") => {
                self.quoted(quote, start);
                self.push(TokenKind::Literal, start);
            }
            _ => self.push(TokenKind::Word, start),
        }
    }

    /// A preprocessing number: digits, letters, points, signed exponents, digit separators.
    fn number(&mut self, start: usize) {
        while let Some(byte) = self.peek(0) {
            let signed = matches!(byte, b'+' | b'-')
                && self.at > start
                && matches!(self.text[self.at - 1], b'e' | b'E' | b'p' | b'P');
            let separator = byte == b'\''
                && self
                    .peek(1)
                    .is_some_and(|next| is_word(next) || next.is_ascii_digit());
            if !(is_word(byte) || byte.is_ascii_digit() || byte == b'.' || separator || signed) {
                break;
            }
            self.at += 1;
        }
        self.push(TokenKind::Number, start);
    }

    /// Moves past a literal whose opening quote is at `self.at`; it ends with its line at the latest.
    fn quoted(&mut self, quote: u8, start: usize) {
        self.at += 1;
        while let Some(byte) = self.peek(0) {
            match byte {
                b'\n' => break,
                b'\\' => self.at += self.continuation(self.at).max(2),
                _ => {
                    self.at += 1;
                    if byte == quote {
                        return;
                    }
                }
            }
        }
        self.at = self.at.min(self.text.len());
        self.unterminated("string", start);
    }

    fn raw_string(&mut self, start: usize) {
        let open = self.at + 1;
        let delimiter = self.text[open..]
            .iter()
            .take(17)
            .position(|&byte| byte == b'(');
        let end = delimiter.and_then(|length| {
            let close = [b")", &self.text[open..open + length], b"\""].concat();
            let body = open + length + 1;
            find(&self.text[body..], &close).map(|at| body + at + close.len())
        });
        match end {
            Some(end) => self.at = end,
            None => {
                self.at = self.text.len();
                self.unterminated("raw string", start);
            }
        }
        self.push(TokenKind::Literal, start);
    }
}

/// The word behind a directive's `#`, line splices taken out as translation phase 2 does.
pub(super) fn directive_name(directive: &[u8]) -> Vec<u8> {
    let mut rest = directive.get(1..).unwrap_or_default();
    let mut name = Vec::new();
    loop {
        rest = match rest {
            [b'\\', b'\n', after @ ..] | [b'\\', b'\r', b'\n', after @ ..] => after,
            [b' ' | b'\t', after @ ..] if name.is_empty() => after,
            [letter, after @ ..] if letter.is_ascii_alphabetic() => {
                name.push(*letter);
                after
            }
            _ => return name,
        };
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte == b'$' || byte >= 0x80
}

fn find(text: &[u8], wanted: &[u8]) -> Option<usize> {
    memchr::memmem::find(text, wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<String> {
        pattern(text).unwrap()
    }

    #[test]
    fn comments_and_white_space_are_no_tokens() {
        assert_eq!(texts("a /* b { */ ; // c\n d"), ["a", ";", "d"]);
    }

    #[test]
    fn a_raw_string_is_one_token_whatever_stands_in_it() {
        let raw = "R\"x(\"{ )\" // )x\"";
        assert_eq!(texts(&format!("f({raw});")), ["f", "(", raw, ")", ";"]);
    }

    #[test]
    fn strings_and_characters_keep_their_braces_and_escapes() {
        let text = r#"'{' "\"}" u8"a" L'\''"#;
        assert_eq!(texts(text), ["'{'", r#""\"}""#, "u8\"a\"", "L'\\''"]);
    }

    #[test]
    fn a_digit_separator_is_no_character_literal() {
        assert_eq!(
            texts("1'000'000 + 0x1p-3 .5f"),
            ["1'000'000", "+", "0x1p-3", ".5f"]
        );
    }

    #[test]
    fn a_directive_is_one_token_with_its_continuation_and_without_its_comment() {
        let text = "#define A(x) \\\n  { x // y\nint b;";
        assert_eq!(texts(text), ["#define A(x) \\\n  { x", "int", "b", ";"]);
    }

    #[test]
    fn shifts_and_comparisons_are_the_longest_tokens() {
        let expected = ["(", "a", ">>", "20", ")", ">=", "b", "->", "c"];
        assert_eq!(texts("(a>>20)>=b->c"), expected);
    }

    #[test]
    fn what_has_no_end_is_an_error_that_says_where() {
        let error = |what, at| Err(LexError { what, at });
        assert_eq!(pattern("a \"b"), error("string", 2));
        assert_eq!(pattern("a /* b"), error("comment", 2));
        assert_eq!(pattern("R\"(b"), error("raw string", 0));
    }

    #[test]
    fn spellings_that_the_readers_do_not_follow_are_unclear() {
        let unclear = |text: &str| lex_all(text.as_bytes()).unclear.map(|(at, _)| at);
        for text in [
            "x %:if 0\n",
            "f <% %>",
            "a<:0:>",
            "y // a \\ \nint b;",
            "y fo\\\no",
            "y /\\\n/ c",
            "#/**/if 0\n",
        ] {
            assert!(unclear(text).is_some(), "{text}");
        }
        for text in [
            "a<::b>",
            "x // a \\\n b",
            "x // a \\\r\n b",
            "\"<%\" /* %: */",
            "#if a \\\n && b\n",
            "f(a, \\\n b);",
            "a ? b::c :d",
        ] {
            assert_eq!(unclear(text), None, "{text}");
        }
    }

    #[test]
    fn no_bytes_make_the_lexer_panic_or_leave_the_text() {
        let bytes = proptest::sample::select(b"R\"'(){}/*\\\n\r#x1. \xC3".to_vec());
        proptest::proptest!(|(bytes in proptest::collection::vec(bytes, 0..60))| {
            for token in lex_all(&bytes).tokens {
                assert!(token.range.start < token.range.end && token.range.end <= bytes.len());
            }
        });
    }
}
