//! All files and links below a folder, links not followed.

use std::io;

use camino::{Utf8Path, Utf8PathBuf};

use super::archive::{Item, Take};

/// What is at a path of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// Relative to the folder, with `/`.
    pub(super) path: String,
    pub(super) link: bool,
}

/// Everything below `root` but what is called `.git`, in order of names.
pub(super) fn places(root: &Utf8Path) -> io::Result<Vec<Place>> {
    let mut places = Vec::new();
    collect(root, "", &mut places)?;
    Ok(places)
}

fn collect(folder: &Utf8Path, prefix: &str, places: &mut Vec<Place>) -> io::Result<()> {
    let mut entries: Vec<_> = folder.read_dir_utf8()?.collect::<Result<_, _>>()?;
    entries.sort_by(|one, other| one.file_name().cmp(other.file_name()));
    for entry in entries {
        if entry.file_name() == ".git" {
            continue;
        }
        let path = format!("{prefix}{}", entry.file_name());
        let kind = entry.file_type()?;
        if kind.is_dir() {
            collect(entry.path(), &format!("{path}/"), places)?;
        } else {
            let link = kind.is_symlink();
            places.push(Place { path, link });
        }
    }
    Ok(())
}

/// Passes on all that is below `root`.
pub(super) fn each(root: &Utf8Path, take: &mut Take<'_>) -> Result<(), String> {
    let said = |error: io::Error| error.to_string();
    for Place { path, link } in places(root).map_err(said)? {
        let at = root.join(&path);
        let item = if link {
            Item::Link {
                target: target(&at).map_err(said)?.into_string(),
            }
        } else {
            Item::File {
                executable: is_executable(&at).map_err(said)?,
                bytes: fs_err::read(&at).map_err(said)?,
            }
        };
        take(&path, item)?;
    }
    Ok(())
}

fn target(link: &Utf8Path) -> io::Result<Utf8PathBuf> {
    link.read_link_utf8()
}

#[cfg(unix)]
fn is_executable(path: &Utf8Path) -> io::Result<bool> {
    use std::os::unix::fs::PermissionsExt;
    Ok(fs_err::metadata(path)?.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(_path: &Utf8Path) -> io::Result<bool> {
    Ok(false)
}
