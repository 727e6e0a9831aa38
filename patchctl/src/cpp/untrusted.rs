//! Definitions that stand in the text and that no trusted construct is read from. Only tokens are looked at: this
//! tells 'it is there, and cannot be trusted' from 'it is not there', and finds nothing to edit.

use std::ops::Range;

use super::braces::normalised;
use super::construct::{Construct, ConstructKind, without_arguments};
use super::lex::{Token, TokenKind, pattern};
use super::parse::Parsed;

/// A head that reads like the definition that was looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UntrustedHead {
    /// Its bytes, up to the opening brace.
    pub range: Range<usize>,
    /// The reason why it is not trusted.
    pub why: String,
}

/// Tokens between a function's parameter list and its body, at the most: qualifiers, a trailing return type.
const FUNCTION_HEAD: usize = 256;

/// Words between `class` and the class's name, at the most.
const CLASS_HEAD: usize = 16;

impl Parsed {
    /// The first definition of a kind whose name can be `wanted`, and that is not read as a trusted construct. For a
    /// function that is a head with a body (`C::f(…) … {`), or its class's head where that is misread
    /// (`class API C {`).
    pub fn untrusted(&self, kind: ConstructKind, wanted: &str) -> Option<UntrustedHead> {
        let plain = &without_arguments(wanted);
        match kind {
            ConstructKind::Function => self.function_head(plain).or_else(|| {
                let (class, _) = plain.rsplit_once("::")?;
                self.class_head(class)
            }),
            ConstructKind::Class | ConstructKind::Member => self.class_head(plain),
            ConstructKind::Namespace => self.namespace_head(wanted),
            ConstructKind::Include => self.include_line(wanted),
            ConstructKind::Line => None,
        }
    }

    fn function_head(&self, wanted: &str) -> Option<UntrustedHead> {
        let last = wanted.rsplit("::").next().unwrap_or(wanted);
        let name = pattern(last).ok()?;
        let tokens = self.tokens();
        let hits = self.find_tokens(&(0..self.text().len()), &name);
        hits.into_iter().find_map(|hit| {
            let first = tokens.partition_point(|token| token.range.start < hit.start);
            let brace = self.body_after(first + name.len())?;
            let start = self.qualified_from(first);
            let before = &tokens[start.checked_sub(1)?];
            // A constructor's qualified name may be the first of its declaration.
            let begins = start < first && matches!(self.bytes(before), b"}" | b";" | b"{");
            if !begins && !self.may_precede(before) {
                return None;
            }
            let read = self.read_from(ConstructKind::Function, hit.start);
            let written: String = match read {
                Some(read) => read.name.clone(),
                None => self.written(tokens[start].range.start..hit.end),
            };
            if !may_be(&written, wanted) {
                return None;
            }
            let why = match read {
                Some(read) => read.distrust.as_deref()?,
                None => {
                    "the parser does not read its lines as a function; an unbalanced `#if` branch or a macro \
                     before it can be the reason"
                }
            };
            Some(UntrustedHead {
                range: hit.start..tokens[brace].range.start,
                why: why.to_owned(),
            })
        })
    }

    fn class_head(&self, wanted: &str) -> Option<UntrustedHead> {
        let name = wanted.rsplit("::").next().unwrap_or(wanted);
        let tokens = self.tokens();
        (0..tokens.len()).find_map(|at| {
            if !matches!(self.bytes(&tokens[at]), b"class" | b"struct" | b"union") {
                return None;
            }
            let is_word = |token: &&Token| {
                token.kind == TokenKind::Word && !matches!(self.bytes(token), b"final" | b"class")
            };
            let words: Vec<&Token> = tokens[at + 1..]
                .iter()
                .take(CLASS_HEAD)
                .take_while(is_word)
                .collect();
            let (macro_name, last) = (words.first()?, words.last()?);
            let next = self.bytes(tokens.get(at + 1 + words.len())?);
            let opens = matches!(next, b"{" | b":" | b"final");
            let range = tokens[at].range.start..last.range.end;
            let trusted = self.starting_at(ConstructKind::Class, range.start);
            if words.len() < 2 || self.bytes(last) != name.as_bytes() || !opens || trusted {
                return None;
            }
            let macro_name = String::from_utf8_lossy(self.bytes(macro_name));
            let head = String::from_utf8_lossy(&self.text()[range.clone()]);
            Some(UntrustedHead {
                why: format!(
                    "the parser does not read `{head}` (line {}) as a class; if `{macro_name}` is an export \
                     macro, add `macros: [{macro_name}]` to the overlay",
                    self.lines().number(range.start)
                ),
                range,
            })
        })
    }

