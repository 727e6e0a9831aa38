//! The C++ of this repository, as files in a package and as bytes in a program.
//!
//! A build script compiles the files where cargo has put them: [`folder`]. A program that is run without its
//! sources, as patchctl is, writes [`FILES`] to a folder of its own. Both have the same layout:
//!
//! | folder | files |
//! | --- | --- |
//! | `cpp` | the C++ side of the crate `mlx-bridge`, and a program that makes round trips through it |
//! | `cmake` | the options that MLX is built with |
//! | `driver` | the program that drives MLX's encoder, and its scenarios |
//! | `host-metal` | Metal's classes and an Objective-C runtime for Linux |

use std::path::Path;

/// A file: its path from [`folder`], with `/` between its parts, and its text.
pub type File = (&'static str, &'static str);

macro_rules! files {
    ($($path:literal),* $(,)?) => {
        &[$(($path, include_str!(concat!("../", $path)))),*]
    };
}

/// Every file that is compiled, included or read, sorted by path.
pub const FILES: &[File] = files![
    "cmake/common.cmake",
    "cmake/metal.cmake",
    "cmake/no-metal.cmake",
    "cpp/bridge.h",
    "cpp/metal.cc",
    "cpp/round_trip.cc",
    "cpp/stub.cc",
    "cpp/version.cc",
    "driver/json.h",
    "driver/lane.h",
    "driver/main.cpp",
    "driver/mlx.h",
    "driver/runtime.h",
    "driver/scenario.h",
    "driver/scenarios/limits.jsonl",
    "driver/scenarios/override.jsonl",
    "driver/scenarios/phases.jsonl",
    "driver/scenarios/reference.jsonl",
    "driver/step.h",
    "host-metal/host_metal.h",
    "host-metal/open_symbols.cpp",
    "host-metal/runtime/block.cpp",
    "host-metal/runtime/block.h",
    "host-metal/runtime/foundation.h",
    "host-metal/runtime/metal.cpp",
    "host-metal/runtime/metal.h",
    "host-metal/runtime/methods.cpp",
    "host-metal/runtime/object.cpp",
    "host-metal/runtime/object.h",
    "host-metal/runtime/queue_worker.cpp",
    "host-metal/runtime/queue_worker.h",
    "host-metal/runtime/send.S",
    "host-metal/sdk/CoreFoundation/CoreFoundation.h",
    "host-metal/sdk/CoreGraphics/CGColorSpace.h",
    "host-metal/sdk/CoreGraphics/CGGeometry.h",
    "host-metal/sdk/IOSurface/IOSurfaceRef.h",
    "host-metal/sdk/TargetConditionals.h",
    "host-metal/sdk/dispatch/dispatch.h",
    "host-metal/sdk/mach/mach.h",
    "host-metal/sdk/mach/vm_page_size.h",
    "host-metal/sdk/objc/message.h",
    "host-metal/sdk/objc/runtime.h",
    "host-metal/sdk/sys/sysctl.h",
];

/// The folder of the files, for build scripts: it exists where this crate was compiled and while that build runs.
pub fn folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// The files of this package that are of no use to a program.
    fn is_for_readers(path: &str) -> bool {
        path.ends_with(".md") || path == "host-metal/sanitizers.txt"
    }

    fn below(folder: &Path, found: &mut BTreeSet<String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                below(&path, found);
            } else {
                let inside = path.strip_prefix(super::folder()).unwrap();
                found.insert(inside.to_str().unwrap().replace('\\', "/"));
            }
        }
    }

    #[test]
    fn every_file_is_exported() {
        let mut there = BTreeSet::new();
        for name in ["cmake", "cpp", "driver", "host-metal"] {
            below(&folder().join(name), &mut there);
        }
        there.retain(|path| !is_for_readers(path));
        let exported: Vec<&str> = FILES.iter().map(|(path, _)| *path).collect();
        // A set is sorted: this compares the order too.
        assert_eq!(exported, there.iter().collect::<Vec<_>>());
    }
}
