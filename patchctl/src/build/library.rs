//! MLX, built with CMake and without a network.

use camino::{Utf8Path, Utf8PathBuf};

use super::step::run;
use super::{Objects, Tools};
use crate::toolchain::{Runner, ToolError, files};

/// The product of a build.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind<'a> {
    /// Without Metal, on any machine. It shows that the tree builds and is not for use: not optimised.
    WithoutMetal,
    /// With Metal, on a Mac with Apple silicon. For use.
    Metal {
        /// metal-cpp's headers, in place of a download.
        metal_cpp: &'a Utf8Path,
    },
}

/// The oldest macOS that MLX's CMakeLists.txt accepts.
const OLDEST_MACOS: &str = "14.0";

/// One build.
#[derive(Clone, Copy)]
pub struct Library<'a> {
    /// The product of a build.
    pub kind: Kind<'a>,
    /// The tree.
    pub tree: &'a Utf8Path,
    /// CMake's build folder.
    pub build: &'a Utf8Path,
    /// fmt's sources, in place of a download.
    pub fmt: &'a Utf8Path,
    /// The JSON library's sources, in place of a download.
    pub json: &'a Utf8Path,
    /// The builder.
    pub tools: &'a Tools,
    /// The number of compilers may run at once.
    pub jobs: usize,
    /// Starts programs.
    pub runner: &'a dyn Runner,
}

/// The products of a build.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Made {
    /// The static library.
    pub library: Utf8PathBuf,
    /// Other static libraries that the same build made (`libjaccl.a` with newer SDKs), which a program needs too.
    pub needed: Vec<Utf8PathBuf>,
    /// Every object in the build folder.
    pub objects: Objects,
}

impl Library<'_> {
    /// Configures, and builds MLX's own library. A second run compiles what has changed.
    ///
    /// # Errors
    /// When CMake fails or a file of its result cannot be read.
    pub fn make(&self) -> Result<Made, ToolError> {
        let cmake = &self.tools.cmake;
        run("configuring MLX", cmake, self.configure(), 10, self.runner)?;
        self.again()
    }

    /// Builds without configuring.
    ///
    /// # Errors
    /// As [`Library::make`].
    pub fn again(&self) -> Result<Made, ToolError> {
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
            &self.tools.cmake,
            arguments,
            60,
            self.runner,
        )?;
        let library = self.build.join("libmlx.a");
        if !library.is_file() {
            let message = format!("{library}: CMake ended well and did not make it");
            return Err(ToolError::broken(message));
        }
        let mut needed = files(self.build)?;
        needed.retain(|path| path.extension() == Some("a") && *path != library);
        Ok(Made {
            library,
            needed,
            objects: Objects::of(self.build)?,
        })
    }

    fn configure(&self) -> Vec<String> {
        let mut arguments = vec![
            format!("-S{}", self.tree),
            format!("-B{}", self.build),
            format!("-DCMAKE_CXX_COMPILER={}", self.tools.cxx.program),
            // A cache of compilations could hide that a file no longer compiles alike.
            "-DMLX_USE_CCACHE=OFF".to_owned(),
            "-DFETCHCONTENT_FULLY_DISCONNECTED=ON".to_owned(),
            format!("-DFETCHCONTENT_SOURCE_DIR_FMT={}", self.fmt),
            format!("-DFETCHCONTENT_SOURCE_DIR_JSON={}", self.json),
        ];
        match self.kind {
            Kind::WithoutMetal => {
                arguments.push(format!(
                    "-C{}",
                    self.tools.sources.path("cmake/no-metal.cmake")
                ));
                // Neither optimised nor with symbols for a debugger: half the time.
                arguments.push("-DCMAKE_BUILD_TYPE=".to_owned());
            }
            Kind::Metal { metal_cpp } => {
                arguments.push(format!(
                    "-C{}",
                    self.tools.sources.path("cmake/metal.cmake")
                ));
                arguments.push("-DCMAKE_BUILD_TYPE=Release".to_owned());
                arguments.push(format!("-DCMAKE_OSX_DEPLOYMENT_TARGET={OLDEST_MACOS}"));
                arguments.push(format!("-DFETCHCONTENT_SOURCE_DIR_METAL_CPP={metal_cpp}"));
            }
        }
        arguments
    }
}
