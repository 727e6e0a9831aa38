//! `.patchctl/`: what a running command keeps beside the repository's files.

use std::path::Path;

use patchctl_apply::beneath::{self, Root};

use crate::report::{Code, Error};

/// The folder's name, in the repository's root.
pub const STATE_DIR: &str = ".patchctl";

/// The file that a writing command locks.
pub(super) const LOCK: &str = ".patchctl/lock";

const IGNORE: &str = "# What a running patchctl keeps here is no part of the repository.\n*\n";

/// The folder is not taken for patchctl's own: a command would write, rename and remove files by what lies there.
fn not_ours(why: impl std::fmt::Display, help: &str) -> Error {
    let message = format!("{STATE_DIR} is not taken for patchctl's own folder: {why}");
    Error::new(Code::StateUntrusted, message).help(help)
}

/// A link or a file stands in the folder's place or in it, or the system failed.
pub(super) fn untrusted(error: &beneath::Error) -> Error {
    match error {
        beneath::Error::Unexpected { .. } => not_ours(
            error,
            "move it away: the folder is patchctl's own, without links",
        ),
        _ => Error::of(Code::RepositoryHeld, error)
            .help("see that the folder is writable and on a file system that can lock files"),
    }
}

/// Creates the folder where it is missing, with a `.gitignore` that covers it. Fails as [`check`] does.
pub(super) fn create(root: &Root) -> Result<(), Error> {
    match root.kind(STATE_DIR).map_err(|error| untrusted(&error))? {
        // A journal in a folder that a power cut takes away would be none, so this is synced.
        None => {
            root.create_folders(STATE_DIR)
                .and_then(|()| root.sync_folder_of(STATE_DIR))
                .map_err(|error| untrusted(&error))?;
        }
        Some(_) => check(root)?,
    }
    let ignore = Path::new(STATE_DIR).join(".gitignore");
    match root.kind(&ignore) {
        Ok(None) => root.replace(ignore, IGNORE.as_bytes()),
        found => found.map(|_| ()),
    }
    .map_err(|error| untrusted(&error))
}

/// Fails unless the folder, which is there, is a real one, of this user or the repository's owner, and git does not
/// track anything in it.
pub(super) fn check(root: &Root) -> Result<(), Error> {
    let folder = root.below(STATE_DIR).map_err(|error| untrusted(&error))?;
    if !is_ours(root, &folder).map_err(|error| untrusted(&error))? {
        let why = "it belongs to another user than the repository and you";
        let help = "look at what is in it, then delete the folder or make it your own";
        return Err(not_ours(why, help));
    }
    match tracked(root.path()) {
        Some(path) => Err(not_ours(
            format!("git tracks {path}, so it may be somebody else's and not what a command left"),
            "look at what is in it, then: git rm -r --cached .patchctl, and delete the folder",
        )),
        None => Ok(()),
    }
}

/// The owner of the repository counts too: root in a container works in a user's checkout.
#[cfg(unix)]
fn is_ours(root: &Root, folder: &Root) -> Result<bool, beneath::Error> {
    use std::os::unix::fs::MetadataExt;
    let owner = folder.metadata()?.uid();
    Ok(owner == rustix::process::geteuid().as_raw() || owner == root.metadata()?.uid())
}

#[cfg(not(unix))]
fn is_ours(_: &Root, _: &Root) -> Result<bool, beneath::Error> {
    Ok(true)
}

/// A file of the folder that is in git's index; `None` where there is no repository. Names are compared without
/// case, as some file systems do.
fn tracked(root: &Path) -> Option<String> {
    let repository = git2::Repository::discover(root).ok()?;
    let work_tree = repository.workdir()?.canonicalize().ok()?;
    let folder = root.strip_prefix(work_tree).ok()?.join(STATE_DIR);
    let folder = folder.to_str()?.replace('\\', "/");
    let index = repository.index().ok()?;
    index.iter().find_map(|entry| {
        let path = String::from_utf8(entry.path).ok()?;
        let head = path.get(..folder.len())?;
        let rest = &path[head.len()..];
        (head.eq_ignore_ascii_case(&folder) && (rest.is_empty() || rest.starts_with('/')))
            .then_some(path)
    })
}
