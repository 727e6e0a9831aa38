//! The C++ that patchctl brings along, and the headers that MLX's build wants from elsewhere.

use camino::{Utf8Path, Utf8PathBuf};

use super::embedded::SOURCES;
use crate::embedded::lay_out;
use crate::toolchain::ToolError;
use crate::upstream::{FMT, JSON, METAL_CPP, Settings, SourceError, unpacked};

/// The two folders of `bridge/` that a driver is built from.
#[derive(Debug, Clone)]
pub struct Kit {
    /// `bridge/driver`.
    pub driver: Utf8PathBuf,
    /// `bridge/host-metal`.
    pub host_metal: Utf8PathBuf,
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

/// A source of the kit, with the name of its object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct KitSource {
    pub(super) path: Utf8PathBuf,
    /// Whether it includes headers of MLX, and so is another object for each tree.
    pub(super) sees_mlx: bool,
}

impl Headers {
    /// Takes them from the packages that carry them.
    ///
    /// # Errors
    /// When a package is not at hand and cannot be brought.
    pub fn bring(settings: &Settings) -> Result<Self, SourceError> {
        Ok(Self {
            metal_cpp: unpacked(&METAL_CPP, settings)?,
            fmt: unpacked(&FMT, settings)?.join("include"),
            json: unpacked(&JSON, settings)?.join("single_include"),
            versions: [METAL_CPP.name, FMT.name, JSON.name].join(" "),
        })
    }
}

impl Kit {
    /// Lays out the files that patchctl carries in itself, in a folder of `cache` that is named after their bytes.
    ///
    /// # Errors
    /// When the cache cannot be written.
    pub fn lay_out(cache: &Utf8Path) -> Result<Self, ToolError> {
        let folder = lay_out(SOURCES, &cache.join("driver"));
        let folder = folder.map_err(|(path, error)| ToolError::unusable(&path, &error))?;
        Ok(Self {
            driver: folder.join("driver"),
            host_metal: folder.join("host-metal"),
        })
    }

    /// Everything to compile. The runtime is the same for all trees.
    pub(super) fn sources(&self) -> Result<Vec<KitSource>, ToolError> {
        let mut sources = vec![
            KitSource {
                path: self.driver.join("main.cpp"),
                sees_mlx: true,
            },
            KitSource {
                path: self.host_metal.join("open_symbols.cpp"),
                sees_mlx: true,
            },
        ];
        for path in files(&self.host_metal.join("runtime"))? {
            if matches!(path.extension(), Some("cpp" | "S")) {
                sources.push(KitSource {
                    path,
                    sees_mlx: false,
                });
            }
        }
        Ok(sources)
    }

    /// What stands in for Apple's SDK.
    pub(super) fn sdk(&self) -> Utf8PathBuf {
        self.host_metal.join("sdk")
    }

    /// Every file that an object can depend on besides MLX's.
    pub(super) fn files(&self) -> Result<Vec<Utf8PathBuf>, ToolError> {
        let mut all = files(&self.driver)?;
        all.extend(files(&self.host_metal)?);
        all.retain(|path| matches!(path.extension(), Some("h" | "cpp" | "S")));
        Ok(all)
    }
}

/// All files under a folder, sorted by path.
pub(super) fn files(folder: &Utf8Path) -> Result<Vec<Utf8PathBuf>, ToolError> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let failed = |error| ToolError::unusable(&folder, &error);
        for entry in folder.read_dir_utf8().map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let kind = entry.file_type().map_err(failed)?;
            if kind.is_dir() {
                folders.push(entry.into_path());
            } else {
                found.push(entry.into_path());
            }
        }
    }
    found.sort();
    Ok(found)
}
