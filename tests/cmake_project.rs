//! The example project in `docs/examples/cmake` on a user's machine, with a small stand-in for MLX.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use patchctl_apply::markers::{Block, Comment, Digest12, EditName, insertion};
use patchctl_apply::{BlobId, Lock, LockedFile, LockedOverlay, LockedPin, RevisionFrom, splice};
use tempfile::TempDir;

use crate::support::files::{self, Files};

pub const DEVICE: &str = "mlx/backend/metal/device.cpp";
pub const OPS: &str = "mlx/ops.cpp";

/// Upstream, as far as the example links it. Its namespace's end is where the overlay's text goes.
const UPSTREAM: [(&str, &str); 4] = [
    (
        "CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.25)
project(mlx LANGUAGES CXX)
option(MLX_BUILD_TESTS \"\" ON)
if(MLX_BUILD_TESTS)
  message(FATAL_ERROR \"the example wants no tests of MLX's\")
endif()
add_library(mlx mlx/backend/metal/device.cpp mlx/ops.cpp)
",
    ),
    (
        DEVICE,
        "namespace mlx::core::metal {\nint device() { return 0; }\n}\n",
    ),
    (
        OPS,
        "namespace mlx::core {\nint add(int a, int b) { return a + b; }\n}\n",
    ),
    ("mlx/version.h", "#define MLX_VERSION_MAJOR 0\n"),
];

const REVISION: &str = "1f8e74e3f12f31365464a6867c6579f0e9b29d85";

/// Entry points that multiply by `factor`, so that a program shows which text it was built with.
fn entry_points(factor: u32) -> String {
    format!(
        "static int budget = 0;\nvoid set_mb_per_buffer_override(int mb) {{ budget = mb * {factor}; }}\n\
         int mb_per_buffer_override() {{ return budget; }}\n"
    )
}

/// An overlay's text for a file of upstream.
pub struct Patch<'p> {
    overlay: &'p str,
    path: &'p str,
    text: String,
}

impl Patch<'_> {
    pub fn upstream(&self) -> &'static str {
        let found = UPSTREAM.iter().find(|(path, _)| *path == self.path);
        found.unwrap().1
    }

    pub fn locked(&self) -> LockedFile {
        let upstream = self.upstream().as_bytes();
        let block = Block {
            edit: EditName::new(self.overlay, "text", "1").unwrap(),
            digest: Digest12::new(&BlobId::of(self.text.as_bytes()).as_str()[..12]).unwrap(),
            comment: Comment::default(),
        };
        let at = self.upstream().rfind('}').unwrap();
        let splices = vec![insertion(upstream, at, &block, &self.text).unwrap()];
        LockedFile {
            path: self.path.to_owned(),
            before: BlobId::of(upstream),
            after: BlobId::of(&splice(self.path, upstream, &splices).unwrap()),
            splices,
        }
    }

    pub fn patched(&self) -> Vec<u8> {
        self.locked().patch(self.upstream().as_bytes()).unwrap()
    }
}

/// The override's overlay.
pub fn budget(factor: u32) -> Patch<'static> {
    Patch {
        overlay: "budget",
        path: DEVICE,
        text: entry_points(factor),
    }
}

/// Another overlay, in another file.
pub fn counting() -> Patch<'static> {
    Patch {
        overlay: "counting",
        path: OPS,
        text: "int count() { return 1; }\n".to_owned(),
    }
}

/// Where the tree comes from and how it is patched.
#[derive(Clone, Copy)]
pub enum Way {
    /// An archive, and the function after it was unpacked.
    Archive,
    /// An archive, and the patch step.
    PatchCommand,
    /// A tree of the user's own.
    OwnTree,
}

/// A user's machine: the example project, a repository with a lock, an archive of upstream.
pub struct Project {
    dir: TempDir,
    way: Way,
}

impl Project {
    pub fn new(way: Way, patches: &[Patch<'_>]) -> Self {
        let project = Self {
            dir: tempfile::tempdir().unwrap(),
            way,
        };
        let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/examples/cmake");
        files::write(&project.path("example"), &files::read(&example));
        let upstream = UPSTREAM.map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec()));
        files::write(&project.path("mlx-0.32.2"), &Files::from(upstream));
        let packed = Command::new("cmake")
            .args(["-E", "tar", "czf", "mlx.tar.gz", "mlx-0.32.2"])
            .current_dir(project.dir.path())
            .status()
            .expect("cmake is installed: apt-get install cmake");
        assert!(packed.success());
        project.lock(patches);
        project
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// The tree that is built.
    pub fn tree(&self) -> PathBuf {
        match self.way {
            Way::Archive | Way::PatchCommand => self.path("build/_deps/mlx-src"),
            Way::OwnTree => self.path("mlx-0.32.2"),
        }
    }

