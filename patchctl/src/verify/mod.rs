//! Does it hold? The levels of proof, each over many revisions at once.

pub mod compile;
mod culprit;
pub mod custom_check;
pub mod decode;
mod explorer;
pub mod mutants;
pub mod run;
mod said;
mod structure;
pub mod workbench;

pub use crate::report::Level;
pub use structure::{Outcome, Structure, Subject};
