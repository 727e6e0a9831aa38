//! Mutants: is every line of an overlay needed, and would it be noticed if it were wrong?
//!
//! [`mutants`] makes faulty variants of the code that an overlay adds, as it landed in a tree; upstream's own code is
//! left alone. What is known to make no difference is not made, and the reason stands where it is left out.

mod change;
mod expressions;
mod generate;
mod names;
mod operator;
mod own;
mod statements;

#[cfg(test)]
mod tests;

pub use generate::{Mutant, mutants};
pub use operator::Operator;
