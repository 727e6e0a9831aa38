//! From the settings to what is compiled and linked.

use std::path::{Path, PathBuf};

use super::backend::Backend;
use super::error::BuildError;
use super::provides::{OVERLAY, Provides};
use super::settings::Settings;
use super::{link, symbols};

/// What will be built, decided without touching anything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The backend.
    pub backend: Backend,
    /// Where MLX comes from.
    pub mlx: Mlx,
}

/// Where the MLX that is linked comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mlx {
    /// None is linked.
    None,
    /// It was built already.
    Library {
        /// MLX's own library, then those that it needs.
        libraries: Vec<PathBuf>,
        /// The tree that it was built from, for the version that it reports.
        tree: Option<PathBuf>,
    },
    /// It is built from a tree.
    Tree(PathBuf),
}

/// An MLX that can be linked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Built {
    /// Its own library first, then those that it needs.
    pub libraries: Vec<PathBuf>,
    /// The tree that it was built from, where that is known.
    pub tree: Option<PathBuf>,
}

/// What the compiler and cargo are told.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Prepared {
    /// C++ files, relative to the folder of `mlx-bridge-native`.
    pub cpp_files: Vec<&'static str>,
    /// Names to define.
    pub defines: Vec<&'static str>,
    /// Folders to look for headers in: our own generated one.
    pub includes: Vec<PathBuf>,
    /// Folders with headers of others, whose warnings are not ours.
    pub system_includes: Vec<PathBuf>,
    /// Lines for cargo, to be printed after the C++ has been compiled: a linker reads them in order.
    pub directives: Vec<String>,
    /// Files that, changed, make the build script run again.
    pub watched: Vec<PathBuf>,
}

impl Plan {
    /// Decides.
    pub fn of(settings: &Settings) -> Result<Self, BuildError> {
        let backend = Backend::choose(settings)?;
        let mlx = match (settings.libraries.as_slice(), &settings.source, backend) {
            (libraries @ [_, ..], tree, _) => Mlx::Library {
                libraries: libraries.to_vec(),
                tree: tree.clone(),
            },
            ([], Some(tree), Backend::Metal) => Mlx::Tree(tree.clone()),
            ([], None, Backend::Metal) => return Err(BuildError::NoTree),
            // A tree alone says nothing to a stub.
            ([], _, Backend::HostMetal | Backend::Stub) => Mlx::None,
        };
        Ok(Self { backend, mlx })
    }

    /// Does what comes before compiling: brings the tree into the patched state (in a copy), builds MLX,
    /// looks the entry points up in it, writes the header that declares them.
    pub fn prepare(&self, settings: &Settings) -> Result<Prepared, BuildError> {
        let mut prepared = Prepared {
            cpp_files: vec![self.backend.cpp_file(), "cpp/version.cc"],
            ..Prepared::default()
        };
        if self.backend == Backend::HostMetal {
            prepared.defines.push("MLX_BRIDGE_HOST_METAL");
        }
        let built = match &self.mlx {
            Mlx::None => return Ok(prepared),
            Mlx::Library { libraries, tree } => {
                prepared.watched.extend(libraries.iter().cloned());
                Built {
                    libraries: libraries.clone(),
                    tree: tree.clone(),
                }
            }
            Mlx::Tree(given) => {
                prepared
                    .watched
                    .extend([settings.lock.clone(), given.clone()]);
                build_mlx(given, settings)?
            }
        };
        if self.backend != Backend::Stub {
            let overlay = settings.lock.with_file_name(OVERLAY);
            let provides = Provides::read(&overlay)?;
            prepared.watched.push(overlay);
            symbols::check(&built.libraries[0], &provides, &settings.target.arch)?;
            prepared
                .includes
                .push(write_header(&provides, &settings.out)?);
        }
        if let Some(tree) = built.tree {
            prepared.defines.push("MLX_BRIDGE_HAS_MLX_HEADERS");
            prepared.system_includes.push(tree);
        }
        let runtime = settings
            .target
            .has_metal()
            .then(link::compiler_runtime)
            .flatten();
        prepared.directives =
            link::directives(&built.libraries, &settings.target, runtime.as_deref())?;
        Ok(prepared)
    }
}

/// Builds MLX from a tree, on a host that can.
#[cfg(any(target_os = "macos", test))]
fn build_mlx(given: &Path, settings: &Settings) -> Result<Built, BuildError> {
    super::metal::build(given, settings)
}

/// No other host has Xcode's Metal compiler.
#[cfg(not(any(target_os = "macos", test)))]
fn build_mlx(_given: &Path, settings: &Settings) -> Result<Built, BuildError> {
    Err(BuildError::NotThisHost {
        host: settings.host.clone(),
    })
}

/// Writes the declarations; gives the folder to look in.
fn write_header(provides: &Provides, out: &Path) -> Result<PathBuf, BuildError> {
    let folder = out.join("provides");
    let path = folder.join("mlx_bridge_provides.h");
    std::fs::create_dir_all(&folder)
        .and_then(|()| std::fs::write(&path, provides.header()))
        .map_err(|error| BuildError::Write {
            path,
            why: error.to_string(),
        })?;
    Ok(folder)
}
