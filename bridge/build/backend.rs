//! Which backend to build.

use super::error::BuildError;
use super::settings::Settings;

/// A backend to build. `src/backend.rs` has the same three, as the linked program knows itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backend {
    /// A patched MLX with Metal.
    Metal,
    /// A patched MLX on the Metal runtime for Linux.
    HostMetal,
    /// No override.
    Stub,
}

impl Backend {
    /// The one asked for; without a wish, the target's own. A wish that cannot be met is an error and never
    /// the stub.
    pub fn choose(settings: &Settings) -> Result<Self, BuildError> {
        let target = &settings.target;
        match settings.backend.as_deref().unwrap_or("auto") {
            "auto" if target.has_metal() => Ok(Self::Metal),
            "auto" => match settings.libraries.first() {
                None => Ok(Self::Stub),
                Some(library) => Err(BuildError::WhichLibrary {
                    library: library.clone(),
                    target: target.triple.clone(),
                }),
            },
            "metal" if target.has_metal() => Ok(Self::Metal),
            "metal" => Err(BuildError::NoMetal {
                target: target.triple.clone(),
            }),
            "host-metal" if target.os != "linux" => Err(BuildError::NoHostMetal {
                target: target.triple.clone(),
            }),
            "host-metal" if settings.libraries.is_empty() => Err(BuildError::HostMetalLibrary),
            "host-metal" => Ok(Self::HostMetal),
            "stub" => Ok(Self::Stub),
            other => Err(BuildError::UnknownBackend {
                found: other.to_owned(),
            }),
        }
    }

    /// As [`BACKEND`](super::settings::BACKEND) takes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Metal => "metal",
            Self::HostMetal => "host-metal",
            Self::Stub => "stub",
        }
    }

    /// The C++ file behind the bridge.
    pub fn cpp_file(self) -> &'static str {
        match self {
            Self::Metal | Self::HostMetal => "cpp/metal.cc",
            Self::Stub => "cpp/stub.cc",
        }
    }
}
