//! What the build script does, as functions over data, so that tests on any machine reach all of it:
//! `build.rs` and `tests/build_script` both include these files.

pub mod backend;
pub mod cmake;
pub mod error;
pub mod link;
pub mod plan;
pub mod provides;
pub mod settings;
pub mod symbols;
pub mod tree;
