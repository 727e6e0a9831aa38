//! zig, which brings a clang with Darwin's and libc++'s headers.

use super::compiler::version_line;
use super::{Runner, ToolError};

/// A zig that is here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Zig {
    /// The program that it is started by.
    pub(crate) program: String,
    /// The arguments that come before zig's own.
    pub(crate) leading: Vec<String>,
    /// The output of `zig version`: part of the names of what it made.
    pub version: String,
}

impl Zig {
    /// Finds `zig` in `PATH`, else the Python package `ziglang`.
    ///
    /// # Errors
    /// When there is neither.
    pub fn find(runner: &dyn Runner) -> Result<Self, ToolError> {
        let candidates: [(&str, &[&str]); 2] = [("zig", &[]), ("python3", &["-m", "ziglang"])];
        let mut found = candidates.into_iter().filter_map(|(program, leading)| {
            Some(Self {
                program: program.to_owned(),
                leading: leading.iter().map(ToString::to_string).collect(),
                version: version_line(program, &[leading, &["version"]].concat(), runner)?,
            })
        });
        found.next().ok_or_else(|| {
            ToolError::missing("no zig here, which compiles for macOS")
                .help("python3 -m pip install ziglang==0.17.1, or put a `zig` into PATH")
        })
    }
}