    fn namespace_head(&self, wanted: &str) -> Option<UntrustedHead> {
        let tokens = self.tokens();
        (0..tokens.len()).find_map(|at| {
            if self.bytes(&tokens[at]) != b"namespace" {
                return None;
            }
            let name = tokens[at + 1..].iter().take(CLASS_HEAD);
            let name: Vec<&Token> = name.take_while(|it| self.bytes(it) != b"{").collect();
            let brace = tokens.get(at + 1 + name.len())?;
            let (first, last) = (name.first()?, name.last()?);
            let written = self.written(first.range.start..last.range.end);
            if self.bytes(brace) != b"{" || !may_be(&written, wanted) {
                return None;
            }
            let start = tokens[at].range.start;
            let read = self.read_from(ConstructKind::Namespace, start);
            let why = match read {
                Some(read) => read.distrust.as_deref()?,
                None => "the parser does not read its lines as a namespace",
            };
            Some(UntrustedHead {
                range: start..brace.range.start,
                why: why.to_owned(),
            })
        })
    }

    fn include_line(&self, wanted: &str) -> Option<UntrustedHead> {
        let tokens = self.tokens().iter();
        let mut directives = tokens.filter(|token| token.kind == TokenKind::Directive);
        let line = directives.find(|token| {
            let line = normalised(self.bytes(token));
            line.strip_prefix("#include").map(str::trim) == Some(wanted)
                && !self.starting_at(ConstructKind::Include, token.range.start)
        })?;
        Some(UntrustedHead {
            range: line.range.clone(),
            why: "the parser does not read this line as an include".to_owned(),
        })
    }

    /// A name without white space.
    fn written(&self, range: Range<usize>) -> String {
        let tokens = self.tokens_in(&range).concat();
        String::from_utf8_lossy(&tokens).into_owned()
    }

    /// The construct of a kind whose head holds the byte at `offset`.
    fn read_from(&self, kind: ConstructKind, offset: usize) -> Option<&Construct> {
        let all = self.constructs();
        let behind = all.partition_point(|construct| construct.range.start <= offset);
        let last = all[..behind].iter().rev();
        let last = last.take(FUNCTION_HEAD).find(|it| it.kind == kind)?;
        let body = last.body.as_ref().unwrap_or(&last.range);
        (offset < body.start).then_some(last)
    }

    /// Returns true if a trusted construct of a kind begins at `offset`.
    fn starting_at(&self, kind: ConstructKind, offset: usize) -> bool {
        let all = self.constructs();
        let first = all.partition_point(|construct| construct.range.start < offset);
        let mut there = all[first..]
            .iter()
            .take_while(|it| it.range.start == offset);
        there.any(|it| it.kind == kind && it.distrust.is_none())
    }

    /// The index of the first token of the qualified name whose last part begins at token `last`.
    fn qualified_from(&self, last: usize) -> usize {
        let tokens = self.tokens();
        let mut first = last;
        if first > 0 && self.bytes(&tokens[first - 1]) == b"~" {
            first -= 1;
        }
        while first >= 2
            && self.bytes(&tokens[first - 1]) == b"::"
            && tokens[first - 2].kind == TokenKind::Word
        {
            first -= 2;
        }
        first
    }

