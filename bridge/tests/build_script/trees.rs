use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use patchctl_apply::markers::{Block, Digest12, EditName, insertion};
use patchctl_apply::{BlobId, Lock, LockedFile, LockedPin, RevisionFrom, splice};

use crate::build::backend::Backend;
use crate::build::error::BuildError;
use crate::build::plan::{Mlx, Plan};
use crate::build::tree::{Patched, patched};
use crate::fixture::{OVERLAY, UNPATCHED, settings};

/// What the overlay adds to the fixture's encoder: in front of its namespace's end.
const ENTRY_POINTS: &str = "\
static int budget = 0;
void set_mb_per_buffer_override(int mb) { budget = mb > 0 ? mb : 0; }
int mb_per_buffer_override() { return budget; }
";

/// A small MLX, and beside it a lock and an overlay for it.
struct Fixture {
    folder: tempfile::TempDir,
}

impl Fixture {
    fn new() -> Self {
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

    fn tree(&self) -> PathBuf {
        self.folder.path().join("tree")
    }

    fn out(&self) -> PathBuf {
        self.folder.path().join("out")
    }

    fn lock_file(&self) -> PathBuf {
        self.folder.path().join("overlays/lock.yaml")
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.tree().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Writes a lock whose one edit inserts `text`, and the overlay.
    fn lock(&self, text: &str) {
        let upstream = UNPATCHED.as_bytes();
        let at = UNPATCHED.rfind('}').unwrap();
        let block = Block {
            edit: EditName::new("decode-input-budget", "entry-points", "1").unwrap(),
            digest: Digest12::new(&BlobId::of(text.as_bytes()).as_str()[..12]).unwrap(),
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

    fn patched(&self) -> Result<Patched, BuildError> {
        patched(&self.tree(), &self.lock_file(), &self.out())
    }

    /// Sets every file's time under `folder` to one long ago, so that any write shows.
    fn age(folder: &Path) {
        let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
        for path in contents(folder).keys() {
            let file = fs::File::options()
                .append(true)
                .open(folder.join(path))
                .unwrap();
            file.set_modified(long_ago).unwrap();
        }
    }

    fn written_since(folder: &Path) -> Vec<PathBuf> {
        let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
        let time = |path: &PathBuf| fs::metadata(folder.join(path)).unwrap().modified().unwrap();
        let files = contents(folder).into_keys();
        files.filter(|path| time(path) != long_ago).collect()
    }
}

/// Every file under a folder, with its bytes.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
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

#[test]
fn a_clean_tree_is_copied_and_patched_there_and_itself_left_alone() {
    let fixture = Fixture::new();
    let before = contents(&fixture.tree());
    let made = fixture.patched().unwrap();
    assert_eq!(made.root, fixture.out().join("mlx"));
    assert_eq!(made.release, "0.32.2");
    assert_eq!(contents(&fixture.tree()), before);

    let mut copied = contents(&made.root);
    let device = copied.remove(Path::new("mlx/device.cpp")).unwrap();
    assert!(String::from_utf8(device).unwrap().contains(ENTRY_POINTS));
    let mut expected = before;
    expected.remove(Path::new("mlx/device.cpp"));
    expected.remove(Path::new(".git/HEAD"));
    assert_eq!(copied, expected);
}

#[test]
fn a_patched_tree_is_built_where_it_is() {
    let fixture = Fixture::new();
    patchctl_apply::apply(
        fixture.lock_file(),
        patchctl_apply::PinChoice::Fitting,
        fixture.tree(),
    )
    .unwrap();
    let before = contents(&fixture.tree());
    assert_eq!(fixture.patched().unwrap().root, fixture.tree());
    assert_eq!(contents(&fixture.tree()), before);
    assert!(!fixture.out().exists());
}

#[test]
fn a_second_run_writes_nothing_so_that_nothing_is_compiled_again() {
    let fixture = Fixture::new();
    let root = fixture.patched().unwrap().root;
    Fixture::age(&root);
    fixture.patched().unwrap();
    assert_eq!(Fixture::written_since(&root), [""; 0].map(PathBuf::from));
}

#[test]
fn only_what_changed_is_written_and_what_went_goes() {
    let fixture = Fixture::new();
    let root = fixture.patched().unwrap().root;
    Fixture::age(&root);
    fixture.write("mlx/ops.cpp", "int ops() { return 2; }\n");
    fs::remove_file(fixture.tree().join("mlx/never.cpp")).unwrap();
    fixture.patched().unwrap();
    assert_eq!(
        Fixture::written_since(&root),
        [PathBuf::from("mlx/ops.cpp")]
    );
    assert!(!root.join("mlx/never.cpp").exists());
}

#[test]
fn a_changed_overlay_reaches_the_copy_and_a_stale_tree() {
    let fixture = Fixture::new();
    let root = fixture.patched().unwrap().root;
    // The tree given is patched by this lock, and the next one wants something else.
    patchctl_apply::apply(
        fixture.lock_file(),
        patchctl_apply::PinChoice::Fitting,
        fixture.tree(),
    )
    .unwrap();
    fixture.lock("int another_text = 1;\n");
    assert_eq!(fixture.patched().unwrap().root, root);
    let device = fs::read_to_string(root.join("mlx/device.cpp")).unwrap();
    assert!(
        device.contains("another_text") && !device.contains("budget = 0"),
        "{device}"
    );
}

#[test]
fn a_tree_that_is_no_pins_fails_and_nothing_is_copied() {
    let fixture = Fixture::new();
    fixture.write("mlx/device.cpp", "// someone's own\n");
    let message = fixture.patched().unwrap_err().to_string();
    assert!(
        message.contains("fits none of the lock's pins"),
        "{message}"
    );
    assert!(message.contains("0.32.2: mlx/device.cpp"), "{message}");
    assert!(!fixture.out().exists());
}

#[test]
fn a_missing_lock_fails_and_is_named() {
    let fixture = Fixture::new();
    fs::remove_file(fixture.lock_file()).unwrap();
    let message = fixture.patched().unwrap_err().to_string();
    assert!(message.contains("lock.yaml"), "{message}");
}

/// The whole of the metal backend's preparation, on a project with MLX's options in MLX's place; the target
/// is this machine, since a Mac's toolchain is not here.
fn prepare(fixture: &Fixture) -> Result<crate::build::plan::Prepared, BuildError> {
    fs::create_dir_all(fixture.out()).unwrap();
    let lock = fixture.lock_file();
    let variables = [("MLX_BRIDGE_LOCK", lock.to_str().unwrap())];
    let settings = settings("x86_64-unknown-linux-gnu", &fixture.out(), &variables);
    let plan = Plan {
        backend: Backend::Metal,
        mlx: Mlx::Tree(fixture.tree()),
    };
    plan.prepare(&settings)
}

#[test]
#[ignore = "needs cmake 3.25 or later (apt-get install cmake)"]
fn cmake_builds_the_patched_copy_and_the_entry_points_are_found_in_it() {
    let fixture = Fixture::new();
    let prepared = prepare(&fixture).unwrap();
    let built = fixture.out().join("build");
    let search = format!("cargo:rustc-link-search=native={}", built.display());
    assert!(prepared.directives.contains(&search), "{prepared:?}");
    assert!(prepared.watched.contains(&fixture.tree()));
    assert_eq!(prepared.system_includes, [fixture.out().join("mlx")]);
}

#[test]
#[ignore = "needs cmake 3.25 or later (apt-get install cmake)"]
fn a_build_whose_lock_adds_no_entry_points_is_stopped() {
    let fixture = Fixture::new();
    fixture.lock("int something_else = 1;\n");
    let error = prepare(&fixture).unwrap_err();
    assert!(
        matches!(error, BuildError::Unpatched { encoder: true, .. }),
        "{error}"
    );
}
