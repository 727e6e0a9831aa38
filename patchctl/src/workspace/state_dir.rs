//! `.patchctl/`: what a running command keeps beside the repository's files.

use std::fs;
use std::io::{self, ErrorKind, Write};

use camino::{Utf8Path, Utf8PathBuf};
use patchctl_apply::durable;

/// The folder's name, in the repository's root.
pub const STATE_DIR: &str = ".patchctl";

const IGNORE: &str = "# What a running patchctl keeps here is no part of the repository.\n*\n";

/// Creates the folder where it is missing, with a `.gitignore` that covers it.
pub(super) fn create(root: &Utf8Path) -> io::Result<Utf8PathBuf> {
    let dir = root.join(STATE_DIR);
    match fs::create_dir(&dir) {
        // A journal in a folder that a power cut takes away would be none.
        Ok(()) => durable::sync_folder_of(dir.as_std_path())?,
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
        Err(error) => return Err(error),
    }
    // Not through a link: what lies here is written and removed without asking.
    if !fs::symlink_metadata(&dir)?.is_dir() {
        return Err(io::Error::new(
            ErrorKind::NotADirectory,
            "expected a folder of its own, no link and no file",
        ));
    }
    let ignore = dir.join(".gitignore");
    match fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&ignore)
    {
        Ok(mut file) => file.write_all(IGNORE.as_bytes())?,
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
        Err(error) => return Err(error),
    }
    Ok(dir)
}
