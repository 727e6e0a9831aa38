//! A revision with the files that the overlays make of it.

use camino::Utf8PathBuf;
use patchctl_apply::LockedPin;

use super::error::Stopped;
use crate::overlay::Overlay;
use crate::patch::PatchedFile;
use crate::report::Code;
use crate::toolchain::ToolError;
use crate::upstream::Found;
use crate::workspace::LOCK_FILE;

/// A revision with its patched files.
#[derive(Clone, Copy)]
pub(super) struct PatchedRevision<'a> {
    pub found: &'a Found,
    pub files: &'a [PatchedFile],
    pub overlays: &'a [&'a Overlay],
}

/// A pin's patched files, as the lock makes them from upstream's.
///
/// # Errors
/// When the source cannot be read, and when the lock does not fit its files.
pub(super) fn patched_files(found: &Found, pin: &LockedPin) -> Result<Vec<PatchedFile>, Stopped> {
    let patched = |file: &patchctl_apply::LockedFile| {
        let path = Utf8PathBuf::from(&file.path);
        let upstream = found.source.read(&found.revision, &path)?;
        let bytes = file.patch(&upstream.map(|blob| blob.bytes).unwrap_or_default());
        Ok(PatchedFile {
            bytes: bytes.map_err(|error| lock_mismatch(error.to_string()))?,
            path,
            before: file.before.clone(),
            after: file.after.clone(),
            splices: file.splices.clone(),
        })
    };
    pin.files.iter().map(patched).collect()
}

/// The lock is not of what it is held against.
pub(super) fn lock_mismatch(message: String) -> ToolError {
    ToolError::of_code(Code::LockMismatch, message)
        .file(LOCK_FILE.into())
        .help("write the lock anew: patchctl bump --all-pins")
}
