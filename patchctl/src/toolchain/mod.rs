//! The programs of this machine: child processes, and the compilers, CMake and zig that are run as such. It knows nothing
//! of MLX and of overlays.

mod error;
mod files;
pub(crate) mod process;
mod runner;
#[cfg(test)]
#[cfg(unix)]
mod tests;
mod tools;
pub mod watcher;

pub use error::ToolError;
pub(crate) use files::{files, read};
pub(crate) use runner::texts;
pub use runner::{Finished, Invocation, Runner, System};
pub(crate) use tools::CMAKE;
pub use tools::{Compiler, Zig, find_cmake};
