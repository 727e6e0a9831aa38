//! Definitions that stand in the text and that tree-sitter has not read as such. Only tokens are looked at:
//! this tells 'it is there, and cannot be trusted' from 'it is not there', and finds nothing to edit.

use std::ops::Range;

use super::construct::ConstructKind;
use super::lex::{Token, TokenKind, pattern};
use super::parse::Parsed;

/// A head that reads like the definition that was looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unread {
    /// Its bytes, up to the opening brace.
    pub range: Range<usize>,
    /// Why it is not trusted.
    pub why: String,
}

/// Tokens between a parameter list and its body, at the most: qualifiers, a trailing return type.
const HEAD: usize = 64;

impl Parsed {
    /// Heads of function definitions by that name that are not among the constructs: written out
    /// (`C::f(…) … {`), or inside of a class whose own head was misread (`class API C {`).
    pub fn unread_functions(&self, wanted: &str) -> Vec<Unread> {
        let Some(mut found) = pattern(wanted).ok().map(|name| self.function_heads(&name)) else {
            return Vec::new();
        };
        // A function that was misread may hold the whole of the next one, so only its head counts.
        let read = |head: &Unread| {
            let mut functions = self.of_kind(ConstructKind::Function);
            functions.any(|function| {
                let body = function.body.as_ref().unwrap_or(&function.range);
                (function.range.start..body.start).contains(&head.range.start)
            })
        };
        found.retain(|head| !read(head));
        if let (true, Some((class, _))) = (found.is_empty(), wanted.rsplit_once("::")) {
            found = self.unread_classes(class);
        }
        found
    }

    /// Heads of classes by that name that are not among the constructs.
    pub fn unread_classes(&self, wanted: &str) -> Vec<Unread> {
        let name = wanted.rsplit("::").next().unwrap_or(wanted);
        let tokens = self.tokens();
        let starts = (0..tokens.len())
            .filter(|&at| matches!(self.token(&tokens[at]), b"class" | b"struct" | b"union"));
        let mut found = Vec::new();
        for at in starts {
            let words = tokens[at + 1..]
                .iter()
                .take_while(|token| token.kind == TokenKind::Word && self.token(token) != b"final");
            let words: Vec<&Token> = words.collect();
            let (Some(macro_name), Some(last)) = (words.first(), words.last()) else {
                continue;
            };
            let next = tokens.get(at + 1 + words.len());
            let opens = next.is_some_and(|next| matches!(self.token(next), b"{" | b":" | b"final"));
            let range = tokens[at].range.start..last.range.end;
            let read = self
                .of_kind(ConstructKind::Class)
                .any(|class| class.range.start == range.start && class.distrust.is_none());
            if words.len() < 2 || self.token(last) != name.as_bytes() || !opens || read {
                continue;
            }
            let macro_name = String::from_utf8_lossy(self.token(macro_name)).into_owned();
            let head = String::from_utf8_lossy(&self.text()[range.clone()]).into_owned();
            found.push(Unread {
                why: format!(
                    "the parser does not read `{head}` (line {}) as a class; if `{macro_name}` is an export \
                     macro, add `macros: [{macro_name}]` to the overlay",
                    self.lines().number(range.start)
                ),
                range,
            });
        }
        found
    }

    fn token(&self, token: &Token) -> &[u8] {
        &self.text()[token.range.clone()]
    }

    fn function_heads(&self, name: &[String]) -> Vec<Unread> {
        let tokens = self.tokens();
        let all = 0..self.text().len();
        let hits = self.find_tokens(&all, name);
        let mut found = Vec::new();
        for hit in hits {
            let first = tokens.partition_point(|token| token.range.start < hit.start);
            let after = first + name.len();
            let declared = first
                .checked_sub(1)
                .is_some_and(|before| self.may_precede(&tokens[before]));
            let Some(brace) = self.body_after(after).filter(|_| declared) else {
                continue;
            };
            found.push(Unread {
                range: hit.start..tokens[brace].range.start,
                why: "the parser does not read its lines as a function; an unbalanced `#if` branch or a macro \
                      before it can be the reason"
                    .to_owned(),
            });
        }
        found
    }

    /// Whether the token can stand before a declared name: the end of a type, or a qualifier.
    fn may_precede(&self, token: &Token) -> bool {
        let text = self.token(token);
        match token.kind {
            TokenKind::Word => !matches!(
                text,
                b"return" | b"else" | b"new" | b"delete" | b"throw" | b"case"
            ),
            TokenKind::Punct => matches!(text, b"*" | b"&" | b"&&" | b">" | b"::" | b"~"),
            _ => false,
        }
    }

    /// The opening brace of the body that follows a parameter list at `at`; `None` where there is no list,
    /// or where it belongs to a declaration or a call.
    fn body_after(&self, at: usize) -> Option<usize> {
        let tokens = self.tokens();
        if self.token(tokens.get(at)?) != b"(" {
            return None;
        }
        let mut depth = 0_usize;
        let mut list_is_over = false;
        for (index, token) in tokens.iter().enumerate().skip(at).take(HEAD * 4) {
            match self.token(token) {
                b"(" => depth += 1,
                b")" => {
                    depth = depth.checked_sub(1)?;
                    list_is_over = true;
                }
                b"{" if depth == 0 && list_is_over => return Some(index),
                b";" | b"}" | b"=" | b"." | b"?" if depth == 0 => return None,
                _ => {}
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str, wanted: &str) -> Vec<usize> {
        let parsed = Parsed::new(text.as_bytes(), &[]);
        let found = parsed.unread_functions(wanted);
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
        let parsed = Parsed::new(text.as_bytes(), &[]);
        let found = parsed.unread_classes("n::Ring");
        assert_eq!(found.len(), 1);
        assert!(found[0].why.contains("macros: [API]"), "{}", found[0].why);
        let named = Parsed::new(text.as_bytes(), &["API".to_owned()]);
        assert_eq!(named.unread_functions("Ring::pull"), []);
    }
}
