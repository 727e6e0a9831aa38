//! Packages on crates.io that carry a release's tree, or something that a build of it needs.

mod library;
mod package;
pub(super) mod packages;
pub(super) mod table;

pub use library::{FMT, JSON, METAL_CPP, unpacked};
pub(super) use table::rows;
pub use table::{CrateRelease, Package, Place, built_in};
