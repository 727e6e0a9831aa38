//! Builds the bridge and MLX itself, by compilers that patchctl starts: no cargo is in the loop.
//!
//! [`stub`] compiles the bridge's own C++. [`RoundTrip`] sets the override through it and reads it back, a process
//! for each environment. [`Library`] is an MLX built with CMake without Metal, to show that the patched tree still
//! builds where the overlays have nothing to say.

mod library;
mod objects;
mod round_trip;
mod step;
mod stub;
mod version;

pub use library::{Kind, Library, Made};
pub use objects::Objects;
pub use round_trip::{RoundTrip, SETTINGS, Wrong, round_trip};
pub use step::Tools;
pub use stub::{Linked, stub};
pub use version::Version;

#[cfg(test)]
mod tests;
