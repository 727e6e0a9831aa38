use std::process::Command;

use crate::fixture::{provides, run};

#[test]
fn our_cpp_compiles_without_a_warning_in_every_form() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("mlx_bridge_provides.h"),
        provides().header(),
    )
    .unwrap();
    std::fs::create_dir(folder.path().join("mlx")).unwrap();
    let version = "#pragma once\nnamespace mlx::core { const char* version(); }\n";
    std::fs::write(folder.path().join("mlx/version.h"), version).unwrap();
    for (file, defines) in [
        ("stub.cc", [].as_slice()),
        ("metal.cc", &[]),
        ("metal.cc", &["-DMLX_BRIDGE_HOST_METAL"]),
        ("round_trip.cc", &[]),
        ("version.cc", &[]),
        ("version.cc", &["-DMLX_BRIDGE_HAS_MLX_HEADERS"]),
    ] {
        for standard in ["-std=c++17", "-std=c++20"] {
            let native = mlx_bridge_native::folder();
            run(Command::new("c++")
                .args([
                    standard,
                    "-fsyntax-only",
                    "-Wall",
                    "-Wextra",
                    "-Wpedantic",
                    "-Wconversion",
                    "-Werror",
                ])
                .args(defines)
                .arg("-I")
                .arg(native)
                .arg("-I")
                .arg(folder.path())
                .arg(native.join("cpp").join(file)));
        }
    }
}
