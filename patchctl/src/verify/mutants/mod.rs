//! Mutants: is every line of an overlay needed, and would it be noticed if it were wrong?
//!
//! [`mutants`] makes faulty variants of the code that an overlay adds, as it landed in a tree; upstream's own code is
//! left alone. [`Trial`] takes each through the levels `compile` and `run`: the first check that fails has noticed it, and
//! what none notices is code that nothing tests, or that is not needed. What is known to make no difference is not made, and the reason stands where it is left out.

mod expressions;
mod generate;
mod names;
mod statements;
mod trial;
mod walk;

#[cfg(test)]
mod tests;

pub use generate::{DROP_EDIT, DROP_HUNK, Mutant, mutants, mutants_of};
pub use trial::{Detection, Trial, Tried};
