//! Decoding a language model, as far as command buffers see it: which ops a token dispatches and what they read, taken
//! from a description, driven through MLX's own encoder. No kernel runs.
//!
//! [`Model`] is a description that was checked; [`scenario`] makes of it what the driver reads; [`measure`] says how many
//! command buffers and bytes each phase took; [`compare`] holds against each other what must be alike.

mod load;
mod measure;
mod model;
mod passes;
mod scenario;

#[cfg(test)]
mod tests;

pub(crate) use load::decode_schema;
pub use load::load;
#[cfg(test)]
pub(crate) use load::parse;
pub use measure::{Measured, compare, measure};
pub use model::Model;
pub use scenario::{Budget, Phase};
