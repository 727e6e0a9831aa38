use std::path::{Path, PathBuf};

use crate::build::error::BuildError;
use crate::build::link::directives;
use crate::fixture::settings;

fn lines(triple: &str, libraries: &[&str], runtime: Option<&str>) -> Vec<String> {
    let target = settings(triple, Path::new("out"), &[]).target;
    let libraries: Vec<PathBuf> = libraries.iter().map(PathBuf::from).collect();
    directives(&libraries, &target, runtime.map(Path::new)).unwrap()
}

#[test]
fn on_a_mac_mlx_comes_with_its_frameworks_and_clangs_runtime() {
    assert_eq!(
        lines(
            "aarch64-apple-darwin",
            &["out/build/libmlx.a", "out/build/jaccl/libjaccl.a"],
            Some("clang/lib/darwin")
        ),
        [
            "cargo:rustc-link-search=native=out/build",
            "cargo:rustc-link-lib=static:-bundle=mlx",
            "cargo:rustc-link-search=native=out/build/jaccl",
            "cargo:rustc-link-lib=static:-bundle=jaccl",
            "cargo:rustc-link-lib=framework=Accelerate",
            "cargo:rustc-link-lib=framework=Foundation",
            "cargo:rustc-link-lib=framework=Metal",
            "cargo:rustc-link-lib=framework=QuartzCore",
            "cargo:rustc-link-lib=dylib=c++",
            "cargo:rustc-link-search=native=clang/lib/darwin",
            "cargo:rustc-link-lib=static=clang_rt.osx",
        ]
    );
}

#[test]
fn on_linux_no_framework_is_named() {
    assert_eq!(
        lines("x86_64-unknown-linux-gnu", &["b/libmlx.a"], None),
        [
            "cargo:rustc-link-search=native=b",
            "cargo:rustc-link-lib=static:-bundle=mlx",
            "cargo:rustc-link-lib=dylib=stdc++",
            "cargo:rustc-link-lib=dylib=dl",
            "cargo:rustc-link-lib=dylib=pthread",
        ]
    );
}

#[test]
fn a_shared_library_is_found_again_at_run_time() {
    for file in ["b/libmlx.so", "b/libmlx.dylib"] {
        let lines = lines("x86_64-unknown-linux-gnu", &[file], None);
        assert!(lines.contains(&"cargo:rustc-link-lib=dylib=mlx".to_owned()));
        assert!(lines.contains(&"cargo:rustc-link-arg=-Wl,-rpath,b".to_owned()));
    }
}

#[test]
fn a_file_that_a_linker_cannot_be_told_by_name_is_an_error() {
    let target = settings("x86_64-unknown-linux-gnu", Path::new("out"), &[]).target;
    for file in [
        "b/mlx.a",
        "b/libmlx.o",
        "b/libmlx",
        "b/libmlx.so.1",
        "lib.a/mlx",
    ] {
        let error = directives(&[file.into()], &target, None).unwrap_err();
        assert!(
            matches!(error, BuildError::NoLibrary { .. }),
            "{file}: {error}"
        );
    }
}