    /// Returns true if the token can stand before a declared name: the end of a type, or a qualifier.
    fn may_precede(&self, token: &Token) -> bool {
        let text = self.bytes(token);
        match token.kind {
            TokenKind::Word => !matches!(
                text,
                b"return" | b"else" | b"new" | b"delete" | b"throw" | b"case"
            ),
            TokenKind::Punct => matches!(text, b"*" | b"&" | b"&&" | b">" | b"::"),
            _ => false,
        }
    }

    /// The opening brace of the body that follows a parameter list at `at`; `None` where there is no list,
    /// or where it belongs to a declaration or a call.
    fn body_after(&self, at: usize) -> Option<usize> {
        let tokens = self.tokens();
        if self.bytes(tokens.get(at)?) != b"(" {
            return None;
        }
        let mut depth = 0_usize;
        let mut list_is_over = false;
        // Behind a colon or arrow stand initialisers or a type, which hold commas.
        let mut listing = false;
        for (index, token) in tokens.iter().enumerate().skip(at).take(FUNCTION_HEAD) {
            match self.bytes(token) {
                b"(" => depth += 1,
                b")" => {
                    depth = depth.checked_sub(1)?;
                    list_is_over = true;
                }
                b"{" if depth == 0 && list_is_over => return Some(index),
                b":" | b"->" if depth == 0 => listing = true,
                b"," if depth == 0 && !listing => return None,
                b";" | b"}" | b"=" | b"." | b"?" if depth == 0 => return None,
                _ => {}
            }
        }
        None
    }
}

/// Returns true if a name as it is written, or as a construct has it, can be the `wanted` one: neither says a scope that
/// the other denies.
fn may_be(written: &str, wanted: &str) -> bool {
    let (written, wanted) = (without_arguments(written), without_arguments(wanted));
    let parts = |name: &str| -> Vec<String> {
        let parts = name
            .rsplit("::")
            .filter(|it| !it.is_empty() && *it != "(anonymous)");
        parts.map(str::to_owned).collect()
    };
    let (written, wanted) = (parts(&written), parts(&wanted));
    written.iter().zip(&wanted).all(|(one, other)| one == other)
}

#[cfg(test)]
mod tests {
    use super::super::dialect::Reading;
    use super::*;

    fn lines(text: &str, wanted: &str) -> Vec<usize> {
        let parsed = Parsed::new(text.as_bytes(), &Reading::default());
        let found = parsed.untrusted(ConstructKind::Function, wanted);
        found
            .iter()
            .map(|it| parsed.lines().number(it.range.start))
            .collect()
    }

    #[test]
    fn a_function_behind_an_unbalanced_branch_is_there_unread() {
        let text = "namespace n {\nvoid C::a() {\n#ifdef X\n  if (p) {\n#else\n  if (q) {\n#endif\n    x();\n  }\n}\n\n\
                    bool C::f() const {\n  return true;\n}\n\nvoid C::z() {}\n} // namespace n\n";
        assert_eq!(lines(text, "C::f"), [12]);
    }

    #[test]
    fn a_call_a_declaration_and_a_function_that_was_read_are_not_unread() {
        let text = "bool f(int x);\nstruct C { bool g() const; };\nbool f(int x) {\n  return f(1) || g(f(2));\n}\n\
                    int y = f(3);\nvoid h() {\n  if (f(4)) {\n  }\n  C::g();\n}\n";
        assert_eq!(lines(text, "f"), [] as [usize; 0]);
        assert_eq!(lines(text, "C::g"), [] as [usize; 0]);
    }

    #[test]
    fn a_member_of_a_class_with_a_macro_in_its_head_is_there_unread_and_the_macro_is_named() {
        let text = "class API Ring : public Base {\n public:\n  void push(int v) { x = v; }\n};\n";
        let parsed = Parsed::new(text.as_bytes(), &Reading::default());
        let found = parsed.untrusted(ConstructKind::Class, "n::Ring").unwrap();
        assert!(found.why.contains("macros: [API]"), "{}", found.why);
        let reading = Reading {
            macros: vec!["API".to_owned()],
            ..Reading::default()
        };
        let named = Parsed::new(text.as_bytes(), &reading);
        assert_eq!(named.untrusted(ConstructKind::Function, "Ring::pull"), None);
    }
}
