//! The CMake build of MLX with Metal, as data first.

use std::path::{Path, PathBuf};

use super::error::BuildError;
use super::settings::{FETCHED, Settings};

/// The oldest macOS that MLX's CMakeLists.txt accepts.
const OLDEST_MACOS: &str = "14.0";

/// A run of CMake.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CmakePlan {
    /// The patched tree.
    pub source: PathBuf,
    /// Where `build/` will be.
    pub out: PathBuf,
    /// The machine to build for, as a triple.
    pub target: String,
    /// The machine that builds, as a triple.
    pub host: String,
    /// Always optimised: an unoptimised MLX says nothing about decoding.
    pub profile: &'static str,
    /// The only target that is built.
    pub build_target: &'static str,
    /// MLX's own options, as an initial cache.
    pub initial_cache: PathBuf,
    /// `-D` definitions, in order: what depends on the settings.
    pub definitions: Vec<(String, String)>,
}

impl CmakePlan {
    /// MLX with Metal, static, without what only its own tests and its Python package need.
    pub fn metal(source: &Path, settings: &Settings) -> Self {
        let deployment_target = settings.deployment_target.as_deref();
        let mut definitions = vec![(
            "CMAKE_OSX_DEPLOYMENT_TARGET".to_owned(),
            deployment_target.unwrap_or(OLDEST_MACOS).to_owned(),
        )];
        for (name, folder) in &settings.fetched {
            definitions.push(((*name).to_owned(), folder.display().to_string()));
        }
        if settings.fetched.len() == FETCHED.len() {
            // Everything is at hand, so that a download would be a mistake.
            definitions.push((
                "FETCHCONTENT_FULLY_DISCONNECTED".to_owned(),
                "ON".to_owned(),
            ));
        }
        Self {
            source: source.to_owned(),
            out: settings.out.clone(),
            target: settings.target.triple.clone(),
            host: settings.host.clone(),
            profile: "Release",
            build_target: "mlx",
            initial_cache: mlx_bridge_native::folder().join("cmake/metal.cmake"),
            definitions,
        }
    }

    /// Runs it. Gives the libraries that it made, MLX's own first. The crate `cmake` ends the build script
    /// itself where CMake is missing or fails.
    pub fn run(&self) -> Result<Vec<PathBuf>, BuildError> {
        let mut config = cmake::Config::new(&self.source);
        config
            .target(&self.target)
            .host(&self.host)
            .out_dir(&self.out)
            .profile(self.profile)
            .build_target(self.build_target)
            .configure_arg("-C")
            .configure_arg(&self.initial_cache);
        for (name, value) in &self.definitions {
            config.define(name, value);
        }
        libraries(&config.build().join("build"))
    }
}

/// The static libraries under a build folder: MLX's own first, then those that it was built from in the same
/// run (such as `libjaccl.a`, which MLX 0.32 has with newer SDKs), by name.
pub fn libraries(build: &Path) -> Result<Vec<PathBuf>, BuildError> {
    let mut found = Vec::new();
    collect(build, &mut found).map_err(|error| BuildError::NoLibrary {
        library: build.to_owned(),
        why: error.to_string(),
    })?;
    let is_mlx = |path: &PathBuf| path.file_name().is_some_and(|name| name == "libmlx.a");
    if !found.iter().any(is_mlx) {
        return Err(BuildError::NoLibrary {
            library: build.join("libmlx.a"),
            why: "CMake ended well and did not make it".to_owned(),
        });
    }
    found.sort_by_key(|path| (!is_mlx(path), path.file_name().map(ToOwned::to_owned)));
    Ok(found)
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            collect(&path, found)?;
        } else if path.extension().is_some_and(|extension| extension == "a") {
            found.push(path);
        }
    }
    Ok(())
}
