//! The headers that MLX's build wants from other projects.

use camino::Utf8PathBuf;

use crate::toolchain::ToolError;
use crate::upstream::{FMT, JSON, METAL_CPP, Settings, unpacked};

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
                .map_err(|error| ToolError::missing(error.to_string()).help(error.help()))
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
