//! patchctl keeps a small set of C++ changes alive on top of MLX, over every release, and proves that
//! they still work. `docs/architecture.md` shows the modules and the way of a bump through them.

mod build;
pub mod cli;
pub mod cpp;
pub mod embedded_sources;
pub mod overlay;
pub mod patch;
mod progress;
pub mod report;
mod store;
pub mod toolchain;
pub mod upstream;
pub mod verify;
pub mod workflow;
pub mod workspace;
pub mod yaml;

#[cfg(test)]
#[path = "../tests/fuzz/mod.rs"]
mod fuzz;
