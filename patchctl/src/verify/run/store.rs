//! What was made is kept under a name that says what it was made of.

use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use sha2::{Digest, Sha256};

use crate::toolchain::{ToolError, files};
use crate::verify::PatchedTree;

/// How a file's name begins while it is made.
const UNFINISHED: &str = ".unfinished-";

/// Files of ours. Their names alone would do: where they lie is part of no object.
pub(super) fn add_files(digest: &mut Sha256, paths: &[Utf8PathBuf]) -> Result<(), ToolError> {
    for path in paths {
        add(digest, path.file_name().unwrap_or_default().as_bytes());
        add(digest, &read(path)?);
    }
    Ok(())
}

/// Makes a file under a passing name and renames it: in the cache it is whole or not there.
pub(super) fn into_place(
    path: &Utf8Path,
    make: impl FnOnce(&Utf8Path) -> Result<(), ToolError>,
) -> Result<(), ToolError> {
    let failed = |error| ToolError::unusable(path, &error);
    let folder = path.parent().unwrap_or(Utf8Path::new("."));
    fs_err::create_dir_all(folder).map_err(failed)?;
    let unfinished = tempfile::Builder::new()
        .prefix(UNFINISHED)
        .suffix(".o")
        .tempfile_in(folder)
        .map_err(failed)?
        .into_temp_path();
    let name = Utf8Path::from_path(&unfinished)
        .ok_or_else(|| ToolError::unusable(folder, &"its name is no UTF-8"))?;
    make(name)?;
    // Renamed and not persisted: the linker replaces the file, with its own permissions.
    fs_err::rename(name, path).map_err(failed)
}

/// As [`into_place`], with a digest beside it by which [`is_whole`] believes it later.
pub(super) fn keep(
    path: &Utf8Path,
    make: impl FnOnce(&Utf8Path) -> Result<(), ToolError>,
) -> Result<(), ToolError> {
    sweep(path.parent().unwrap_or(Utf8Path::new(".")));
    let mut made = String::new();
    into_place(path, |unfinished| {
        make(unfinished)?;
        made = hex(Sha256::new_with_prefix(read(unfinished)?));
        Ok(())
    })?;
    into_place(&digest_of(path), |unfinished| {
        fs_err::write(unfinished, &made).map_err(|error| ToolError::unusable(path, &error))
    })
}

/// Whether what was kept there is what was made: a power cut, a full disk or a hand may have changed it.
pub(super) fn is_whole(path: &Utf8Path) -> bool {
    let Ok(made) = fs_err::read_to_string(digest_of(path)) else {
        return false;
    };
    fs_err::read(path).is_ok_and(|bytes| hex(Sha256::new_with_prefix(bytes)) == made)
}

fn digest_of(path: &Utf8Path) -> Utf8PathBuf {
    Utf8PathBuf::from(format!("{path}.sha256"))
}

/// What a killed process left is nobody's after a day. Failing to remove it harms nothing.
fn sweep(folder: &Utf8Path) {
    const DAY: Duration = Duration::from_secs(24 * 60 * 60);
    for entry in folder.read_dir_utf8().into_iter().flatten().flatten() {
        let is_old = || {
            let modified = entry.metadata().and_then(|data| data.modified()).ok();
            modified.and_then(|at| at.elapsed().ok()) > Some(DAY)
        };
        if entry.file_name().starts_with(UNFINISHED) && is_old() {
            let _ = fs_err::remove_file(entry.path());
        }
    }
}

pub(super) fn read(path: &Utf8Path) -> Result<Vec<u8>, ToolError> {
    fs_err::read(path).map_err(|error| ToolError::unusable(path, &error))
}

/// Writes a file unless it is there with these bytes.
pub(super) fn write(path: &Utf8Path, bytes: &[u8]) -> Result<(), ToolError> {
    if fs_err::read(path).is_ok_and(|there| there == bytes) {
        return Ok(());
    }
    into_place(path, |unfinished| {
        fs_err::write(unfinished, bytes).map_err(|error| ToolError::unusable(path, &error))
    })
}

/// Adds a piece so that no two lists of pieces look the same.
pub(super) fn add(digest: &mut Sha256, piece: &[u8]) {
    digest.update((piece.len() as u64).to_le_bytes());
    digest.update(piece);
}

pub(super) fn hex(digest: Sha256) -> String {
    patchctl_apply::hex(&digest.finalize())
}

/// Adds every header of the tree as it is seen: the compiler alone knows which of them a file includes.
pub(super) fn add_headers(digest: &mut Sha256, tree: PatchedTree<'_>) -> Result<(), ToolError> {
    for path in files(&tree.root.join("mlx"))? {
        let inside = path.strip_prefix(tree.root).unwrap_or(&path);
        if path.extension() == Some("h") && tree.patched(inside).is_none() {
            add(digest, inside.as_str().as_bytes());
            add(digest, &read(&path)?);
        }
    }
    for file in tree.files {
        if file.path.extension() == Some("h") {
            add(digest, file.path.as_str().as_bytes());
            add(digest, &file.bytes);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> (tempfile::TempDir, Utf8PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = Utf8PathBuf::from_path_buf(folder.path().to_owned()).unwrap();
        (folder, path)
    }

    fn kept(path: &Utf8Path) {
        keep(path, |unfinished| {
            fs_err::write(unfinished, "an object").unwrap();
            Ok(())
        })
        .unwrap();
    }

    #[test]
    fn a_kept_file_is_checked() {
        let (_folder, root) = folder();
        let path = root.join("objects/a.o");
        assert!(!is_whole(&path));
        kept(&path);
        assert!(is_whole(&path));
        for other in ["an obj", "", "an objecT"] {
            fs_err::write(&path, other).unwrap();
            assert!(!is_whole(&path), "{other:?}");
            kept(&path);
            assert!(is_whole(&path), "made anew");
        }
        fs_err::remove_file(digest_of(&path)).unwrap();
        assert!(!is_whole(&path), "killed between the two renames");
    }

    #[test]
    fn left_overs_go_after_a_day() {
        let (_folder, root) = folder();
        let of = |name: &str, hours: u64| {
            let file = fs_err::File::create(root.join(name)).unwrap();
            let age = Duration::from_secs(hours * 60 * 60);
            file.set_modified(std::time::SystemTime::now() - age)
                .unwrap();
        };
        of(".unfinished-old.o", 25);
        of(".unfinished-new.o", 1);
        of("kept.o", 25);
        kept(&root.join("a.o"));
        let mut names: Vec<_> = root
            .read_dir_utf8()
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_owned())
            .collect();
        names.sort();
        assert_eq!(names, [".unfinished-new.o", "a.o", "a.o.sha256", "kept.o"]);
    }
}
