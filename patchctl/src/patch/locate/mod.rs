//! From an anchor to a place in upstream's text, exactly one or an error that shows every candidate.

mod anchor;
mod miss;
mod scope;
mod statement;

pub(super) use anchor::{At, Location, locate};
pub(super) use miss::{Candidate, Miss};
pub(super) use scope::{constructs, describe, untrusted};
pub(super) use statement::nested_hits;
