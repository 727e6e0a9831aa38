//! The C++ compilers, CMake and zig of this machine.

use std::time::Duration;

use super::{Finished, Invocation, Runner, ToolError, texts};

/// A C++ compiler that was asked for its version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compiler {
    /// Its path or name.
    pub program: String,
    /// Its first line of `--version`: part of the names of what it made.
    pub version: String,
}

/// clang 19 folds `__builtin_available(macOS …)` to true on Linux; 16 and 14 need a define for it, and
/// g++ has no blocks. Older ones are not known to build what MLX has become since.
const OLDEST_CLANG: u32 = 19;

/// Apple counts by Xcode: from 15 on it knows what the driver and MLX are written in.
const OLDEST_APPLE: u32 = 15;

impl Compiler {
    /// The names under which a clang is looked for, best first.
    pub const CLANGS: [&str; 4] = ["clang++-19", "clang++-20", "clang++-21", "clang++"];

    /// Finds a clang that can build MLX's encoder.
    ///
    /// # Errors
    /// When there is none: the error says what was found and what to install.
    pub fn clang(runner: &dyn Runner) -> Result<Self, ToolError> {
        let mut found = Vec::new();
        let compilers = Self::CLANGS.iter();
        for compiler in compilers.filter_map(|name| Self::ask(name, runner)) {
            match compiler.clang_major() {
                Some((major, oldest)) if major >= oldest => return Ok(compiler),
                Some(_) => found.push(compiler.version),
                None => {}
            }
        }
        found.dedup();
        let instead = instead(&found);
        Err(
            ToolError::missing(format!("no clang 19 or later here{instead}"))
                .help("install clang 19 or later (Debian and Ubuntu: apt-get install clang-19)"),
        )
    }

    /// Finds a compiler of any make that knows C++17.
    ///
    /// # Errors
    /// When there is none.
    pub fn any(runner: &dyn Runner) -> Result<Self, ToolError> {
        let mut names = ["c++", "clang++", "g++"].into_iter();
        let found = names.find_map(|name| Self::ask(name, runner));
        found.ok_or_else(|| {
            ToolError::missing("a C++ compiler is not here").help(
                "install one (Debian and Ubuntu: apt-get install g++; macOS: xcode-select --install)",
            )
        })
    }

    fn ask(program: &str, runner: &dyn Runner) -> Option<Self> {
        Some(Self {
            program: program.to_owned(),
            version: version_line(program, &["--version"], runner)?,
        })
    }

    /// Returns the major version of a clang, and the oldest one that will do.
    fn clang_major(&self) -> Option<(u32, u32)> {
        let (_, version) = self.version.split_once("clang version ")?;
        let major = version.split('.').next()?.parse().ok()?;
        Some(match self.version.starts_with("Apple") {
            true => (major, OLDEST_APPLE),
            false => (major, OLDEST_CLANG),
        })
    }
}

/// The name that CMake is started by.
pub(crate) const CMAKE: &str = "cmake";

/// The oldest CMake that MLX's own CMakeLists.txt takes.
const OLDEST: (u32, u32) = (3, 25);

/// Looks for a CMake that is new enough.
///
/// # Errors
/// When there is none; the error says which one is there instead.
pub fn find_cmake(runner: &dyn Runner) -> Result<(), ToolError> {
    let line = version_line(CMAKE, &["--version"], runner);
    if line.as_deref().and_then(version) >= Some(OLDEST) {
        return Ok(());
    }
    let instead = instead(line.as_slice());
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
                leading: texts(leading),
                version: version_line(program, &[leading, &["version"]].concat(), runner)?,
            })
        });
        found.next().ok_or_else(|| {
            ToolError::missing("no zig here, which compiles for macOS")
                .help("python3 -m pip install ziglang==0.17.1, or put a `zig` into PATH")
        })
    }
}

/// Returns the first line that a program says of its version; none where it is not there.
fn version_line(program: &str, arguments: &[&str], runner: &dyn Runner) -> Option<String> {
    let finished = runner.run(&Invocation {
        program: program.to_owned(),
        arguments: texts(arguments),
        limit: Duration::from_secs(60),
        ..Invocation::default()
    });
    let finished = finished.ok().filter(Finished::is_success)?;
    let text = String::from_utf8_lossy(&finished.output);
    let line = text.lines().next()?.trim();
    (!line.is_empty()).then(|| line.to_owned())
}

/// Names the versions that were found in the place of one that fits.
fn instead(found: &[String]) -> String {
    match found {
        [] => String::new(),
        _ => format!(" (there is {})", found.join(", ")),
    }
}
