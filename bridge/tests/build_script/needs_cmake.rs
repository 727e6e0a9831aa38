//! Ignored by default, since not every machine has CMake; `ci/test` installs it and runs them.

use std::fs;

use crate::build::backend::Backend;
use crate::build::error::BuildError;
use crate::build::plan::{Mlx, Plan, Prepared};
use crate::fixture::settings;
use crate::tree_fixture::Fixture;

/// The whole of the metal backend's preparation, on a project with MLX's options in MLX's place; the target
/// is this machine, since a Mac's toolchain is not here.
fn prepare(fixture: &Fixture) -> Result<Prepared, BuildError> {
    fs::create_dir_all(fixture.out()).unwrap();
    let lock = fixture.lock_file();
    let variables = [
        ("MLX_BRIDGE_LOCK", lock.to_str().unwrap()),
        ("CARGO_MANIFEST_DIR", env!("CARGO_MANIFEST_DIR")),
    ];
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
