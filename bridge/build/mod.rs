//! What the build script does, as functions over data, so that tests on any machine reach all of it:
//! `build.rs` and `tests/build_script` both include these files.
//!
//! What only a Mac's build runs (`metal`, `tree`, `cmake`) is left out of the build script on other hosts,
//! where the crates that it needs would make up half of the stub's build. The tests have it everywhere.

pub mod backend;
#[cfg(any(target_os = "macos", test))]
pub mod cmake;
pub mod error;
pub mod link;
#[cfg(any(target_os = "macos", test))]
pub mod metal;
pub mod plan;
pub mod provides;
pub mod settings;
pub mod symbols;
#[cfg(any(target_os = "macos", test))]
pub mod tree;
