//! C++ as a tree: where functions, includes, classes, namespaces and statements stand, and whether the
//! reading of them can be trusted. Two independent readers look at every file, tree-sitter (`parse`) and
//! a scan of tokens and braces (`lex.rs`, `braces.rs`); a construct is trusted where they agree.

mod blank;
mod braces;
mod conditions;
mod construct;
mod dialect;
mod lex;
mod limits;
mod lines;
mod outline;
mod parse;
mod statements;
mod syntax;
mod untrusted;

#[cfg(test)]
mod tests;

pub(crate) use blank::blanked;
pub(crate) use braces::normalised;
pub(crate) use conditions::same_conditions;
pub(crate) use construct::{Construct, ConstructKind, name_matches, spelled, without_arguments};
pub use dialect::{Dialect, Reading};
pub(crate) use lex::{LexError, Token, TokenKind, lex, pattern};
pub(crate) use limits::Exceeded;
#[cfg(test)]
pub(crate) use limits::Limit;
pub(crate) use lines::Lines;
pub use parse::Parsed;
pub(crate) use statements::{Statement, StatementKind};
pub(crate) use syntax::Syntax;
pub(crate) use untrusted::UntrustedHead;
