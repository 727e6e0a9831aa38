//! Reviewed diffs: for each pin and overlay one snapshot of what the overlay does to upstream, in insta's
//! file format, so that a pull request shows it and `cargo insta` can accept it.
//!
//! `snapshot` says what is in one, `text` how a person reads it and how it is read back, `front` is insta's
//! front matter, `folder` the files, `agree` how they are held against the lock. No upstream line is in a
//! snapshot but those that an overlay takes away.

mod agree;
mod folder;
mod front;
mod snapshot;
#[cfg(test)]
mod tests;
mod text;

pub use agree::{Standing, damaged, differs};
pub use folder::{Filed, State, file_name, filed};
pub use front::Front;
pub use snapshot::{Line, Location, Part, Snapshot};
