//! Builds the bridge and MLX itself, by compilers that patchctl starts: no cargo is in the loop.
//!
//! [`stub`] compiles the bridge's own C++. [`round_trip`] sets the override through it and reads it back, a process
//! for each environment. [`Library`] is an MLX built with CMake without Metal, to show that the patched tree still
//! builds where the overlays have nothing to say.

mod library;
mod step;
mod stub;
#[cfg(test)]
mod tests;

pub use library::{Kind, Library, Made, version_of};
pub use step::Tools;
pub use stub::{Linked, SETTINGS, round_trip, stub};
