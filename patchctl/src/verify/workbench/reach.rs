//! How far the levels reach: a level that a patched file had no part in is not claimed for it.

use camino::Utf8Path;

use super::Case;
use crate::toolchain::ToolError;
use crate::verify::run::encoder_sources;

/// Whether every patched file was in what the compiler read.
pub(super) fn all_compiled(case: Case<'_>) -> Result<(), ToolError> {
    let mut files = case.files.iter().map(|file| &file.path);
    match files.find(|path| !is_source(path) && !is_header(path)) {
        Some(file) => Err(ToolError::missing(format!("nothing here compiles {file}"))),
        None => Ok(()),
    }
}

/// Whether every patched file is in the program that the scenarios drive.
pub(super) fn all_driven(case: Case<'_>) -> Result<(), ToolError> {
    let sources = encoder_sources();
    for path in case.files.iter().map(|file| &file.path) {
        let is_driven = match is_header(path) {
            true => sources
                .iter()
                .any(|source| includes(case.tree, source, path)),
            false => sources.iter().any(|source| path == source),
        };
        if !is_driven {
            return Err(ToolError::missing(format!(
                "no scenario reaches {path}: the encoder does without it"
            )));
        }
    }
    Ok(())
}

/// Whether the source itself includes the header; what comes by way of others is not looked at.
fn includes(tree: &Utf8Path, source: &str, header: &Utf8Path) -> bool {
    let text = fs_err::read_to_string(tree.join(source)).unwrap_or_default();
    let wanted = format!("#include \"{header}\"");
    text.lines()
        .any(|line| line.trim_start().starts_with(&wanted))
}

fn is_source(path: &Utf8Path) -> bool {
    matches!(path.extension(), Some("cpp" | "cc" | "cxx"))
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
        let tree = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(tree.path()).unwrap();
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
        let case = Case {
            tree: root,
            files: &[file],
            overlays: &[],
        };
        (all_compiled(case).is_ok(), all_driven(case).is_ok())
    }

    #[test]
    fn a_level_is_claimed_for_files_that_had_a_part_in_it_only() {
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
