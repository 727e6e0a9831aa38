//! From a problem to findings: what is, what was expected, the code, the likeliest places, and the YAML to
//! add. A reader should be able to mend the overlay from this alone.

mod hunk;
mod instead;
mod mend;
mod miss;
mod premise;
mod problem;
mod review;
mod show;

pub use problem::{Elsewhere, Where, findings};
pub use review::review_finding;
