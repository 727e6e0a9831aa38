//! Hides from the parser what its grammar has no rule for. Hidden bytes are overwritten to equal length, so that offsets
//! stay; the text's own tokens, which are compared, keep them. The scan of braces reads the text itself.

use std::ops::Range;

use super::braces::Braces;
use super::dialect::{Dialect, Reading};
use super::lex::{Lexed, Token, TokenKind, lex_all};

/// A text as the parser is to see it.
pub(crate) fn blanked(text: &[u8], reading: &Reading) -> Vec<u8> {
    let lexed = lex_all(text);
    blank(text, &lexed, &Braces::scan(text, &lexed), reading)
}

/// The same, of tokens and braces that are at hand.
pub(super) fn blank(text: &[u8], lexed: &Lexed, braces: &Braces, reading: &Reading) -> Vec<u8> {
    let mut blanks = Blanks {
        text,
        tokens: &lexed.tokens,
        braces,
        open: Vec::new(),
        begins: true,
        out: text.to_vec(),
    };
    let mut index = 0;
    while index < lexed.tokens.len() {
        index = blanks.token(index, reading);
    }
    blanks.comments(lexed);
    blanks.out
}

struct Blanks<'t> {
    text: &'t [u8],
    tokens: &'t [Token],
    braces: &'t Braces,
    /// The brackets that are open.
    open: Vec<u8>,
    /// The next token begins a declaration or statement.
    begins: bool,
    out: Vec<u8>,
}

impl<'t> Blanks<'t> {
    /// Looks at a token and hides what it begins; gives the index of the token to go on with.
    fn token(&mut self, index: usize, reading: &Reading) -> usize {
        let bytes = self.bytes(index);
        let begins = std::mem::replace(&mut self.begins, false);
        let hidden = match self.tokens[index].kind {
            TokenKind::Directive => {
                self.begins = true;
                None
            }
            TokenKind::Word => self.word(index, begins, reading),
            TokenKind::Punct => match bytes {
                b"<<" if reading.dialect == Dialect::Cuda => self.launch(index),
                b"[" if reading.dialect == Dialect::Metal => self.attribute(index),
                b"=" => return self.braced_default(index),
                _ => None,
            },
            _ => None,
        };
        if let Some(behind) = hidden {
            self.fill(index..behind);
            self.begins = begins;
            return behind;
        }
        self.bracket(bytes);
        self.begins |= match bytes {
            b";" | b"{" | b"}" => true,
            b":" => {
                let before = self.bytes(index.wrapping_sub(1));
                matches!(before, b"public" | b"protected" | b"private")
            }
            _ => false,
        };
        index + 1
    }

