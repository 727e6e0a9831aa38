//! What the build is asked for: cargo's variables and ours, read once.

use std::ffi::OsString;
use std::path::PathBuf;

use super::error::BuildError;

/// Which backend: `auto` (the default), `metal`, `host-metal` or `stub`.
pub const BACKEND: &str = "MLX_BRIDGE_BACKEND";
/// An MLX library that was built already, static or shared, to link instead of building one. Those that it needs
/// follow it, separated as in `PATH`.
pub const LIBRARY: &str = "MLX_BRIDGE_LIB";
/// A tree of MLX, patched or clean; never written to.
pub const SOURCE: &str = "MLX_SOURCE_DIR";
/// `lock.yaml`, beside the overlays; this repository's by default.
pub const LOCK: &str = "MLX_BRIDGE_LOCK";
/// The oldest macOS that the result runs on.
pub const DEPLOYMENT_TARGET: &str = "MACOSX_DEPLOYMENT_TARGET";
/// Folders that CMake takes instead of downloading, passed through by name.
pub const FETCHED: [&str; 3] = [
    "FETCHCONTENT_SOURCE_DIR_FMT",
    "FETCHCONTENT_SOURCE_DIR_JSON",
    "FETCHCONTENT_SOURCE_DIR_METAL_CPP",
];

/// Every variable that, changed, makes the build script run again.
pub fn watched() -> impl Iterator<Item = &'static str> {
    [BACKEND, LIBRARY, SOURCE, LOCK, DEPLOYMENT_TARGET]
        .into_iter()
        .chain(FETCHED)
}

/// The machine that the program will run on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// `aarch64-apple-darwin`
    pub triple: String,
    /// `macos`, `linux`
    pub os: String,
    /// `aarch64`, `x86_64`
    pub arch: String,
}

impl Target {
    /// Whether MLX has a Metal backend there.
    pub fn has_metal(&self) -> bool {
        self.os == "macos" && self.arch == "aarch64"
    }
}

/// All of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// See [`BACKEND`].
    pub backend: Option<String>,
    /// See [`LIBRARY`]; empty where the variable says nothing.
    pub libraries: Vec<PathBuf>,
    /// See [`SOURCE`].
    pub source: Option<PathBuf>,
    /// See [`LOCK`]; the default where the variable says nothing.
    pub lock: PathBuf,
    /// See [`DEPLOYMENT_TARGET`].
    pub deployment_target: Option<String>,
    /// Those of [`FETCHED`] that are set.
    pub fetched: Vec<(&'static str, PathBuf)>,
    /// The machine that the program will run on.
    pub target: Target,
    /// The machine that builds it, as a triple.
    pub host: String,
    /// Where the build script may write.
    pub out: PathBuf,
}

impl Settings {
    /// Asks `variable` for each. Empty counts as unset.
    ///
    /// Fails where a variable of cargo's is missing, or a name is not UTF-8.
    pub fn read(variable: impl Fn(&str) -> Option<OsString>) -> Result<Self, BuildError> {
        let path = |name| {
            variable(name)
                .filter(|value| !value.is_empty())
                .map(PathBuf::from)
        };
        let text = |name| {
            let Some(value) = variable(name).filter(|value| !value.is_empty()) else {
                return Ok(None);
            };
            let text = value.into_string();
            text.map(Some)
                .map_err(|value| BuildError::NotText { name, value })
        };
        let cargo = |name| text(name)?.ok_or(BuildError::NotCargo { name });
        let package = PathBuf::from(cargo("CARGO_MANIFEST_DIR")?);
        Ok(Self {
            backend: text(BACKEND)?,
            libraries: variable(LIBRARY)
                .map(|paths| {
                    let paths = std::env::split_paths(&paths);
                    paths.filter(|path| !path.as_os_str().is_empty()).collect()
                })
                .unwrap_or_default(),
            source: path(SOURCE),
            lock: path(LOCK).unwrap_or_else(|| package.join("../overlays/mlx/lock.yaml")),
            deployment_target: text(DEPLOYMENT_TARGET)?,
            fetched: FETCHED
                .into_iter()
                .filter_map(|name| Some((name, path(name)?)))
                .collect(),
            target: Target {
                triple: cargo("TARGET")?,
                os: cargo("CARGO_CFG_TARGET_OS")?,
                arch: cargo("CARGO_CFG_TARGET_ARCH")?,
            },
            host: cargo("HOST")?,
            out: cargo("OUT_DIR")?.into(),
        })
    }
}
