//! `build` and `test` on a machine without a real backend. What needs CMake is in `needs_cmake`, what needs MLX
//! itself in `needs_crates`.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

use crate::program::{Ran, patchctl, ran, run};
use crate::support::files::{self, Files};

/// g++ and what it starts: no clang.
const COMPILER: [&str; 4] = ["c++", "g++", "as", "ld"];

/// A repository with three pins and nothing else: neither command reads the overlays.
fn repository() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let own = |path: &str| (path.to_owned(), fs::read(root.join(path)).unwrap());
    let files = ["overlays/mlx/pins.yaml", "overlays/mlx/lock.yaml"].map(own);
    files::write(dir.path(), &Files::from(files));
    let config = "schema: 1\nupstream:\n  name: mlx\n  sources: [crates]\noverlays: overlays/mlx\n";
    fs::write(dir.path().join("patchctl.yaml"), config).unwrap();
    dir
}

/// Builds the stub where `c++` is this script.
fn build_with(folder: &Path, programs: &[&str], script: &str) -> Ran {
    let bin = only(folder, programs);
    fs::write(bin.join("c++"), script).unwrap();
    fs::set_permissions(bin.join("c++"), fs::Permissions::from_mode(0o755)).unwrap();
    let line = "build --backend stub --format json";
    ran(patchctl(folder).env("PATH", &bin).args(line.split(' ')))
}

fn statuses(rows: &Value) -> Vec<&str> {
    let rows = rows.as_array().unwrap().iter();
    rows.map(|row| row["status"].as_str().unwrap()).collect()
}

/// Folders of `PATH` with these programs and no others.
fn only(folder: &Path, programs: &[&str]) -> PathBuf {
    let bin = folder.join("bin");
    fs::create_dir(&bin).unwrap();
    for program in programs {
        let path = std::env::var_os("PATH").unwrap();
        let found = std::env::split_paths(&path).map(|folder| folder.join(program));
        let found = found.into_iter().find(|path| path.exists()).unwrap();
        std::os::unix::fs::symlink(found, bin.join(program)).unwrap();
    }
    bin
}

#[cfg(not(target_os = "macos"))]
#[test]
fn test_has_rows_for_pins_and_the_stub() {
    let folder = repository();
    let bin = only(folder.path(), &COMPILER);
    let without_clang = |line: &str| -> Ran {
        ran(patchctl(folder.path())
            .env("PATH", &bin)
            .args(line.split(' ')))
    };
    let tested = without_clang("test --all-pins --format json");
    assert_eq!(tested.status, 0, "{tested:?}");
    let report = tested.json();
    assert_eq!(statuses(&report["results"]), ["not-run"; 3]);
    let why = &report["results"][0]["findings"][0];
    assert_eq!(
        why["message"],
        "no real backend here: no clang 19 or later here"
    );
    let help = why["help"].as_str().unwrap();
    assert!(help.contains("apt-get install clang-19"), "{help}");
    assert_eq!(report["checks"][0]["name"], "stub");
    assert_eq!(statuses(&report["checks"]), ["passed"]);

    let shown = without_clang("test");
    let last = shown.stdout.lines().last().unwrap();
    assert_eq!(last, "1 release: 1 not run; 1 check: 1 passed");
}

#[cfg(not(target_os = "macos"))]
#[test]
fn level_or_backend_that_is_missing_ends_with_3() {
    let folder = repository();
    let bin = only(folder.path(), &COMPILER);
    let line = "test --all-pins --level run --format json";
    let tested = ran(patchctl(folder.path())
        .env("PATH", &bin)
        .args(line.split(' ')));
    assert_eq!(tested.status, 3, "{tested:?}");
    assert_eq!(statuses(&tested.json()["checks"]), ["passed"]);
    for backend in ["metal", "host-metal"] {
        let line = format!("build --backend {backend} --format json");
        let built = ran(patchctl(folder.path())
            .env("PATH", &bin)
            .args(line.split(' ')));
        assert_eq!(built.status, 3, "{built:?}");
        assert_eq!(statuses(&built.json()["results"]), ["not-run"]);
    }
}

#[test]
fn the_stub_needs_a_compiler_and_says_so() {
    let folder = repository();
    let bin = only(folder.path(), &[]);
    let without = |line: &str| -> Ran {
        ran(patchctl(folder.path())
            .env("PATH", &bin)
            .args(line.split(' ')))
    };
    let built = without("build --backend stub --format json");
    assert_eq!(built.status, 3, "{built:?}");
    let check = &built.json()["checks"][0];
    assert_eq!(check["status"], "not-run");
    assert_eq!(check["findings"][0]["code"], "tool-missing");
    let help = check["findings"][0]["help"].as_str().unwrap();
    assert!(help.contains("apt-get install g++"), "{help}");
}

#[test]
fn missing_cmake_is_told_before_fetching() {
    let folder = repository();
    let bin = only(folder.path(), &["c++"]);
    let line = "--offline build --mlx-library --format json";
    let built = ran(patchctl(folder.path())
        .env("PATH", &bin)
        .args(line.split(' ')));
    assert_eq!(built.status, 3, "{built:?}");
    let finding = &built.json()["results"][0]["findings"][0];
    assert_eq!(finding["code"], "tool-missing");
    assert_eq!(finding["message"], "CMake 3.25 or later is not here");
}

#[test]
fn pin_that_is_not_locked_is_a_usage_error() {
    let folder = repository();
    for line in [
        "test --mlx 0.31.0",
        "build --mlx 0.31.0",
        "build --mlx-library --mlx 0.31.0",
    ] {
        let refused = run(folder.path(), line);
        assert_eq!(refused.status, 2, "{refused:?}");
        assert!(
            refused.stderr.contains("the lock has no pin 0.31.0"),
            "{refused:?}"
        );
    }
    assert_eq!(
        run(folder.path(), "build --mlx-library --backend stub").status,
        2
    );
    assert_eq!(run(folder.path(), "test --mlx 0.32.2 --all-pins").status, 2);
}

/// A compiler that works, but whose stub keeps what is set.
#[test]
fn a_stub_that_keeps_an_override_fails() {
    let folder = repository();
    let real = std::env::var_os("PATH").unwrap();
    let script = format!(
        "#!/bin/sh\nPATH={}\ncase \"$*\" in *--version*) exec c++ --version;; esac\n\
         root=; for word in \"$@\"; do case \"$word\" in -I*) root=${{word#-I}};; esac; done\n\
         sed -i 's/return 0;/return 7;/' \"$root/cpp/stub.cc\"\nexec c++ \"$@\"\n",
        real.to_str().unwrap()
    );
    let built = build_with(folder.path(), &["sh"], &script);
    assert_eq!(built.status, 1, "{built:?}");
    let finding = &built.json()["checks"][0]["findings"][0];
    assert_eq!(finding["code"], "override-wrong");
    assert_eq!(
        finding["message"],
        "the round trip should say `start 0` and says `start 7`"
    );
}

#[test]
fn a_compiler_that_fails_is_quoted() {
    let folder = repository();
    let script = "#!/bin/sh\n[ \"$1\" = --version ] && { echo 'c++ 1'; exit; }\necho 'no such header' >&2\nexit 1\n";
    let built = build_with(folder.path(), &["sh"], script);
    assert_eq!(built.status, 1, "{built:?}");
    let finding = &built.json()["checks"][0]["findings"][0];
    assert_eq!(finding["code"], "build-failed");
    assert_eq!(finding["excerpt"], "no such header");
}
