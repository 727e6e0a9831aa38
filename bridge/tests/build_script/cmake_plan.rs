use std::path::Path;

use crate::build::cmake::{CmakePlan, libraries};
use crate::build::error::BuildError;
use crate::fixture::settings;

const MAC: &str = "aarch64-apple-darwin";

fn definitions(variables: &[(&str, &str)]) -> Vec<String> {
    let plan = CmakePlan::metal(
        Path::new("tree"),
        &settings(MAC, Path::new("out"), variables),
    );
    let lines = plan.definitions.iter();
    lines
        .map(|(name, value)| format!("{name}={value}"))
        .collect()
}

#[test]
fn mlx_is_built_static_with_metal_for_apple_silicon_and_nothing_besides() {
    let set = |file: &str| -> Vec<String> {
        let folder = mlx_bridge_native::folder().join("cmake");
        let text = std::fs::read_to_string(folder.join(file)).unwrap();
        let lines = text.lines().filter_map(|line| line.strip_prefix("set("));
        lines
            .map(|line| line.split(" CACHE ").next().unwrap().to_owned())
            .collect()
    };
    assert_eq!(
        set("common.cmake"),
        [
            "BUILD_SHARED_LIBS OFF",
            "MLX_BUILD_TESTS OFF",
            "MLX_BUILD_EXAMPLES OFF",
            "MLX_BUILD_BENCHMARKS OFF",
            "MLX_BUILD_PYTHON_BINDINGS OFF",
            "MLX_BUILD_PYTHON_STUBS OFF",
            "MLX_BUILD_GGUF OFF",
        ]
    );
    assert_eq!(
        set("metal.cmake"),
        [
            "MLX_BUILD_METAL ON",
            "MLX_BUILD_CPU ON",
            "CMAKE_OSX_ARCHITECTURES arm64",
        ]
    );
    assert_eq!(
        set("no-metal.cmake"),
        ["MLX_BUILD_METAL OFF", "MLX_BUILD_CPU OFF"]
    );
    assert_eq!(definitions(&[]), ["CMAKE_OSX_DEPLOYMENT_TARGET=14.0"]);
}

#[test]
fn the_run_is_optimised_and_made_for_the_target() {
    let plan = CmakePlan::metal(Path::new("tree"), &settings(MAC, Path::new("out"), &[]));
    assert_eq!((plan.profile, plan.build_target), ("Release", "mlx"));
    assert_eq!(plan.target, MAC);
    let options = mlx_bridge_native::folder().join("cmake/metal.cmake");
    assert_eq!(plan.initial_cache, options);
    assert_eq!(plan.host, "x86_64-unknown-linux-gnu");
    assert_eq!((plan.source, plan.out), ("tree".into(), "out".into()));
}

#[test]
fn the_users_deployment_target_and_fetched_folders_are_passed_on() {
    let one = definitions(&[
        ("MACOSX_DEPLOYMENT_TARGET", "15.2"),
        ("FETCHCONTENT_SOURCE_DIR_FMT", "deps/fmt"),
    ]);
    assert!(one.contains(&"CMAKE_OSX_DEPLOYMENT_TARGET=15.2".to_owned()));
    assert!(one.contains(&"FETCHCONTENT_SOURCE_DIR_FMT=deps/fmt".to_owned()));
    assert!(
        !one.iter().any(|line| line.contains("DISCONNECTED")),
        "{one:?}"
    );
}

#[test]
fn with_everything_fetched_cmake_may_download_nothing() {
    let all = definitions(&[
        ("FETCHCONTENT_SOURCE_DIR_FMT", "deps/fmt"),
        ("FETCHCONTENT_SOURCE_DIR_JSON", "deps/json"),
        ("FETCHCONTENT_SOURCE_DIR_METAL_CPP", "deps/metal-cpp"),
    ]);
    assert_eq!(
        all[1..],
        [
            "FETCHCONTENT_SOURCE_DIR_FMT=deps/fmt",
            "FETCHCONTENT_SOURCE_DIR_JSON=deps/json",
            "FETCHCONTENT_SOURCE_DIR_METAL_CPP=deps/metal-cpp",
            "FETCHCONTENT_FULLY_DISCONNECTED=ON",
        ]
    );
}

#[test]
fn the_libraries_of_a_build_are_found_wherever_they_lie_mlx_first() {
    let build = tempfile::tempdir().unwrap();
    for (folder, file) in [
        ("jaccl", "libjaccl.a"),
        (".", "libmlx.a"),
        ("_deps/x", "libx.a"),
        (".", "notes.txt"),
    ] {
        let folder = build.path().join(folder);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(file), "").unwrap();
    }
    let found = libraries(build.path()).unwrap();
    let names: Vec<_> = found.iter().map(|path| path.file_name().unwrap()).collect();
    assert_eq!(names, ["libmlx.a", "libjaccl.a", "libx.a"]);
}

#[test]
fn a_build_that_made_no_mlx_is_an_error() {
    let build = tempfile::tempdir().unwrap();
    std::fs::write(build.path().join("libjaccl.a"), "").unwrap();
    assert!(matches!(
        libraries(build.path()),
        Err(BuildError::NoLibrary { .. })
    ));
    let nowhere = build.path().join("nowhere");
    assert!(matches!(
        libraries(&nowhere),
        Err(BuildError::NoLibrary { .. })
    ));
}
