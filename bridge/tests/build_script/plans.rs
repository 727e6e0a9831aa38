use std::path::Path;

use object::{Architecture, SymbolScope};

use crate::build::backend::Backend;
use crate::build::error::BuildError;
use crate::build::plan::{Mlx, Plan};
use crate::fixture::{
    GETTER, PATCHED, SETTER, UNPATCHED, archive, lock_beside_overlay, mach_o, settings,
    static_library,
};

const MAC: &str = "aarch64-apple-darwin";
const LINUX: &str = "x86_64-unknown-linux-gnu";

#[test]
fn the_stub_needs_no_mlx_no_overlay_and_no_lock() {
    let here = settings(
        LINUX,
        Path::new("nowhere"),
        &[("MLX_BRIDGE_LOCK", "nowhere/lock.yaml")],
    );
    let plan = Plan::of(&here).unwrap();
    assert_eq!((plan.backend, &plan.mlx), (Backend::Stub, &Mlx::None));
    let prepared = plan.prepare(&here).unwrap();
    assert_eq!(prepared.cpp_files, ["cpp/stub.cc", "cpp/version.cc"]);
    assert_eq!(prepared.directives, [""; 0]);
    assert_eq!(prepared.defines, [""; 0]);
    assert!(prepared.includes.is_empty() && prepared.system_includes.is_empty());
}

#[test]
fn metal_without_a_tree_or_a_library_fails_and_says_what_to_set() {
    let error = Plan::of(&settings(MAC, Path::new("out"), &[])).unwrap_err();
    let message = error.to_string();
    for part in [
        "set MLX_SOURCE_DIR",
        "`patchctl apply --materialise DIR`",
        "MLX_BRIDGE_LIB",
        "set MLX_BRIDGE_BACKEND to stub",
    ] {
        assert!(message.contains(part), "{part} in {message}");
    }
}

#[test]
fn metal_takes_a_library_before_a_tree() {
    let mut variables = vec![("MLX_SOURCE_DIR", "tree")];
    let plan = Plan::of(&settings(MAC, Path::new("out"), &variables)).unwrap();
    assert_eq!(plan.mlx, Mlx::Tree("tree".into()));
    variables.push(("MLX_BRIDGE_LIB", "libmlx.a:needed/libjaccl.a"));
    let plan = Plan::of(&settings(MAC, Path::new("out"), &variables)).unwrap();
    let expected = Mlx::Library {
        libraries: vec!["libmlx.a".into(), "needed/libjaccl.a".into()],
        tree: Some("tree".into()),
    };
    assert_eq!(plan.mlx, expected);
}

/// Prepares with `library`, for a target and a backend, with the overlay at hand.
fn prepare(
    folder: &Path,
    triple: &str,
    backend: &str,
    library: &Path,
) -> Result<crate::build::plan::Prepared, BuildError> {
    let lock = lock_beside_overlay(folder);
    let settings = settings(
        triple,
        folder,
        &[
            ("MLX_BRIDGE_BACKEND", backend),
            ("MLX_BRIDGE_LIB", library.to_str().unwrap()),
            ("MLX_BRIDGE_LOCK", lock.to_str().unwrap()),
        ],
    );
    Plan::of(&settings).unwrap().prepare(&settings)
}

#[test]
fn host_metal_links_the_library_after_it_was_looked_into() {
    let folder = tempfile::tempdir().unwrap();
    let library = static_library(folder.path(), "mlx", PATCHED);
    let prepared = prepare(folder.path(), LINUX, "host-metal", &library).unwrap();
    assert_eq!(prepared.cpp_files, ["cpp/metal.cc", "cpp/version.cc"]);
    assert_eq!(prepared.defines, ["MLX_BRIDGE_HOST_METAL"]);
    assert!(
        prepared
            .directives
            .contains(&"cargo:rustc-link-lib=static:-bundle=mlx".to_owned())
    );
    assert!(prepared.watched.contains(&library));
    let header = prepared.includes[0].join("mlx_bridge_provides.h");
    assert!(
        std::fs::read_to_string(header)
            .unwrap()
            .contains("void set_mb_per_buffer_override(int);")
    );
}

#[test]
fn no_real_backend_links_an_unpatched_mlx() {
    let folder = tempfile::tempdir().unwrap();
    let library = static_library(folder.path(), "mlx", UNPATCHED);
    for (triple, backend) in [(LINUX, "host-metal"), (MAC, "metal"), (MAC, "auto")] {
        let error = prepare(folder.path(), triple, backend, &library).unwrap_err();
        assert!(
            matches!(error, BuildError::Unpatched { encoder: true, .. }),
            "{error}"
        );
    }
}

#[test]
fn the_stub_links_an_mlx_without_the_overlay_for_its_version_alone() {
    let folder = tempfile::tempdir().unwrap();
    let library = static_library(folder.path(), "mlx", UNPATCHED);
    let prepared = prepare(folder.path(), LINUX, "stub", &library).unwrap();
    assert_eq!(prepared.cpp_files, ["cpp/stub.cc", "cpp/version.cc"]);
    assert!(
        prepared
            .directives
            .contains(&"cargo:rustc-link-lib=static:-bundle=mlx".to_owned())
    );
}

#[test]
fn metal_on_a_mac_links_a_patched_library_with_the_frameworks() {
    let folder = tempfile::tempdir().unwrap();
    let symbols = [SETTER, GETTER].map(|name| (name, SymbolScope::Linkage));
    let library = folder.path().join("libmlx.a");
    let device = mach_o(Architecture::Aarch64, &symbols);
    std::fs::write(&library, archive(&[("device.o", &device)])).unwrap();
    let prepared = prepare(folder.path(), MAC, "auto", &library).unwrap();
    assert_eq!(prepared.cpp_files, ["cpp/metal.cc", "cpp/version.cc"]);
    assert_eq!(prepared.defines, [""; 0]);
    assert!(
        prepared
            .directives
            .contains(&"cargo:rustc-link-lib=framework=Metal".to_owned())
    );
}
