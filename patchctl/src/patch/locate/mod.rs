//! From an anchor to a place in upstream's text, exactly one or an error that shows every candidate.

mod anchor;
mod lines;
mod location;
mod miss;
mod scope;
mod statement;
mod target;

pub(super) use anchor::locate;
pub(super) use location::{At, Location};
pub(super) use miss::{Candidate, Miss};
pub(super) use scope::{constructs, describe, untrusted};
pub(super) use statement::nested_hits;
