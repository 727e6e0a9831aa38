//! A file's bytes, refused by their size before they are read.

use std::borrow::Cow;
use std::io::ErrorKind;

use camino::Utf8Path;
use patchctl_apply::beneath::{Error, Kind, Root};
use patchctl_apply::yaml::{Limits, YamlProblem};

use super::faults::Faults;

/// Reads a file of at most the bytes of a form, refusing a larger one by its size, before reading it.
///
/// # Errors
/// The file is missing, unreadable, no regular file, or too large.
pub fn read_limited(path: &Utf8Path) -> Result<Vec<u8>, YamlProblem> {
    let real = path.canonicalize_utf8();
    let real = real.map_err(|error| YamlProblem::Unreadable(error.to_string()))?;
    let folder = real.parent().unwrap_or(&real);
    read_below(folder, real.strip_prefix(folder).unwrap_or(&real))
}

/// Reads the file `file` below the folder `root`, as [`read_limited`] does. A link is followed to another file below
/// `root`, and refused where it leads out: what stands elsewhere on the machine must not come into a report.
///
/// # Errors
/// As [`read_limited`].
pub fn read_below(root: &Utf8Path, file: &Utf8Path) -> Result<Vec<u8>, YamlProblem> {
    let limit = Limits::FORM.bytes;
    let read = Root::open(root.as_std_path())
        .and_then(|root| root.read_resolved(file.as_std_path(), limit));
    read.map_err(|error| match error {
        Error::TooLarge {
            size: bytes, limit, ..
        } => YamlProblem::TooLarge { bytes, limit },
        Error::Io { source, .. } => YamlProblem::Unreadable(source.to_string()),
        Error::Unexpected {
            found: Kind::Link, ..
        } => YamlProblem::Unreadable("it is a link that leads out of the repository".to_owned()),
        Error::Unexpected {
            expected: Kind::File,
            ..
        } => YamlProblem::Unreadable("it is not a regular file".to_owned()),
        other => YamlProblem::Unreadable(other.to_string()),
    })
}

/// The names in the folder `folder` below the folder `root`, sorted. A link to another folder below `root` is followed, and
/// refused where it leads out. A name that is no UTF-8 has its odd bytes replaced: such a file cannot be opened.
///
/// # Errors
/// The folder is missing, unreadable or no folder.
pub fn names_below(root: &Utf8Path, folder: &Utf8Path) -> std::io::Result<Vec<String>> {
    let root = Root::open(root.as_std_path())?;
    let entries = root.list_resolved(folder.as_std_path())?;
    let names = entries.iter().map(|entry| entry.name.to_string_lossy());
    Ok(names.map(Cow::into_owned).collect())
}

/// The bytes of `file`, relative to `root`; `None` where there is no such file.
///
/// # Errors
/// As [`read_below`], but for a file that is missing.
pub(crate) fn read_if_there(root: &Utf8Path, file: &Utf8Path) -> Result<Option<Vec<u8>>, Faults> {
    let path = root.join(file);
    // A link to nothing is a file that cannot be read, not one that is not there.
    if std::fs::symlink_metadata(&path).is_err_and(|error| error.kind() == ErrorKind::NotFound) {
        return Ok(None);
    }
    read_below(root, file)
        .map(Some)
        .map_err(|problem| Faults::of(file, &problem))
}
