//! C++ as a tree: where functions, includes, classes, namespaces and statements stand, and whether the
//! reading of them can be trusted. Two independent readers look at every file, tree-sitter (`tree.rs`) and
//! a scan of tokens and braces (`lex.rs`, `braces.rs`); a construct is trusted where they agree.

mod braces;
mod construct;
mod declarator;
mod lex;
mod limits;
mod lines;
mod parse;
mod statements;
mod syntax;
mod tree;
mod trust;
mod untrusted;

#[cfg(test)]
mod tests;

pub(crate) use braces::normalised;
pub use construct::{Construct, ConstructKind, name_matches, without_arguments};
pub use lex::{LexError, Token, TokenKind, lex, pattern};
pub use limits::{Exceeded, Limit};
pub use lines::{LineEnding, Lines};
pub use parse::Parsed;
pub use statements::{Statement, StatementKind};
pub use syntax::Syntax;
pub use untrusted::UntrustedHead;
