//! YAML files whose every value knows its line and column. Overlays, the configuration, pins, reviews, records of checks
//! and decode models are read by [`read`] and written by [`text`], so that all faults of a file are found at once and
//! each points at its place. The reader of trees and the writer are those of the lock, in `patchctl_apply::yaml`.

mod bytes;
mod check;
mod error;
mod form;
mod problem;
mod reference;
#[cfg(test)]
mod tests;

pub use bytes::{names_below, read_below, read_limited};
pub(crate) use error::Problem;
pub use error::{Fault, Faults};
pub use form::schema_of;
pub use patchctl_apply::yaml::{Entry, Layout, Mark, Node, Step, Value};
pub use problem::YamlProblem;
pub use reference::reference;

pub(crate) use bytes::read_if_there;
pub(crate) use error::closest;
pub(crate) use form::{Form, Problems, head, read, text, tree};
