//! Which backend was built in.

use std::fmt;

use crate::ffi::{self, bridge::CompiledBackend};

/// How this crate was built.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Backend {
    /// A patched MLX with Metal.
    Metal,
    /// A patched MLX on the small Metal runtime for Linux, which runs no kernel.
    HostMetal,
    /// No MLX: the override takes nothing and gives 0. It proves nothing about a release.
    Stub,
}

impl Backend {
    /// `metal`, `host-metal` or `stub`, as `MLX_BRIDGE_BACKEND` takes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Metal => "metal",
            Self::HostMetal => "host-metal",
            Self::Stub => "stub",
        }
    }

    /// Returns true if the override reaches an encoder of MLX.
    pub const fn is_real(self) -> bool {
        !matches!(self, Self::Stub)
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The backend that is linked into this program, as the C++ side itself says it.
pub fn backend() -> Backend {
    match ffi::bridge::compiled_backend() {
        CompiledBackend::Metal => Backend::Metal,
        CompiledBackend::HostMetal => Backend::HostMetal,
        // The numbers are checked against the C++ enum when the bridge is compiled.
        _ => Backend::Stub,
    }
}

/// The version that the linked MLX reports, such as `0.32.2`. `None` where no MLX is linked, or where the
/// bridge was built with `MLX_BRIDGE_LIB` and without the headers of its tree (`MLX_SOURCE_DIR`).
pub fn mlx_version() -> Option<&'static str> {
    ffi::mlx_version()?.to_str().ok()
}
