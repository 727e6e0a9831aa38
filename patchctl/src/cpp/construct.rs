//! Constructs: the pieces of a file that an anchor can name.

use std::ops::Range;
use std::sync::Arc;

/// Kinds of construct.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConstructKind {
    /// An `#include` line; its name is `<cstdlib>` or `"mlx/utils.h"`.
    Include,
    /// A function definition.
    Function,
    /// A class, struct or union definition.
    Class,
    /// A member of a class: a declaration or definition directly inside it.
    Member,
    /// A namespace block.
    Namespace,
    /// A line of a file without a grammar; its name is the line without the white space around it.
    Line,
}

impl ConstructKind {
    /// The word for it in messages.
    pub fn word(self) -> &'static str {
        match self {
            Self::Include => "include",
            Self::Function => "function",
            Self::Class => "class",
            Self::Member => "member",
            Self::Namespace => "namespace",
            Self::Line => "line",
        }
    }
}

/// A named piece of a file. All ranges are bytes of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Construct {
    /// Its kind.
    pub kind: ConstructKind,
    /// Full name, `mlx::core::metal::CommandEncoder::needs_commit`; an anonymous namespace is `(anonymous)`.
    pub name: String,
    /// A function's parameter list and what follows it up to its body, as tokens; empty for others.
    pub signature: Vec<String>,
    /// From its first byte (a template head included) to behind its last (a class's semicolon included).
    pub range: Range<usize>,
    /// From its opening to behind its closing brace.
    pub body: Option<Range<usize>>,
    /// The reason why its reading cannot be trusted; `None` where it can.
    pub distrust: Option<Arc<str>>,
}

impl Construct {
    /// Name and signature as a person writes them: `CommandEncoder::needs_commit() const`.
    pub fn display(&self) -> String {
        let mut text = self.name.clone();
        let mut previous = String::new();
        for token in &self.signature {
            let word = |text: &str| text.ends_with(|c: char| c.is_alphanumeric() || c == '_');
            let starts = |text: &str| text.starts_with(|c: char| c.is_alphanumeric() || c == '_');
            let after = word(&previous) || matches!(previous.as_str(), "," | ")" | "*" | "&" | ">");
            if after && starts(token) {
                text.push(' ');
            }
            text.push_str(token);
            previous.clone_from(token);
        }
        text
    }
}

/// Returns true if `wanted` is `full` or a whole number of its trailing components.
pub fn name_matches(full: &str, wanted: &str) -> bool {
    let wanted = wanted.trim_start_matches("::");
    full.strip_suffix(wanted)
        .is_some_and(|rest| rest.is_empty() || rest.ends_with("::"))
}

/// A name from its tokens, without white space except between words (`operator bool`).
pub fn spelled(tokens: impl IntoIterator<Item = String>) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    tokens.into_iter().fold(String::new(), |mut name, token| {
        if name.ends_with(is_word) && token.starts_with(is_word) {
            name.push(' ');
        }
        name + &token
    })
}

/// A name without its template arguments: `a::Pool<T>::take` as `a::Pool::take`. What an operator is called stays.
pub fn without_arguments(full: &str) -> String {
    let (full, operator) = match full.rfind("operator") {
        Some(at) => full.split_at(at),
        None => (full, ""),
    };
    let mut depth = 0_usize;
    let mut keep = |c: &char| {
        match c {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            _ => return depth == 0,
        }
        false
    };
    full.chars()
        .filter(|c| keep(c))
        .chain(operator.chars())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_matches_by_whole_trailing_components() {
        assert!(name_matches("a::b::C::f", "C::f") && name_matches("a::b::C::f", "::a::b::C::f"));
        assert!(!name_matches("a::b::XC::f", "C::f") && !name_matches("C::f", "b::C::f"));
    }

    #[test]
    fn template_arguments_can_be_left_out_of_a_name_but_not_of_an_operator() {
        assert_eq!(without_arguments("a::Pool<T, B<C>>::take"), "a::Pool::take");
        for (full, plain) in [
            ("a::X::operator<", "a::X::operator<"),
            ("a::X<T, 1>::operator->", "a::X::operator->"),
            ("a<B>::operator B<C>", "a::operator B<C>"),
        ] {
            assert_eq!(without_arguments(full), plain);
        }
    }
}
