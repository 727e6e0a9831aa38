//! A YAML file as a tree whose every node knows its line and column, and the check of that tree against a
//! JSON Schema. Overlays, pins, reviewed shapes and the configuration are all read through it, so that a
//! file's errors are found at once and each points at its place.

mod bytes;
mod check;
mod error;
mod form;
mod parse;
mod problem;
mod reference;
mod scalar;
#[cfg(test)]
mod tests;
mod tree;

pub use bytes::{MAX_BYTES, read_limited};
pub(crate) use error::Problem;
pub use error::{Fault, Faults};
pub use form::{Document, schema_of};
pub use problem::YamlProblem;
pub use reference::reference;
pub use tree::{Entry, Layout, Mark, Node, Step, Value};

pub(crate) use error::closest;
