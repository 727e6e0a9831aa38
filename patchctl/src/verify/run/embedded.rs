//! The driver's and host-metal's files, and the scenarios, as patchctl carries them in itself.

use crate::embedded::Embedded;

macro_rules! of_bridge {
    ($($path:literal),* $(,)?) => {
        &[$(($path, include_str!(concat!("../../../../bridge/", $path)))),*]
    };
}

/// Every file that a driver is built from, by its path in `bridge/`.
pub(super) const SOURCES: &[Embedded] = of_bridge![
    "driver/json.h",
    "driver/lane.h",
    "driver/main.cpp",
    "driver/mlx.h",
    "driver/runtime.h",
    "driver/scenario.h",
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
    "host-metal/runtime/send.S",
    "host-metal/runtime/work.cpp",
    "host-metal/runtime/work.h",
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

/// The bridge's side of a real backend.
pub(super) const BRIDGE: &[Embedded] = of_bridge!["cpp/bridge.h", "cpp/metal.cc"];

/// The suite.
pub(super) const SCENARIOS: &[Embedded] = of_bridge![
    "driver/scenarios/limits.jsonl",
    "driver/scenarios/override.jsonl",
    "driver/scenarios/phases.jsonl",
    "driver/scenarios/reference.jsonl",
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use camino::Utf8Path;

    use super::*;
    use crate::verify::run::kit::files;

    #[test]
    fn no_file_of_the_bridges_folders_is_forgotten() {
        let bridge = Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("../bridge");
        let mut there = BTreeSet::new();
        for folder in ["driver", "host-metal"] {
            let all = files(&bridge.join(folder)).unwrap();
            there.extend(all.iter().filter_map(|path| {
                let is_ours = matches!(path.extension(), Some("h" | "cpp" | "S" | "jsonl"));
                is_ours.then(|| path.strip_prefix(&bridge).unwrap().to_string())
            }));
        }
        let embedded = SOURCES.iter().chain(SCENARIOS);
        let embedded: BTreeSet<String> = embedded.map(|(path, _)| (*path).to_owned()).collect();
        assert_eq!(embedded, there);
    }
}
