//! Compiles the bridge. All that is decided is in `build/`, where tests reach it.
#![expect(
    clippy::print_stderr,
    reason = "a build script speaks to its user that way"
)]

#[path = "build/mod.rs"]
mod build;

use std::process::ExitCode;

use build::error::BuildError;
use build::plan::Plan;
use build::settings::{Settings, watched};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), BuildError> {
    for name in watched() {
        println!("cargo:rerun-if-env-changed={name}");
    }
    for path in ["build.rs", "build", "src/ffi.rs"] {
        println!("cargo:rerun-if-changed={path}");
    }
    let settings = Settings::read(|name| std::env::var_os(name))?;
    let plan = Plan::of(&settings)?;
    let prepared = plan.prepare(&settings)?;
    for path in &prepared.watched {
        println!("cargo:rerun-if-changed={}", path.display());
    }

    let native = mlx_bridge_native::folder();
    let mut bridge = cxx_build::bridge("src/ffi.rs");
    bridge
        .std("c++17")
        .files(prepared.cpp_files.iter().map(|file| native.join(file)))
        .include(native)
        .includes(&prepared.includes);
    for name in &prepared.defines {
        bridge.define(name, None);
    }
    for folder in &prepared.system_includes {
        bridge.flag("-isystem").flag(folder);
    }
    bridge.compile("mlx_bridge");

    for line in &prepared.directives {
        println!("{line}");
    }
    // For the build scripts of packages that depend on this one: DEP_MLX_BRIDGE_BACKEND.
    println!("cargo:backend={}", plan.backend.name());
    println!("cargo:rustc-env=MLX_BRIDGE_BUILT={}", plan.backend.name());
    Ok(())
}
