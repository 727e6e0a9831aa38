//! Why a tree could not be built or driven.

use std::io;

use camino::{Utf8Path, Utf8PathBuf};

use super::linker::OpenSymbol;

/// Why there is nothing to judge.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RunError {
    /// No compiler that is new enough.
    #[error("no clang 19 or later here{}", found_instead(.found))]
    NoCompiler {
        /// The versions of those that are here.
        found: Vec<String>,
    },
    /// No compiler for macOS.
    #[error("no zig here, which compiles for macOS")]
    NoMacCompiler,
    /// Mutants, where the encoder is built with all of MLX.
    #[error("mutants are tried on Linux, where the encoder is built apart from MLX")]
    MutantsOnMac,
    /// Mutants of overlays that are faulty themselves.
    #[error("the overlays do not hold as they are")]
    DoNotHold,
    /// A file does not compile for macOS.
    #[error("{file} does not compile for macOS on Apple silicon")]
    CompileForMac {
        /// The file, as MLX or the bridge names it.
        file: Utf8PathBuf,
        /// What the compiler said.
        output: String,
    },
    /// A program did not start.
    #[error("{program} cannot be started: {why}")]
    CannotStart {
        /// The program.
        program: String,
        /// What the system said.
        why: String,
    },
    /// A file or folder cannot be read or written.
    #[error("{path}: {why}")]
    File {
        /// The place.
        path: Utf8PathBuf,
        /// What the system said.
        why: String,
    },
    /// No tree of MLX's with a Metal backend.
    #[error("there is no command encoder to run: the tree has no {file}")]
    NoEncoder {
        /// The file that it would be in.
        file: &'static str,
    },
    /// Headers of other projects are not at hand.
    #[error("{why}")]
    NoHeaders {
        /// Why.
        why: String,
        /// What to do.
        help: Option<String>,
    },
    /// What the driver is linked with could not be built here.
    #[error("{why}")]
    NotBuilt {
        /// Why.
        why: String,
        /// What to do.
        help: Option<String>,
    },
    /// A patched file that no compiler here is for.
    #[error("nothing here compiles {file}")]
    NotCompiled {
        /// The file.
        file: Utf8PathBuf,
    },
    /// A patched file that the scenarios do not reach.
    #[error("no scenario reaches {file}: the encoder does without it")]
    NotDriven {
        /// The file.
        file: Utf8PathBuf,
    },
    /// No scenario could be asked.
    #[error("no scenario could be run: {why}")]
    NothingRun {
        /// Why the first could not.
        why: String,
    },
    /// A release that wants headers of its own time.
    #[error("this release cannot be built with the metal-cpp at hand: {why}")]
    OwnHeaders {
        /// What the obstacle is.
        why: String,
    },
    /// What an overlay adds outside of functions does not compile without upstream around it.
    #[error("the overlay's own code does not compile alone")]
    OwnCode {
        /// The file that it goes into.
        file: Utf8PathBuf,
        /// What the compiler said.
        output: String,
    },
    /// Upstream alone does not build here either.
    #[error("upstream alone does not build here: {error}{}", first_complaint(.error))]
    Upstream {
        /// What became of it.
        error: Box<RunError>,
    },
    /// Upstream alone dies under the driver too.
    #[error("upstream alone dies on host-metal too: {how}")]
    UpstreamDies {
        /// Its last words.
        how: String,
    },
    /// A scenario of patchctl's own cannot be read.
    #[error("a scenario cannot be read: {why}")]
    Suite {
        /// Where and why.
        why: String,
    },
    /// A file does not compile.
    #[error("{file} does not compile")]
    Compile {
        /// The file, as MLX or patchctl's kit names it.
        file: Utf8PathBuf,
        /// What the compiler said.
        output: String,
    },
    /// The compiler did not end.
    #[error("compiling {file} takes too long")]
    CompileHangs {
        /// The file.
        file: Utf8PathBuf,
    },
    /// The compiler or linker died, or did not do what it said.
    #[error("{program} broke down over {file}")]
    CompilerDied {
        /// The program.
        program: String,
        /// The file.
        file: Utf8PathBuf,
        /// What it said.
        output: String,
    },
    /// Symbols that nothing defines: MLX's encoder needs a file that is not in the list yet.
    #[error("{} stay open: {}", plural(.symbols.len()), names(.symbols))]
    OpenSymbols {
        /// Each, with the files of MLX that seem to define it.
        symbols: Vec<OpenSymbol>,
    },
    /// The linker failed otherwise.
    #[error("the linker failed")]
    Link {
        /// What it said.
        output: String,
    },
    /// A driver did not come to its end.
    #[error("the driver did not come to its end: {how}")]
    Stopped {
        /// Its status and last line, or that it hangs.
        how: String,
        /// All that it said on standard error.
        said: String,
    },
    /// A driver printed something that is not its own.
    #[error("the driver printed '{line}', which is no line of its own")]
    StrayLine {
        /// The line.
        line: String,
    },
}

