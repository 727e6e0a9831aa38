//! The levels of proof, each over many revisions at once. `docs/levels.md` says what each shows.

pub(crate) mod custom_check;
pub mod decode;
mod findings;
pub mod mutants;
mod patched_tree;
pub mod run;
mod structure;
mod symbols;
pub(crate) mod verifier;

pub use crate::report::Level;
pub use patched_tree::PatchedTree;
pub use structure::{Outcome, Structure};
