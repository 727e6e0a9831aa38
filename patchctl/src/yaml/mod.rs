//! YAML files whose every value knows its line and column. Overlays, the configuration, pins, reviews, records of checks
//! and decode models are read by [`read`] and written by [`text`], so that all faults of a file are found at once and
//! each points at its place. The reader of trees and the writer are those of the lock, in `patchctl_apply::yaml`.

mod bytes;
mod check;
mod faults;
mod form;
mod reference;
#[cfg(test)]
mod tests;

pub use bytes::{names_below, read_below, read_limited};
pub use faults::Faults;
pub use form::schema_of;
pub use patchctl_apply::yaml::{Layout, Mark, Node, Value, YamlProblem};
pub use reference::reference;

pub(crate) use bytes::read_if_there;
pub(crate) use faults::{Cursor, NO_HELP, Problems, closest, first_line};
pub(crate) use form::{Form, head, read, text, tree};
