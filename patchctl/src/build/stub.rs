//! The stub's round-trip program, compiled from the bridge's C++.

use camino::{Utf8Path, Utf8PathBuf};
use sha2::{Digest, Sha256};

use super::step::run;
use crate::embedded_sources::{EmbeddedSources, short, staged};
use crate::toolchain::{Compiler, Runner, ToolError};

/// The files that it is compiled from.
const FILES: [&str; 3] = ["cpp/stub.cc", "cpp/version.cc", "cpp/round_trip.cc"];

/// An MLX that a program is linked with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Linked<'a> {
    /// The static library.
    pub library: &'a Utf8Path,
    /// The tree that it was built from: its `mlx/version.h` declares what is asked.
    pub tree: &'a Utf8Path,
    /// Where the program goes.
    pub into: &'a Utf8Path,
}

/// Builds the program by itself or linked with an MLX. By itself it is made once for a compiler.
///
/// # Errors
/// When it does not compile or link, or the cache cannot be written.
pub fn stub(
    sources: &EmbeddedSources,
    linked: Option<Linked<'_>>,
    cxx: &Compiler,
    runner: &dyn Runner,
) -> Result<Utf8PathBuf, ToolError> {
    let program = match linked {
        Some(linked) => linked.into.join("stub-round-trip"),
        None => {
            let compiler = Sha256::new().chain_update(&cxx.version);
            let program = sources.path(&format!("stub-round-trip-{}", short(compiler)));
            if program.is_file() {
                return Ok(program);
            }
            program
        }
    };
    let staged = staged(&program);
    let mut arguments: Vec<String> = ["-std=c++17", "-O1", "-Wall", "-Wextra", "-pthread"]
        .map(str::to_owned)
        .into();
    arguments.push(format!("-I{}", sources.root()));
    if let Some(linked) = linked {
        arguments.push("-DMLX_BRIDGE_HAS_MLX_HEADERS".to_owned());
        arguments.extend(["-isystem".to_owned(), linked.tree.to_string()]);
    }
    arguments.extend(FILES.map(|file| sources.path(file).into_string()));
    if let Some(linked) = linked {
        arguments.push(linked.library.to_string());
        if cfg!(target_os = "linux") {
            arguments.push("-ldl".to_owned());
        }
    }
    arguments.extend(["-o".to_owned(), staged.to_string()]);
    run("compiling the stub", &cxx.program, arguments, 10, runner)?;
    fs_err::rename(&staged, &program).map_err(|error| ToolError::unusable(&program, &error))?;
    Ok(program)
}
