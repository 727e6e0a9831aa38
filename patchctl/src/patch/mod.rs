//! From overlays and upstream's text to patched text: locate each edit, choose variants, put the text in,
//! prove the landing, check the result. Nothing here reads files or knows of revisions' history.

mod carry;
mod check;
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
mod tests;

pub(crate) use carry::Carried;
pub use carry::carry;
pub(crate) use check::structure;
pub(crate) use explain::{Where, findings, review_finding};
pub(crate) use landing::{EditKey, Landing};
pub use patched_file::PatchedFile;
pub(crate) use prove::{Base, Verdict, judge};
pub(crate) use select::Problem;
pub(crate) use texts::Text;
pub use texts::{Texts, paths};