impl RunError {
    /// What to do about it.
    pub fn help(&self) -> Option<String> {
        match self {
            Self::NoMacCompiler => {
                Some("python3 -m pip install ziglang==0.17.1, or put a `zig` into PATH".to_owned())
            }
            Self::NoCompiler { .. } => Some(
                "install clang 19 or later (Debian and Ubuntu: apt-get install clang-19)"
                    .to_owned(),
            ),
            Self::OpenSymbols { symbols } => Some(
                symbols
                    .iter()
                    .map(OpenSymbol::advice)
                    .collect::<Vec<_>>()
                    .join("\n"),
            ),
            Self::NoHeaders { help, .. } | Self::NotBuilt { help, .. } => help.clone(),
            Self::Upstream { error } => error.help(),
            Self::UpstreamDies { .. } => Some(
                "host-metal may lack what this release newly calls: that line names it, and where to add it".to_owned(),
            ),
            Self::File { .. } => Some("look at the place, its permissions and its free space; all that lies in patchctl's cache can be made again".to_owned()),
            Self::CompilerDied { .. } | Self::CompileHangs { .. } => Some(
                "see whether the compiler works and has memory enough; this says nothing about the overlay".to_owned(),
            ),
            Self::OwnCode { .. } => Some("say `#include` for each name that it uses, in an edit of the overlay: that upstream's headers bring it in today is no promise".to_owned()),
            Self::MutantsOnMac
            | Self::DoNotHold
            | Self::CannotStart { .. }
            | Self::NoEncoder { .. }
            | Self::Suite { .. }
            | Self::NothingRun { .. }
            | Self::NotCompiled { .. }
            | Self::NotDriven { .. }
            | Self::OwnHeaders { .. }
            | Self::Compile { .. }
            | Self::CompileForMac { .. }
            | Self::Link { .. }
            | Self::Stopped { .. }
            | Self::StrayLine { .. } => None,
        }
    }

    /// What a compiler or linker said.
    pub fn output(&self) -> Option<&str> {
        let output = match self {
            Self::OwnCode { output, .. }
            | Self::Compile { output, .. }
            | Self::CompileForMac { output, .. }
            | Self::CompilerDied { output, .. }
            | Self::Link { output } => Some(&**output),
            Self::Stopped { said, .. } => Some(&**said),
            Self::Upstream { error } => error.output(),
            _ => None,
        };
        output.filter(|text| !text.trim().is_empty())
    }

    /// Whether upstream alone may fail in the same way.
    pub(in crate::verify) fn may_be_upstreams(&self) -> bool {
        matches!(
            self,
            Self::Compile { .. } | Self::OpenSymbols { .. } | Self::Link { .. }
        )
    }

    /// Whether the surroundings are to blame: 'not run', and nothing about the overlay.
    pub fn is_not_run(&self) -> bool {
        matches!(
            self,
            Self::NoCompiler { .. }
                | Self::NoMacCompiler
                | Self::MutantsOnMac
                | Self::DoNotHold
                | Self::CannotStart { .. }
                | Self::File { .. }
                | Self::CompilerDied { .. }
                | Self::CompileHangs { .. }
                | Self::NoEncoder { .. }
                | Self::NoHeaders { .. }
                | Self::NotBuilt { .. }
                | Self::NothingRun { .. }
                | Self::NotCompiled { .. }
                | Self::NotDriven { .. }
                | Self::Upstream { .. }
                | Self::UpstreamDies { .. }
                | Self::OwnHeaders { .. }
        )
    }

    /// Whether something here is broken, not missing: that is to be mended, at whatever level was asked for.
    pub fn is_breakdown(&self) -> bool {
        match self {
            Self::CannotStart { .. }
            | Self::File { .. }
            | Self::CompilerDied { .. }
            | Self::CompileHangs { .. } => true,
            Self::Upstream { error } => error.is_breakdown(),
            _ => false,
        }
    }

    pub(in crate::verify) fn unreadable(path: &Utf8Path, error: &io::Error) -> Self {
        Self::File {
            path: path.to_owned(),
            why: error.to_string(),
        }
    }

    pub(super) fn cannot_start(program: &str, error: &io::Error) -> Self {
        Self::CannotStart {
            program: program.to_owned(),
            why: error.to_string(),
        }
    }
}

/// A compiler's first error, for the reader.
fn first_complaint(error: &RunError) -> String {
    let output = error.output().unwrap_or_default();
    let first = output.lines().find(|line| line.contains("error: "));
    first.map_or_else(String::new, |line| format!(" ({})", line.trim()))
}

fn found_instead(found: &[String]) -> String {
    let mut found = found.to_vec();
    found.dedup();
    if found.is_empty() {
        String::new()
    } else {
        format!(" (there is {})", found.join(", "))
    }
}

fn plural(count: usize) -> String {
    if count == 1 {
        "a symbol".to_owned()
    } else {
        format!("{count} symbols")
    }
}

fn names(symbols: &[OpenSymbol]) -> String {
    let names: Vec<&str> = symbols.iter().map(|symbol| &*symbol.name).collect();
    names.join(", ")
}
