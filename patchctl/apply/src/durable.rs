//! Writes that are on the disk when they return. For patchctl's own crates, no stable interface.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::Path;

/// Writes a new file at `path`, in the place of one that an earlier run left there, with the permissions of
/// `like`, and with its owner as far as this user may set it.
pub fn write_new(path: &Path, bytes: &[u8], like: Option<&Metadata>) -> io::Result<()> {
    remove_if_there(path)?;
    let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
    file.write_all(bytes)?;
    if let Some(like) = like {
        keep_owner(&file, like);
        file.set_permissions(like.permissions())?;
    }
    file.sync_all()
}

/// As far as this user may: root in a container must not take a user's files.
#[cfg(unix)]
fn keep_owner(file: &File, like: &Metadata) {
    use std::os::unix::fs::{MetadataExt, fchown};
    let _ = fchown(file, Some(like.uid()), Some(like.gid()));
}

#[cfg(not(unix))]
fn keep_owner(_: &File, _: &Metadata) {}

/// Removes a file; where there is none, all is well.
pub fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Makes what was created, renamed or removed in the folder of `path` last.
#[cfg(unix)]
pub fn sync_folder_of(path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(folder) => File::open(folder)?.sync_all(),
        None => Ok(()),
    }
}

/// Elsewhere a folder cannot be opened for this.
#[cfg(not(unix))]
pub fn sync_folder_of(_: &Path) -> io::Result<()> {
    Ok(())
}
