//! A small MLX with a lock and an overlay for it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use patchctl_apply::markers::{Block, Comment, Digest12, EditName, insertion};
use patchctl_apply::{BlobId, Lock, LockedFile, LockedPin, RevisionFrom, splice};

use crate::build::error::BuildError;
use crate::build::tree::{Patched, patched};
use crate::fixture::{OVERLAY, UNPATCHED};

/// What the overlay adds to the fixture's encoder: in front of its namespace's end.
pub const ENTRY_POINTS: &str = "\
static int budget = 0;
void set_mb_per_buffer_override(int mb) { budget = mb > 0 ? mb : 0; }
int mb_per_buffer_override() { return budget; }
";

/// A small MLX, and beside it a lock and an overlay for it.
pub struct Fixture {
    folder: tempfile::TempDir,
}

impl Fixture {
    pub fn new() -> Self {
        let fixture = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        fixture.write("mlx/device.cpp", UNPATCHED);
        fixture.write("mlx/ops.cpp", "int ops() { return 1; }\n");
        fixture.write(".git/HEAD", "ref: refs/heads/main\n");
        fixture.write(
            "CMakeLists.txt",
            "cmake_minimum_required(VERSION 3.25)
project(mlx LANGUAGES CXX)
foreach(on MLX_BUILD_METAL MLX_BUILD_CPU)
  if(NOT ${on})
    message(FATAL_ERROR \"${on}\")
  endif()
endforeach()
foreach(off BUILD_SHARED_LIBS MLX_BUILD_TESTS MLX_BUILD_GGUF)
  if(${off})
    message(FATAL_ERROR \"${off}\")
  endif()
endforeach()
if(NOT CMAKE_BUILD_TYPE STREQUAL Release)
  message(FATAL_ERROR \"${CMAKE_BUILD_TYPE}\")
endif()
add_library(mlx mlx/device.cpp mlx/ops.cpp)
# Only MLX's own target is asked for, so this is never compiled.
add_executable(never mlx/never.cpp)
",
        );
        fixture.write("mlx/never.cpp", "int main() { does not compile }\n");
        fixture.lock(ENTRY_POINTS);
        fixture
    }

    pub fn tree(&self) -> PathBuf {
        self.folder.path().join("tree")
    }

    pub fn out(&self) -> PathBuf {
        self.folder.path().join("out")
    }

    pub fn lock_file(&self) -> PathBuf {
        self.folder.path().join("overlays/lock.yaml")
    }

    pub fn write(&self, path: &str, text: &str) {
        let path = self.tree().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Writes a lock whose one edit inserts `text`, and the overlay.
    pub fn lock(&self, text: &str) {
        let upstream = UNPATCHED.as_bytes();
        let at = UNPATCHED.rfind('}').unwrap();
        let block = Block {
            edit: EditName::new("decode-input-budget", "entry-points", "1").unwrap(),
            digest: Digest12::new(&BlobId::of(text.as_bytes()).as_str()[..12]).unwrap(),
            comment: Comment::default(),
        };
        let splice_in = insertion(upstream, at, &block, text).unwrap();
        let after = splice("mlx/device.cpp", upstream, std::slice::from_ref(&splice_in)).unwrap();
        let pin = LockedPin {
            release: "0.32.2".to_owned(),
            revision: "1f8e74e3f12f31365464a6867c6579f0e9b29d85".to_owned(),
            revision_from: RevisionFrom::Git,
            source: "git:fixture".to_owned(),
            tree: None,
            overlays: Vec::new(),
            files: vec![LockedFile {
                path: "mlx/device.cpp".to_owned(),
                before: BlobId::of(upstream),
                after: BlobId::of(&after),
                splices: vec![splice_in],
            }],
            proven: Vec::new(),
            lowered_from: None,
        };
        let lock = Lock {
            pins: vec![pin],
            ..Lock::default()
        };
        fs::create_dir_all(self.lock_file().parent().unwrap()).unwrap();
        fs::write(self.lock_file(), lock.to_yaml().unwrap()).unwrap();
        let overlay = self.lock_file().with_file_name("decode-input-budget.yaml");
        fs::write(overlay, OVERLAY).unwrap();
    }

    pub fn patched(&self) -> Result<Patched, BuildError> {
        patched(&self.tree(), &self.lock_file(), &self.out())
    }

    /// Sets every file's time under `folder` to one long ago, so that any write shows.
    pub fn age(folder: &Path) {
        let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
        for path in contents(folder).keys() {
            let file = fs::File::options()
                .append(true)
                .open(folder.join(path))
                .unwrap();
            file.set_modified(long_ago).unwrap();
        }
    }

    pub fn written_since(folder: &Path) -> Vec<PathBuf> {
        let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
        let time = |path: &PathBuf| fs::metadata(folder.join(path)).unwrap().modified().unwrap();
        let files = contents(folder).into_keys();
        files.filter(|path| time(path) != long_ago).collect()
    }
}

/// Every file under a folder, with its bytes.
pub fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let inside = path.strip_prefix(folder).unwrap().to_owned();
                found.insert(inside, fs::read(&path).unwrap());
            }
        }
    }
    found
}