    fn bytes(&self, index: usize) -> &'t [u8] {
        let token = self.tokens.get(index);
        token.map_or(b"", |token| &self.text[token.range.clone()])
    }

    fn bracket(&mut self, bytes: &[u8]) {
        let opening = match bytes {
            [bracket @ (b'(' | b'[' | b'{')] => return self.open.push(*bracket),
            b")" => b'(',
            b"]" => b'[',
            b"}" => b'{',
            _ => return,
        };
        self.open.pop_if(|last| *last == opening);
    }

    /// The index behind what a word hides.
    fn word(&mut self, index: usize, begins: bool, reading: &Reading) -> Option<usize> {
        let word = self.bytes(index);
        if reading.hides(word) {
            return Some(index + 1);
        }
        if reading.dialect.hides_call(word) {
            return self.closed(index + 1);
        }
        if word == b"__builtin_available" {
            self.availability(index + 1);
        } else if begins && (is_macro(word) || reading.dialect.instantiates(word)) {
            let behind = self.closed(index + 1)?;
            return (self.is_declared(behind) && self.is_in_scope(index)).then_some(behind);
        }
        None
    }

    /// Hides the arguments of clang's `__builtin_available(macOS 26, *)`.
    fn availability(&mut self, open: usize) {
        let listed = |index: &usize| {
            let kind = self.tokens.get(*index).map(|token| token.kind);
            matches!(kind, Some(TokenKind::Word | TokenKind::Number))
                || matches!(self.bytes(*index), b"," | b"*")
        };
        let close = open + 1 + (open + 1..).take_while(listed).count();
        if self.bytes(open) == b"(" && self.bytes(close) == b")" {
            self.fill(open + 1..close);
        }
    }

    /// The index behind the parentheses that open at token `open`; `None` where a brace, a semicolon or a directive comes
    /// first.
    fn closed(&self, open: usize) -> Option<usize> {
        let mut depth = 0_usize;
        for index in open..self.tokens.len() {
            match self.bytes(index) {
                b"(" => depth += 1,
                b")" => depth = depth.checked_sub(1)?,
                b"{" | b"}" | b";" => return None,
                _ if self.tokens[index].kind == TokenKind::Directive => return None,
                _ => {}
            }
            if depth == 0 {
                return (index > open).then_some(index + 1);
            }
        }
        None
    }

    /// Returns true if a declaration, or the end of all of them, stands at a token: the macro's call before it is no part of
    /// an expression, and no declaration itself.
    fn is_declared(&self, index: usize) -> bool {
        let bytes = self.bytes(index);
        match self.tokens.get(index).map(|token| token.kind) {
            None | Some(TokenKind::Directive) => true,
            Some(TokenKind::Word) => !matches!(
                bytes,
                b"const"
                    | b"volatile"
                    | b"noexcept"
                    | b"override"
                    | b"final"
                    | b"throw"
                    | b"try"
                    | b"requires"
            ),
            _ => matches!(bytes, b"}" | b"~") || (bytes == b"[" && self.bytes(index + 1) == b"["),
        }
    }

    /// Returns true if a token stands in no brace but those of namespaces and classes' bodies. In a function a macro may
    /// begin a loop whose body is the next statement.
    fn is_in_scope(&self, index: usize) -> bool {
        match self.braces.around(self.tokens[index].range.start) {
            None => true,
            Some(None) => false,
            Some(Some(brace)) => {
                let brace = self.tokens.partition_point(|it| it.range.start < brace);
                self.is_scope(brace)
            }
        }
    }

    /// Returns true if the brace at a token is a namespace's, a linkage block's or a class's.
    fn is_scope(&self, brace: usize) -> bool {
        for index in (0..brace).rev() {
            match self.bytes(index) {
                b"namespace" | b"class" | b"struct" | b"union" => return true,
                b"extern" => return index + 2 == brace,
                b"(" | b")" | b"=" | b"->" | b";" | b"{" | b"}" => return false,
                [b'#', ..] => return false,
                _ => {}
            }
        }
        false
    }

    /// The index behind an attribute, `[[…]]`, that begins at a token.
    fn attribute(&self, index: usize) -> Option<usize> {
        if self.bytes(index + 1) != b"[" {
            return None;
        }
        let mut depth = 0_usize;
        for at in index..self.tokens.len() {
            match self.bytes(at) {
                b"[" | b"(" => depth += 1,
                b")" => depth = depth.checked_sub(1)?,
                b"]" if depth == 2 => {
                    return (self.bytes(at + 1) == b"]").then_some(at + 2);
                }
                b"]" => depth = depth.checked_sub(1)?,
                b"{" | b"}" | b";" => return None,
                _ => {}
            }
        }
        None
    }

    /// The index behind `<<<grid, block>>>` of a kernel's launch that begins at a token.
    fn launch(&self, index: usize) -> Option<usize> {
        let adjacent = |index: usize| {
            let next = self.tokens.get(index + 1);
            next.is_some_and(|next| next.range.start == self.tokens[index].range.end)
        };
        if self.bytes(index + 1) != b"<" || !adjacent(index) {
            return None;
        }
        for at in index + 2..self.tokens.len() {
            match self.bytes(at) {
                b">>" if self.bytes(at + 1) == b">" && adjacent(at) => return Some(at + 2),
                b";" | b"{" | b"}" => return None,
                _ => {}
            }
        }
        None
    }

    /// A default argument in braces (`Stream s = {}`), whose `=` is at `index`, becomes a number.
    fn braced_default(&mut self, index: usize) -> usize {
        let open = index + 1;
        if self.open.last() != Some(&b'(') || self.bytes(open) != b"{" {
            return index + 1;
        }
        let mut depth = 0_usize;
        for at in open..self.tokens.len() {
            match self.bytes(at) {
                b"{" => depth += 1,
                b"}" => depth -= 1,
                b";" => break,
                _ if self.tokens[at].kind == TokenKind::Directive => break,
                _ => {}
            }
            if depth == 0 {
                if matches!(self.bytes(at + 1), b"," | b")") {
                    self.fill(open..at + 1);
                    self.out[self.tokens[open].range.start] = b'0';
                    return at + 1;
                }
                break;
            }
        }
        index + 1
    }

    /// Comments in a directive: the parser ends a macro's body at the first.
    fn comments(&mut self, lexed: &Lexed) {
        let directives = self.tokens.iter();
        let mut directives = directives
            .filter(|it| it.kind == TokenKind::Directive)
            .peekable();
        for comment in &lexed.comments {
            while directives
                .next_if(|it| it.range.end <= comment.start)
                .is_some()
            {}
            let around = directives.peek().map(|it| it.range.clone());
            if around.is_some_and(|it| it.start < comment.start && comment.end < it.end) {
                self.hide(comment.clone());
            }
        }
    }

    /// Overwrites tokens and what stands between them.
    fn fill(&mut self, tokens: Range<usize>) {
        let tokens = self.tokens.get(tokens).unwrap_or_default();
        if let (Some(first), Some(last)) = (tokens.first(), tokens.last()) {
            self.hide(first.range.start..last.range.end);
        }
    }

    /// Overwrites bytes; lines stay lines.
    fn hide(&mut self, range: Range<usize>) {
        for byte in &mut self.out[range] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
    }
}

/// Returns true if a word is written as macros are.
fn is_macro(word: &[u8]) -> bool {
    let capital = |byte: &u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_';
    word.len() > 1 && word.iter().all(capital)
}
