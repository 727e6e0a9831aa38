//! The bridge's C++, which patchctl carries in itself, and the program that makes round trips through it.

use camino::{Utf8Path, Utf8PathBuf};
use sha2::{Digest, Sha256};

use super::step::run;
use crate::embedded::{Embedded, lay_out, short, staged};
use crate::toolchain::{Compiler, Runner, ToolError};

/// Every file, by its path under the folder that headers are looked for in.
const FILES: [Embedded; 7] = [
    (
        "mlx-bridge/cpp/bridge.h",
        include_str!("../../../bridge/cpp/bridge.h"),
    ),
    (
        "mlx-bridge/cpp/stub.cc",
        include_str!("../../../bridge/cpp/stub.cc"),
    ),
    (
        "mlx-bridge/cpp/version.cc",
        include_str!("../../../bridge/cpp/version.cc"),
    ),
    (
        "mlx-bridge/cpp/round_trip.cc",
        include_str!("../../../bridge/cpp/round_trip.cc"),
    ),
    (
        "mlx-bridge/cmake/common.cmake",
        include_str!("../../../bridge/cmake/common.cmake"),
    ),
    (
        "mlx-bridge/cmake/metal.cmake",
        include_str!("../../../bridge/cmake/metal.cmake"),
    ),
    (
        "mlx-bridge/cmake/no-metal.cmake",
        include_str!("../../../bridge/cmake/no-metal.cmake"),
    ),
];

/// What is compiled for the stub.
const STUB: [&str; 3] = ["stub.cc", "version.cc", "round_trip.cc"];

/// The files, laid out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kit {
    root: Utf8PathBuf,
}

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

impl Kit {
    /// Lays the files out in a folder of `cache` that is named after their bytes.
    ///
    /// # Errors
    /// When the cache cannot be written.
    pub fn lay_out(cache: &Utf8Path) -> Result<Self, ToolError> {
        match lay_out(&FILES, &cache.join("bridge")) {
            Ok(root) => Ok(Self { root }),
            Err((path, error)) => Err(ToolError::unusable(&path, &error)),
        }
    }

    /// MLX's build options of that name: `metal` or `no-metal`.
    pub(super) fn initial_cache(&self, name: &str) -> Utf8PathBuf {
        self.root.join(format!("mlx-bridge/cmake/{name}.cmake"))
    }

    /// The stub's round-trip program, by itself or linked with an MLX. By itself it is made once for a compiler.
    ///
    /// # Errors
    /// When it does not compile or link, or the cache cannot be written.
    pub fn stub(
        &self,
        linked: Option<Linked<'_>>,
        cxx: &Compiler,
        runner: &dyn Runner,
    ) -> Result<Utf8PathBuf, ToolError> {
        let program = match linked {
            Some(linked) => linked.into.join("stub-round-trip"),
            None => {
                let made_for = Sha256::new().chain_update(&cxx.version);
                let program = self
                    .root
                    .join(format!("stub-round-trip-{}", short(made_for)));
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
        arguments.push(format!("-I{}", self.root));
        if let Some(linked) = linked {
            arguments.push("-DMLX_BRIDGE_HAS_MLX_HEADERS".to_owned());
            arguments.extend(["-isystem".to_owned(), linked.tree.to_string()]);
        }
        let sources = STUB.map(|file| self.root.join("mlx-bridge/cpp").join(file).into_string());
        arguments.extend(sources);
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
}
