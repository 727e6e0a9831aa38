//! From an anchor to a place in upstream's text, exactly one or an error that shows every candidate.

mod anchor;
mod found;
mod lines;
mod place;
mod statement;

pub use anchor::locate;
pub(super) use anchor::{constructs, describe, of_construct, unread};
pub use place::{At, Candidate, Miss, Place};
pub(super) use statement::nested_hits;
