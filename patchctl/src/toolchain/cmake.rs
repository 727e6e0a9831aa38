//! CMake.

use super::compiler::version_line;
use super::{Runner, ToolError};

/// The oldest CMake that MLX's own CMakeLists.txt takes.
const OLDEST: (u32, u32) = (3, 25);

/// Finds a CMake that is new enough, and returns the name that it is started by.
///
/// # Errors
/// When there is none; the error says which one is there instead.
pub fn find_cmake(runner: &dyn Runner) -> Result<String, ToolError> {
    let program = "cmake";
    let line = version_line(program, &["--version"], runner);
    let version = line.as_deref().and_then(version);
    if version.is_some_and(|version| version >= OLDEST) {
        return Ok(program.to_owned());
    }
    let instead = line.map_or_else(String::new, |found| format!(" (there is {found})"));
    Err(
        ToolError::missing(format!("CMake 3.25 or later is not here{instead}")).help(
            "install it (Debian and Ubuntu: apt-get install cmake; macOS: brew install cmake)",
        ),
    )
}

/// Major and minor version in `cmake version 3.25.1`.
fn version(line: &str) -> Option<(u32, u32)> {
    let mut numbers = line.rsplit(' ').next()?.split('.');
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}
