//! Level `compile`: the patched files compile, and hold what the overlays provide. A level that a patched file had no part
//! in is not claimed for it.

use camino::{Utf8Path, Utf8PathBuf};

use super::Proof;
use crate::report::{Code, Finding, counted};
use crate::toolchain::ToolError;
use crate::verify::PatchedTree;
use crate::verify::compile::{ProvidedFault, not_provided};
use crate::verify::patched_tree::is_source;
use crate::verify::run::{Built, DriverBuild, MLX_SOURCES};

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
