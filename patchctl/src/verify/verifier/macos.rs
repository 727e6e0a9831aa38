//! The objects for macOS, as far as level `compile` can make them elsewhere.

use camino::Utf8Path;

use super::Proof;
use crate::overlay::Overlay;
use crate::report::{Code, Finding};
use crate::toolchain::{ToolError, Zig, read};
use crate::verify::PatchedTree;
use crate::verify::compile::{bridge_header, check_bridge, check_device};
use crate::verify::run::{DEVICE, DriverBuild};

/// Compiles the patched sources and the bridge for macOS on Apple silicon, and looks into the objects.
pub(super) fn objects(
    build: &DriverBuild<'_>,
    zig: &Zig,
    tree: PatchedTree<'_>,
    proof: &mut Proof,
) -> Result<(), ToolError> {
    let entry_points = tree.overlays.iter().find_map(|one| entry_points(one));
    let header = entry_points.and_then(|(setter, getter)| bridge_header(setter, getter));
    let objects = match build.mac_objects(zig, tree, header.as_deref()) {
        Err(error) if !error.is_not_run() => {
            // Upstream's own files may not compile for macOS either.
            let alone = build.mac_objects(zig, tree.with(&tree.untouched()?), None);
            return Err(alone.err().map_or(error, ToolError::of_upstream));
        }
        ended => ended?,
    };
    for (name, object) in &objects {
        let bytes = read(object)?;
        if let Err(fault) = check(name, &bytes, tree, entry_points) {
            let message = format!("compiled for macOS on Apple silicon, {fault}");
            let finding = Finding::new(Code::MacObjectWrong, message).file(name.as_path()).help(
                "look at the `#if` conditions around the overlay's code, and at its `provides:`",
            );
            proof.findings.push(finding);
        }
    }
    let names: Vec<&str> = objects.iter().map(|(name, _)| name.as_str()).collect();
    let line = format!("for macOS on Apple silicon: {} compiled", names.join(", "));
    proof.seen.push(line);
    Ok(())
}

fn entry_points(overlay: &Overlay) -> Option<(&str, &str)> {
    let role = |role: &str| overlay.provides.get(role).map(|name| &**name);
    role("setter").zip(role("getter"))
}

/// Fails with what is wrong with one object.
fn check(
    name: &Utf8Path,
    object: &[u8],
    tree: PatchedTree<'_>,
    entry_points: Option<(&str, &str)>,
) -> Result<(), String> {
    if name == DEVICE {
        let of_overlay = |overlay: &&Overlay| {
            let mut files = overlay.hunks.iter().flat_map(|hunk| &hunk.variants);
            files.any(|variant| variant.edits.iter().any(|edit| edit.file == DEVICE))
        };
        let overlays = tree.overlays.iter().copied().filter(of_overlay);
        let names = overlays.flat_map(|overlay| overlay.provides.values());
        check_device(object, names.map(|name| &**name))
    } else if name.starts_with("bridge") {
        let names = entry_points.map(|(setter, getter)| [setter, getter]);
        check_bridge(object, names.into_iter().flatten())
    } else {
        Ok(())
    }
}
