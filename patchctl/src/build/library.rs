//! MLX, built with CMake and without a network.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};
use sha2::{Digest, Sha256};

use super::step::{Tools, run};
use crate::toolchain::{CMAKE, Runner, ToolError, files, read, texts};

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
        run("configuring MLX", CMAKE, self.configure(), 10, self.runner)?;
        self.again()
    }

    /// Builds without configuring.
    ///
    /// # Errors
    /// As [`Library::make`].
    pub fn again(&self) -> Result<Made, ToolError> {
        let (build, jobs) = (self.build.as_str(), self.jobs.to_string());
        let arguments = texts(&["--build", build, "--target", "mlx", "--parallel", &jobs]);
        run("building MLX", CMAKE, arguments, 60, self.runner)?;
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
        let (cache, build_type) = match self.kind {
            // Neither optimised nor with symbols for a debugger: half the time.
            Kind::WithoutMetal => ("no-metal", ""),
            Kind::Metal { metal_cpp } => {
                arguments.push(format!("-DCMAKE_OSX_DEPLOYMENT_TARGET={OLDEST_MACOS}"));
                arguments.push(format!("-DFETCHCONTENT_SOURCE_DIR_METAL_CPP={metal_cpp}"));
                ("metal", "Release")
            }
        };
        let cache = self.tools.sources.path(&format!("cmake/{cache}.cmake"));
        arguments.push(format!("-C{cache}"));
        arguments.push(format!("-DCMAKE_BUILD_TYPE={build_type}"));
        arguments
    }
}

/// Every object under a folder, with the SHA-256 of its bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Objects(BTreeMap<Utf8PathBuf, [u8; 32]>);

impl Objects {
    /// Reads them.
    ///
    /// # Errors
    /// When the folder or a file cannot be read.
    pub fn of(folder: &Utf8Path) -> Result<Self, ToolError> {
        let mut objects = BTreeMap::new();
        let all = files(folder)?.into_iter();
        for path in all.filter(|path| path.extension() == Some("o")) {
            let inside = path.strip_prefix(folder).unwrap_or(&path).to_owned();
            objects.insert(inside, Sha256::digest(read(&path)?).into());
        }
        Ok(Self(objects))
    }

    /// The number of them.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Lists those that are in only one of the two, or differ, by path.
    pub fn differing(&self, other: &Self) -> Vec<Utf8PathBuf> {
        let mut paths: Vec<&Utf8PathBuf> = self.0.keys().chain(other.0.keys()).collect();
        paths.sort();
        paths.dedup();
        paths.retain(|path| self.0.get(*path) != other.0.get(*path));
        paths.into_iter().cloned().collect()
    }
}

/// Reads the version, `major.minor.patch`, that a tree's `mlx/version.h` says; `None` in a tree without the file (before
/// 0.25).
///
/// # Errors
/// When the file is there and cannot be read, or does not define the three numbers.
pub fn version_of(tree: &Utf8Path) -> Result<Option<String>, ToolError> {
    let path = tree.join("mlx/version.h");
    if !path.exists() {
        return Ok(None);
    }
    let header = String::from_utf8_lossy(&read(&path)?).into_owned();
    let number = |part: &str| {
        header.lines().find_map(|line| {
            let mut words = line.split_whitespace();
            let is_it = words.next() == Some("#define") && words.next() == Some(part);
            is_it.then(|| words.next()?.parse::<u32>().ok()).flatten()
        })
    };
    let parts = [
        "MLX_VERSION_MAJOR",
        "MLX_VERSION_MINOR",
        "MLX_VERSION_PATCH",
    ];
    match parts.map(number) {
        [Some(major), Some(minor), Some(patch)] => Ok(Some(format!("{major}.{minor}.{patch}"))),
        _ => Err(ToolError::broken(format!(
            "{path}: it does not define MLX_VERSION_MAJOR, _MINOR and _PATCH as numbers"
        ))),
    }
}
