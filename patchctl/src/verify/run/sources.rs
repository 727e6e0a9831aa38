//! Which of MLX's files the encoder needs, and what stands in the way of building them.

use camino::Utf8Path;

use crate::toolchain::ToolError;

/// The files, of which a tree has those of its release. A new release that needs another fails to link, and the error
/// names the file to add here; `bridge/native/host-metal/open_symbols.cpp` is for what no file of a bearable size defines.
pub(super) const MLX_SOURCES: [&str; 16] = [
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

/// What a tree says about itself that the build has to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Traits {
    /// `RetainGraph::tracing_counter` is thread-local (0.32.0): the symbol has to be defined likewise.
    pub(super) thread_local_tracing: bool,
}

/// The files that a driver is linked with, of which a tree has those of its release.
pub fn encoder_sources() -> &'static [&'static str] {
    &MLX_SOURCES
}

/// Returns true if the encoder is linked with the file.
pub(super) fn is_listed(name: &Utf8Path) -> bool {
    MLX_SOURCES.iter().any(|listed| name == *listed)
}

/// Returns true if the tree is one that a driver can be built for, as far as can be told without a compiler.
///
/// # Errors
/// When it is not, or cannot be read.
pub fn is_fit(tree: &Utf8Path) -> Result<(), ToolError> {
    traits(tree).map(|_| ())
}

/// Reads a tree's traits.
///
/// # Errors
/// When it is no tree of MLX's, or one that the headers at hand cannot build.
pub(super) fn traits(tree: &Utf8Path) -> Result<Traits, ToolError> {
    let read = |path: &str| {
        let path = tree.join(path);
        fs_err::read_to_string(&path).map_err(|error| ToolError::unusable(&path, &error))
    };
    const METAL: &str = "mlx/backend/metal/metal.cpp";
    for file in [DEVICE, METAL] {
        if !tree.join(file).is_file() {
            return Err(ToolError::missing(format!(
                "there is no command encoder to run: the tree has no {file}"
            )));
        }
    }
    if read(METAL)?.contains("id object") {
        return Err(ToolError::missing(
            "this release cannot be built with the metal-cpp at hand: its metal.cpp hands an 'id' to metal-cpp, \
             which takes an object since MLX 0.29.4",
        ));
    }
    Ok(Traits {
        thread_local_tracing: read("mlx/transforms_impl.h")?
            .contains("thread_local int tracing_counter"),
    })
}
