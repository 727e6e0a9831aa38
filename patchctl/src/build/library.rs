//! MLX without Metal, built with CMake and without a network.

use camino::{Utf8Path, Utf8PathBuf};

use super::tools::run;
use super::{BuildError, Cmake, Cxx, Kit, Objects};
use crate::verify::run::Runner;

/// One build, optimised for being made: it shows that the tree builds and is not for use.
#[derive(Clone, Copy)]
pub struct Library<'a> {
    /// The tree.
    pub tree: &'a Utf8Path,
    /// CMake's build folder.
    pub build: &'a Utf8Path,
    /// fmt's sources, in place of a download.
    pub fmt: &'a Utf8Path,
    /// The JSON library's sources, in place of a download.
    pub json: &'a Utf8Path,
    /// The bridge's files.
    pub kit: &'a Kit,
    /// CMake.
    pub cmake: &'a Cmake,
    /// The compiler.
    pub cxx: &'a Cxx,
    /// How many compilers may run at once.
    pub jobs: usize,
    /// Starts programs.
    pub runner: &'a dyn Runner,
}

/// What a build made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Made {
    /// The static library.
    pub library: Utf8PathBuf,
    /// Every object in the build folder.
    pub objects: Objects,
}

impl Library<'_> {
    /// Configures, and builds MLX's own library. A second run compiles what has changed.
    ///
    /// # Errors
    /// When CMake fails or a file of its result cannot be read.
    pub fn make(&self) -> Result<Made, BuildError> {
        let cmake = &self.cmake.program;
        run("configuring MLX", cmake, self.configure(), 10, self.runner)?;
        self.again()
    }

    /// Builds without configuring.
    ///
    /// # Errors
    /// As [`Library::make`].
    pub fn again(&self) -> Result<Made, BuildError> {
        let arguments = [
            "--build",
            self.build.as_str(),
            "--target",
            "mlx",
            "--parallel",
        ];
        let mut arguments: Vec<String> = arguments.map(str::to_owned).into();
        arguments.push(self.jobs.to_string());
        run(
            "building MLX",
            &self.cmake.program,
            arguments,
            60,
            self.runner,
        )?;
        let library = self.build.join("libmlx.a");
        if !library.is_file() {
            return Err(BuildError::File {
                path: library,
                why: "CMake ended well and did not make it".to_owned(),
            });
        }
        Ok(Made {
            library,
            objects: Objects::of(self.build)?,
        })
    }

    fn configure(&self) -> Vec<String> {
        let initial = self.kit.without_metal();
        vec![
            format!("-S{}", self.tree),
            format!("-B{}", self.build),
            format!("-C{initial}"),
            // Neither optimised nor with symbols for a debugger: half the time.
            "-DCMAKE_BUILD_TYPE=".to_owned(),
            format!("-DCMAKE_CXX_COMPILER={}", self.cxx.program),
            // A cache of compilations could hide that a file no longer compiles alike.
            "-DMLX_USE_CCACHE=OFF".to_owned(),
            "-DFETCHCONTENT_FULLY_DISCONNECTED=ON".to_owned(),
            format!("-DFETCHCONTENT_SOURCE_DIR_FMT={}", self.fmt),
            format!("-DFETCHCONTENT_SOURCE_DIR_JSON={}", self.json),
        ]
    }
}