    pub fn read(&self, file: &str) -> Vec<u8> {
        fs::read(self.tree().join(file)).unwrap()
    }

    /// Writes a repository whose lock holds these patches.
    pub fn lock(&self, patches: &[Patch<'_>]) {
        let overlays = patches.iter().map(|patch| LockedOverlay {
            id: patch.overlay.to_owned(),
            digest: BlobId::of(patch.text.as_bytes()).as_str().repeat(2)[..64].to_owned(),
        });
        let pin = LockedPin {
            release: "0.32.2".to_owned(),
            revision: REVISION.to_owned(),
            revision_from: RevisionFrom::Git,
            source: "git".to_owned(),
            tree: None,
            overlays: overlays.collect(),
            files: patches.iter().map(Patch::locked).collect(),
            proven: Vec::new(),
            lowered_from: None,
        };
        let lock = Lock {
            pins: vec![pin],
            ..Lock::default()
        };
        let texts = [
            (
                "patchctl.yaml",
                "schema: 1\nupstream:\n  name: mlx\n  sources: [crates]\noverlays: overlays/mlx\n"
                    .to_owned(),
            ),
            (
                "overlays/mlx/pins.yaml",
                format!(
                    "schema: 1\ncurrent: 0.32.2\npins:\n  - release: 0.32.2\n    revision: {REVISION}\n"
                ),
            ),
            ("overlays/mlx/lock.yaml", lock.to_yaml().unwrap()),
        ];
        let texts = texts.map(|(path, text)| (path.to_owned(), text.into_bytes()));
        files::write(&self.path("repository"), &Files::from(texts));
    }

    /// CMake with nothing of the developer's environment but `PATH`; whether it succeeded, and what it said.
    pub fn cmake(&self, arguments: &[&str]) -> (bool, String) {
        let output = Command::new("cmake")
            .args(arguments)
            .current_dir(self.dir.path())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.dir.path())
            .output()
            .unwrap();
        let mut said = String::from_utf8_lossy(&output.stdout).into_owned();
        said.push_str(&String::from_utf8_lossy(&output.stderr));
        (output.status.success(), said)
    }

    pub fn try_configure(&self) -> (bool, String) {
        self.try_configure_with(Path::new(env!("CARGO_BIN_EXE_patchctl")))
    }

    pub fn try_configure_with(&self, patchctl: &Path) -> (bool, String) {
        let mut arguments = vec![
            "-S".to_owned(),
            "example".to_owned(),
            "-B".to_owned(),
            "build".to_owned(),
            format!("-DMLX_ARCHIVE={}", self.path("mlx.tar.gz").display()),
            format!("-DPATCHCTL_ROOT={}", self.path("repository").display()),
            format!("-DPATCHCTL_EXECUTABLE={}", patchctl.display()),
        ];
        match self.way {
            Way::Archive => {}
            Way::PatchCommand => arguments.push("-DAPPLY_AS_PATCH_COMMAND=ON".to_owned()),
            Way::OwnTree => {
                arguments.push(format!(
                    "-DFETCHCONTENT_SOURCE_DIR_MLX={}",
                    self.tree().display()
                ));
            }
        }
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        self.cmake(&arguments)
    }

    pub fn configure(&self) -> String {
        let (ok, said) = self.try_configure();
        assert!(ok, "{said}");
        said
    }

    pub fn build(&self) -> String {
        let (ok, said) = self.cmake(&["--build", "build"]);
        assert!(ok, "{said}");
        said
    }

    /// What the example's program prints.
    pub fn run(&self) -> String {
        let output = Command::new(self.path("build/decode_budget"))
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap()
    }

    /// Sets a file's time to one long ago and gives it, so that any later write shows.
    pub fn age(&self, file: &str) -> SystemTime {
        let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
        let file = fs::File::options()
            .append(true)
            .open(self.tree().join(file))
            .unwrap();
        file.set_modified(long_ago).unwrap();
        long_ago
    }

    pub fn time(&self, file: &str) -> SystemTime {
        fs::metadata(self.tree().join(file))
            .unwrap()
            .modified()
            .unwrap()
    }
}
