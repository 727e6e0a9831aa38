//! Packages on crates.io that carry a release's tree, or something that a build of it needs.

mod carried;
mod objects;
mod opened;
mod package;
mod source;
mod table;

pub use carried::{Carried, FMT, JSON, METAL_CPP, unpacked};
pub(super) use source::CratesSource;
pub use table::{CrateRelease, Package, Place, built_in};
