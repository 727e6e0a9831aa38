//! Places of a repository that hold its pin: the way to the value, reading it, comparing it, rewriting it.

mod agree;
mod cmake;
mod edit;
mod find;
mod json;
mod model;
mod toml;
mod yaml;

#[cfg(test)]
mod tests;

pub use agree::place_disagreements;
pub use edit::{Rewrite, rewrites};
pub use find::{Found, find};
pub use model::{Form, PinPlace, Way};

pub(super) use model::one_group;
