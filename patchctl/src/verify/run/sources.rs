//! The files of MLX that the encoder needs, the trees that they can be built in, and other projects' headers.

use camino::{Utf8Path, Utf8PathBuf};

use crate::toolchain::{ToolError, read};
use crate::upstream::{FMT, JSON, METAL_CPP, Settings, unpacked};

/// The files, of which a tree has those of its release. A new release that needs another fails to link, and the error
/// names the file to add here; `bridge/native/host-metal/open_symbols.cpp` is for what no file of a bearable size defines.
pub(in crate::verify) const MLX_SOURCES: [&str; 16] = [
    "mlx/allocator.cpp", // until 0.26
    "mlx/array.cpp",
    "mlx/device.cpp",
    "mlx/dtype.cpp",
    "mlx/scheduler.cpp",
    "mlx/utils.cpp",
    "mlx/backend/common/utils.cpp",
    "mlx/backend/cpu/available.cpp",   // until 0.30
    "mlx/backend/cpu/device_info.cpp", // from 0.31 on
    "mlx/backend/metal/allocator.cpp",
    "mlx/backend/metal/device.cpp",
    "mlx/backend/metal/device_info.cpp", // from 0.30 on
    "mlx/backend/metal/eval.cpp",
    "mlx/backend/metal/event.cpp",
    "mlx/backend/metal/metal.cpp",
    "mlx/backend/metal/resident.cpp",
];

/// The file whose commit check everything here is about.
pub(in crate::verify) const DEVICE: &str = "mlx/backend/metal/device.cpp";

/// Checks that a driver can be built for the tree, as far as can be told without a compiler. Returns true if its
/// `RetainGraph::tracing_counter` is thread-local (0.32.0): the symbol has to be defined likewise.
///
/// # Errors
/// When it is no tree of MLX's, or one that the headers at hand cannot build.
pub(in crate::verify) fn has_thread_local_tracing(tree: &Utf8Path) -> Result<bool, ToolError> {
    let text = |path: &str| {
        read(&tree.join(path)).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    };
    const METAL: &str = "mlx/backend/metal/metal.cpp";
    for file in [DEVICE, METAL] {
        if !tree.join(file).is_file() {
            return Err(ToolError::missing(format!(
                "there is no command encoder to run: the tree has no {file}"
            )));
        }
    }
    if text(METAL)?.contains("id object") {
        return Err(ToolError::missing(
            "this release cannot be built with the metal-cpp at hand: its metal.cpp hands an 'id' to metal-cpp, \
             which takes an object since MLX 0.29.4",
        ));
    }
    Ok(text("mlx/transforms_impl.h")?.contains("thread_local int tracing_counter"))
}

/// Headers of other projects.
#[derive(Debug, Clone)]
pub struct Headers {
    /// metal-cpp: the folder that holds `Metal/Metal.hpp`.
    pub metal_cpp: Utf8PathBuf,
    /// fmt: the folder that holds `fmt/format.h`.
    pub fmt: Utf8PathBuf,
    /// nlohmann's JSON library: the folder that holds `nlohmann/json.hpp`.
    pub json: Utf8PathBuf,
    /// Names the versions of all three: part of the objects' names in the cache.
    pub versions: String,
}

impl Headers {
    /// Takes them from the packages that carry them.
    ///
    /// # Errors
    /// When a package is not available and cannot be fetched.
    pub fn bring(settings: &Settings) -> Result<Self, ToolError> {
        let unpacked = |package| {
            unpacked(package, settings)
                .map_err(|error| ToolError::missing(error.to_string()).help(error.advice()))
        };
        Ok(Self {
            metal_cpp: unpacked(&METAL_CPP)?,
            fmt: unpacked(&FMT)?.join("include"),
            json: unpacked(&JSON)?.join("single_include"),
            versions: [METAL_CPP.name, FMT.name, JSON.name].join(" "),
        })
    }

    /// Returns the compiler's flags that find them.
    pub(super) fn flags(&self) -> [String; 3] {
        [&self.metal_cpp, &self.fmt, &self.json].map(|folder| format!("-isystem{folder}"))
    }
}
