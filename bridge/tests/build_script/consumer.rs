//! A program that depends on this crate, built by cargo with libraries made on the spot: the whole way from
//! environment to linked program, for the backends that this machine can have.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, PoisonError};

use crate::build::settings::watched;
use crate::fixture::{PATCHED, UNPATCHED, lock_beside_overlay, shared_library, static_library};

/// The crate that depends on this one. Its tests are this crate's own round trips.
struct Consumer {
    root: PathBuf,
}

impl Consumer {
    /// Writes it, where an earlier run's build is still good.
    fn new() -> Self {
        let bridge = Path::new(env!("CARGO_MANIFEST_DIR"));
        let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("consumer");
        std::fs::create_dir_all(root.join("src")).unwrap();
        let write = |path: &str, text: &str| {
            let path = root.join(path);
            if std::fs::read_to_string(&path).ok().as_deref() != Some(text) {
                std::fs::write(path, text).unwrap();
            }
        };
        write(
            "Cargo.toml",
            &format!(
                "[package]\nname = \"consumer\"\nedition = \"2024\"\n\n[dependencies]\nmlx-bridge = {{ path = {bridge:?} }}\n\n\
                 [workspace]\n"
            ),
        );
        // What the build script hands on, what is linked, and then the round trips.
        write(
            "build.rs",
            "fn main() { println!(\"cargo:rustc-env=HANDED_ON={}\", std::env::var(\"DEP_MLX_BRIDGE_BACKEND\").unwrap()); }\n",
        );
        write(
            "src/lib.rs",
            &format!(
                "#[test]\nfn backend() {{\n    println!(\"handed on {{}}, linked {{}}, MLX {{:?}}\", \
                 env!(\"HANDED_ON\"), mlx_bridge::backend(), mlx_bridge::mlx_version());\n}}\n\n\
                 #[cfg(test)]\n#[path = {:?}]\nmod round_trip;\n",
                bridge.join("tests/api/round_trip.rs")
            ),
        );
        let lock = std::fs::read_to_string(bridge.join("../Cargo.lock")).unwrap();
        if !root.join("Cargo.lock").exists() {
            write("Cargo.lock", &lock);
        }
        Self { root }
    }

    /// Builds and tests it under these variables and none of ours besides.
    fn test(&self, variables: &[(&str, &Path)]) -> Output {
        let mut cargo = Command::new(env!("CARGO"));
        cargo
            .args(["test", "--offline", "--quiet", "--lib", "--", "--nocapture"])
            .current_dir(&self.root)
            .env("CARGO_TARGET_DIR", self.root.join("target"));
        for name in watched().chain(["RUSTFLAGS", "RUSTC_WRAPPER"]) {
            cargo.env_remove(name);
        }
        cargo.envs(variables.iter().copied()).output().unwrap()
    }
}

/// Through `library` as host-metal's, with the overlay that lies in its folder.
fn tested_through(library: &Path) -> (bool, String) {
    let folder = library.parent().unwrap();
    let lock = lock_beside_overlay(folder);
    tested(&[
        ("MLX_BRIDGE_BACKEND", Path::new("host-metal")),
        ("MLX_BRIDGE_LIB", library),
        ("MLX_BRIDGE_LOCK", &lock),
        // A package's own run path is not its users': they say where a shared library is.
        ("LD_LIBRARY_PATH", folder),
    ])
}

/// One build at a time: they share a target folder.
fn tested(variables: &[(&str, &Path)]) -> (bool, String) {
    static ALONE: Mutex<()> = Mutex::new(());
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let output = Consumer::new().test(variables);
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.push_str(&String::from_utf8_lossy(&output.stderr));
    (output.status.success(), text)
}

#[cfg(target_os = "linux")]
#[test]
fn a_program_gets_the_stub_without_asking() {
    let (passed, text) = tested(&[]);
    assert!(passed, "{text}");
    assert!(
        text.contains("handed on stub, linked stub, MLX None"),
        "{text}"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn the_round_trips_pass_through_a_patched_library_static_and_shared() {
    let folder = tempfile::tempdir().unwrap();
    for library in [
        static_library(folder.path(), "mlx", PATCHED),
        shared_library(
            folder.path(),
            "mlx_shared",
            PATCHED,
            &["-fvisibility=hidden"],
        ),
    ] {
        let (passed, text) = tested_through(&library);
        assert!(passed, "{text}");
        assert!(
            text.contains("handed on host-metal, linked host-metal, MLX None"),
            "{text}"
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_round_trip_fails_where_the_override_is_not_kept() {
    let folder = tempfile::tempdir().unwrap();
    let broken = PATCHED.replace(
        "budget.store(mb > 0 ? mb : 0",
        "budget.store(mb > 0 ? 50 : 0",
    );
    let library = static_library(folder.path(), "mlx", &broken);
    let (passed, text) = tested_through(&library);
    assert!(!passed, "{text}");
    assert!(
        text.contains("an_override_is_read_back_and_none_is_zero"),
        "{text}"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_build_with_an_unpatched_library_stops_before_linking() {
    let folder = tempfile::tempdir().unwrap();
    let library = static_library(folder.path(), "mlx", UNPATCHED);
    let (passed, text) = tested_through(&library);
    assert!(!passed, "{text}");
    assert!(
        text.contains("its Metal encoder was compiled without the overlay"),
        "{text}"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn the_stub_reports_the_version_of_the_mlx_that_it_is_linked_with() {
    let folder = tempfile::tempdir().unwrap();
    let tree = folder.path().join("tree");
    std::fs::create_dir_all(tree.join("mlx")).unwrap();
    // The two forms that MLX had: a string by value up to 0.28, a pointer from 0.29 on.
    for (result, library) in [("std::string", "mlx_old"), ("const char*", "mlx_new")] {
        let declared = format!("namespace mlx::core {{ {result} version(); }}\n");
        std::fs::write(tree.join("mlx/version.h"), &declared).unwrap();
        let source = format!(
            "#include <string>\n{declared}{result} mlx::core::version() {{ return \"0.0.7\"; }}\n"
        );
        let library = static_library(folder.path(), library, &source);
        let (passed, text) = tested(&[
            ("MLX_BRIDGE_BACKEND", Path::new("stub")),
            ("MLX_BRIDGE_LIB", &library),
            ("MLX_SOURCE_DIR", &tree),
        ]);
        assert!(passed, "{text}");
        assert!(text.contains("linked stub, MLX Some(\"0.0.7\")"), "{text}");
    }
}
