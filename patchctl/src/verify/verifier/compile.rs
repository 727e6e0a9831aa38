//! Level `compile`: the patched files compile, here and for macOS, and hold what the overlays provide. A level that a patched
//! file had no part in is not claimed for it.

use camino::{Utf8Path, Utf8PathBuf};

use super::Proof;
use crate::overlay::Overlay;
use crate::report::{Code, Finding, counted};
use crate::toolchain::{ToolError, Zig, read};
use crate::verify::PatchedTree;
use crate::verify::patched_tree::is_source;
use crate::verify::run::{Built, DEVICE, DriverBuild, MLX_SOURCES};
use crate::verify::symbols::{
    ProvidedFault, bridge_header, check_bridge, check_device, not_provided,
};

/// Looks up what the overlays provide in the objects of the patched files.
pub(super) fn provided(
    tree: PatchedTree<'_>,
    objects: &[Utf8PathBuf],
    proof: &mut Proof,
) -> Result<(), ToolError> {
    let mut names = 0;
    for overlay in tree.overlays {
        for name in overlay.provides.values() {
            names += 1;
            let Some(fault) = not_provided(objects, name)? else {
                continue;
            };
            let help = match fault {
                ProvidedFault::Hidden(_) => {
                    "MLX hides what is not marked: write `[[gnu::visibility(\"default\")]]` before it"
                }
                _ => "define it in an edit, or correct `provides:`",
            };
            let id = &overlay.id;
            let message = format!("`{id}` provides what the compiled files do not have: {fault}");
            let finding = Finding::new(Code::NotProvided, message).help(help);
            proof.findings.push(finding);
        }
    }
    proof.seen.push(format!(
        "{} compiled, {} found there",
        counted(objects.len(), "patched file"),
        counted(names, "provided name")
    ));
    Ok(())
}

/// Builds the driver. What upstream's own files do not compile or link either says nothing about the overlays.
pub(super) fn build(build: &DriverBuild<'_>, tree: PatchedTree<'_>) -> Result<Built, ToolError> {
    let error = match build.build(tree) {
        Err(error) if matches!(error.finding.code, Code::CompileFailed | Code::LinkFailed) => error,
        ended => return ended,
    };
    match build.build(tree.with(&tree.untouched()?)) {
        Ok(_) => Err(error),
        Err(upstream) => Err(upstream.of_upstream()),
    }
}

/// Fails if the compiler did not read every patched file.
pub(super) fn all_compiled(tree: PatchedTree<'_>) -> Result<(), ToolError> {
    let mut files = tree.files.iter().map(|file| &file.path);
    match files.find(|path| !is_source(path) && !is_header(path)) {
        Some(file) => Err(ToolError::missing(format!("nothing here compiles {file}"))),
        None => Ok(()),
    }
}

/// Fails if a patched file is not in the program that the scenarios drive.
pub(super) fn all_driven(tree: PatchedTree<'_>) -> Result<(), ToolError> {
    for path in tree.files.iter().map(|file| &file.path) {
        let is_driven = match is_header(path) {
            true => MLX_SOURCES
                .iter()
                .any(|source| includes(tree.root, source, path)),
            false => MLX_SOURCES.iter().any(|source| path == source),
        };
        if !is_driven {
            return Err(ToolError::missing(format!(
                "no scenario reaches {path}: the encoder does without it"
            )));
        }
    }
    Ok(())
}

/// Returns true if the source itself includes the header. Includes by way of others are not looked at.
fn includes(tree: &Utf8Path, source: &str, header: &Utf8Path) -> bool {
    let text = fs_err::read_to_string(tree.join(source)).unwrap_or_default();
    let wanted = format!("#include \"{header}\"");
    text.lines()
        .any(|line| line.trim_start().starts_with(&wanted))
}

fn is_header(path: &Utf8Path) -> bool {
    matches!(path.extension(), Some("h" | "hpp"))
}

/// Compiles the patched sources and the bridge for macOS on Apple silicon, and looks into the objects.
pub(super) fn for_macos(
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
    let is_of_device = |overlay: &&&Overlay| {
        let mut variants = overlay.hunks.iter().flat_map(|hunk| &hunk.variants);
        variants.any(|variant| variant.edits.iter().any(|edit| edit.file == DEVICE))
    };
    for (name, object) in &objects {
        let object = read(object)?;
        let checked = if name == DEVICE {
            let overlays = tree.overlays.iter().filter(is_of_device);
            let names = overlays.flat_map(|overlay| overlay.provides.values());
            check_device(&object, names.map(|name| &**name))
        } else if name.starts_with("bridge") {
            let names = entry_points.map(|(setter, getter)| [setter, getter]);
            check_bridge(&object, names.into_iter().flatten())
        } else {
            Ok(())
        };
        if let Err(fault) = checked {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::patch::PatchedFile;
    use patchctl_apply::BlobId;

    fn reach(path: &str) -> (bool, bool) {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(folder.path()).unwrap();
        let device = root.join("mlx/backend/metal/device.cpp");
        fs_err::create_dir_all(device.parent().unwrap()).unwrap();
        fs_err::write(&device, "#include \"mlx/backend/metal/device.h\"\n").unwrap();
        let file = PatchedFile {
            path: path.into(),
            before: BlobId::of(b""),
            after: BlobId::of(b""),
            bytes: Vec::new(),
            splices: Vec::new(),
        };
        let tree = PatchedTree {
            root,
            files: &[file],
            overlays: &[],
        };
        (all_compiled(tree).is_ok(), all_driven(tree).is_ok())
    }

    #[test]
    fn a_level_is_claimed_for_files_in_it_only() {
        assert_eq!(reach("mlx/backend/metal/device.cpp"), (true, true));
        assert_eq!(reach("mlx/backend/metal/device.h"), (true, true));
        assert_eq!(reach("mlx/backend/metal/device.hpp"), (true, false));
        assert_eq!(reach("mlx/ops.cpp"), (true, false));
        assert_eq!(reach("mlx/fast.h"), (true, false));
        assert_eq!(
            reach("mlx/backend/metal/kernels/copy.metal"),
            (false, false)
        );
        assert_eq!(reach("CMakeLists.txt"), (false, false));
    }
}
