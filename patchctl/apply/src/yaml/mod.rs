//! The one YAML reader and the one YAML writer of patchctl: the lock is read here, and every other form by the program.
//! Not an interface of this crate.
//!
//! [`parse`] gives a tree whose nodes know their line and column, within [`Limits`]; a node is a serde deserializer.
//! [`to_yaml`] writes any serializable value so that YAML 1.1 and YAML 1.2 readers agree on every text.

mod parse;
mod problem;
mod read;
mod scalar;
mod tree;
mod write;

pub use parse::parse;
pub use problem::{Limits, YamlProblem};
pub use read::FormError;
pub use tree::{Entry, Layout, Mark, Node, Step, Value};
pub use write::to_yaml;
