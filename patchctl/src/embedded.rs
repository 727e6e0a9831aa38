//! Files that patchctl carries in itself, laid out in a folder for compilers to read.

use std::io;

use camino::{Utf8Path, Utf8PathBuf};
use sha2::{Digest, Sha256};

/// A file's path in the folder, and its text.
pub type Embedded = (&'static str, &'static str);

/// Lays the files out in a folder of `parent` that is named after their bytes, and gives it.
///
/// # Errors
/// When the folder cannot be written; with the path that could not.
pub fn lay_out(
    files: &[Embedded],
    parent: &Utf8Path,
) -> Result<Utf8PathBuf, (Utf8PathBuf, io::Error)> {
    let mut digest = Sha256::new();
    for (path, text) in files {
        digest.update(format!("{path} {}\n{text}", text.len()));
    }
    let folder = parent.join(short(digest));
    for (path, text) in files {
        let path = folder.join(path);
        // Another process may do the same at this moment: it writes these bytes too.
        if fs_err::read(&path).is_ok_and(|there| there == text.as_bytes()) {
            continue;
        }
        write_whole(&path, text.as_bytes()).map_err(|error| (path, error))?;
    }
    Ok(folder)
}

/// Twelve hex digits.
pub fn short(digest: Sha256) -> String {
    let bytes = digest.finalize();
    bytes
        .iter()
        .take(6)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// A name beside `path` that no other process uses.
pub fn staged(path: &Utf8Path) -> Utf8PathBuf {
    Utf8PathBuf::from(format!("{path}.{}", std::process::id()))
}

fn write_whole(path: &Utf8Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(parent) = path.parent() {
        fs_err::create_dir_all(parent)?;
    }
    let staged = staged(path);
    fs_err::write(&staged, bytes)?;
    fs_err::rename(&staged, path)
}
