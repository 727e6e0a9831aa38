//! The programs of this machine: child processes, and the compilers, CMake and zig that are run as such. It knows nothing
//! of MLX and of overlays.

mod cmake;
mod compiler;
mod error;
mod files;
mod group;
pub(crate) mod process;
mod runner;
#[cfg(test)]
#[cfg(unix)]
mod tests;
pub mod watcher;
mod zig;

pub use cmake::find_cmake;
pub use compiler::Compiler;
pub use error::ToolError;
pub(crate) use files::files;
pub use runner::{Finished, Invocation, Runner, System};
pub use zig::Zig;
