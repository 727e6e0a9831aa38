//! From overlays and upstream's text to patched text: locate each edit, choose variants, put the text in,
//! prove the landing, check the result. Nothing here reads files or knows of revisions' history.

mod carry;
mod check;
mod commute;
mod condition;
mod explain;
mod likeness;
mod locate;
mod order;
mod prove;
mod second;
mod select;
mod shape;
mod suggest;
mod texts;

#[cfg(test)]
mod tests;

pub use carry::{Carried, EditKey, Landing, PatchedFile, Problem, carry};
pub use check::structure;
pub use explain::{Elsewhere, Where, findings, review_finding};
pub use order::OrderProblem;
pub use prove::{Base, Known, Verdict, judge};
pub use shape::Shape;
pub use texts::{Text, Texts, macros, paths};
