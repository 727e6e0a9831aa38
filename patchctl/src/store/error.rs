//! A place that cannot be written.

use std::io;

use camino::Utf8Path;

use crate::report::{Code, Error};

/// A place on this machine cannot be written: the cache, or a folder that a tree should go into. The help is for the kind of
/// the system's error.
pub(crate) fn unwritable(path: &Utf8Path, error: &io::Error) -> Error {
    let help = match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "free some space there, or name another place"
        }
        io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied => {
            "make it writable, or name another place (XDG_CACHE_HOME for the cache)"
        }
        io::ErrorKind::AlreadyExists => "name a folder that is empty or absent",
        _ => "look at the place and its free space",
    };
    Error::new(
        Code::Unwritable,
        format!("{path} cannot be written: {error}"),
    )
    .help(help)
}
