//! From overlays and upstream's text to patched text: locate each edit, choose variants, put the text in,
//! prove the landing, check the result. Nothing here reads files or knows of revisions' history.

mod carry;
mod check;
mod commute;
mod condition;
mod explain;
mod landing;
mod likeness;
mod locate;
mod merge_locator;
mod order;
mod patched_file;
mod prove;
mod select;
mod shape;
mod suggest;
mod texts;

#[cfg(test)]
mod pathological;
#[cfg(test)]
mod tests;

pub use carry::{Carried, Problem, carry};
pub use check::structure;
pub use explain::{Elsewhere, Where, findings, review_finding};
pub use landing::{EditKey, Landing};
pub use order::OrderProblem;
pub use patched_file::PatchedFile;
pub use prove::{Base, Known, Verdict, judge};
pub use shape::Shape;
pub use texts::{Text, Texts, macros, paths};
