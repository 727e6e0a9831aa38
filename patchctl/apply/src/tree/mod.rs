//! A tree of files: what state it is in, and how it is brought into the one that is wanted.

mod choose;
mod error;
mod hold;
mod options;
mod ours;
mod place;
mod plan;
mod problem;
mod record;
mod report;
mod walk;
mod write;

pub use choose::{Misfit, PinChoice};
pub use error::{ApplyError, Cause};
pub use options::{Leftovers, Mode, Options};
pub use ours::LostBlock;
pub use place::FILE_LIMIT;
pub use plan::{run, take_off};
pub use problem::{Obstacle, Problem};
pub use record::{RECORD_FILE, RecordedFile, TreeRecord, lock_digest};
pub use report::{FileReport, ForeignBlocks, Goal, TreeReport};
