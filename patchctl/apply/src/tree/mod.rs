//! A tree of files: what state it is in, and how it is brought into the one that is wanted.

mod choose;
mod error;
mod hold;
mod place;
mod plan;
mod problem;
mod report;
mod walk;
mod write;

pub use choose::{Misfit, PinChoice};
pub use error::{ApplyError, Cause};
pub use plan::{Leftovers, Mode, Options, run};
pub use problem::{Obstacle, Problem};
pub use report::{FileReport, Goal, TreeReport};
