//! The tree of MLX that is built: the one given, if the lock's edits are in it, else a copy with them. The
//! one given is never written to.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use patchctl_apply::tree::{Mode, Options, RECORD_FILE, run};
use patchctl_apply::{ApplyError, Lock, LockedPin, PinChoice, examine};

use super::error::BuildError;

/// A tree with the lock's edits in it.
#[derive(Debug, PartialEq, Eq)]
pub struct Patched {
    /// Its root.
    pub root: PathBuf,
    /// The release of the pin that it is of.
    pub release: String,
}

/// `given` where it is patched as the lock says; else a patched copy under `out`, where a later run changes
/// only the files that have changed.
///
/// Fails where `given` is of none of the lock's pins.
pub fn patched(given: &Path, lock: &Path, out: &Path) -> Result<Patched, BuildError> {
    let refused = |error: ApplyError| BuildError::Tree {
        tree: given.to_owned(),
        why: error.explained(),
    };
    let lock = Lock::read(lock).map_err(|error| refused(error.into()))?;
    let pin = lock.choose(PinChoice::Fitting, given).map_err(refused)?;
    let found = run(&lock, pin, given, Mode::Check, Options::default()).map_err(refused)?;
    if found.holds() {
        return Ok(Patched {
            root: given.to_owned(),
            release: found.release,
        });
    }
    let root = out.join("mlx");
    let copy = Copy {
        lock: &lock,
        pin,
        given,
        root: &root,
    };
    copy.folder(Path::new(""))
        .map_err(|(path, error)| BuildError::Write {
            path,
            why: error.to_string(),
        })?;
    let applied = run(&lock, pin, &root, Mode::Apply, Options::default()).map_err(refused)?;
    Ok(Patched {
        root,
        release: applied.release,
    })
}

/// Makes a folder equal to another, apart from the pin's files: these are made from the same upstream bytes.
struct Copy<'a> {
    lock: &'a Lock,
    pin: &'a LockedPin,
    given: &'a Path,
    root: &'a Path,
}

/// The path that could not be read or written, and why.
type Failed = (PathBuf, io::Error);

impl Copy<'_> {
    fn folder(&self, inside: &Path) -> Result<(), Failed> {
        let (from, to) = (self.given.join(inside), self.root.join(inside));
        let at = |path: &Path| {
            let path = path.to_owned();
            move |error| (path, error)
        };
        fs::create_dir_all(&to).map_err(at(&to))?;
        let mut names = Vec::new();
        for entry in fs::read_dir(&from).map_err(at(&from))? {
            let name = entry.map_err(at(&from))?.file_name();
            // History is no part of a build, and each tree has a record of its own.
            if name == ".git" || name == RECORD_FILE {
                continue;
            }
            let path = from.join(&name);
            // Nor is the copy itself, where it is made inside of the tree.
            if path == self.root {
                continue;
            }
            let kind = fs::metadata(&path).map_err(at(&path))?;
            if kind.is_dir() {
                self.folder(&inside.join(&name))?;
            } else {
                self.file(&inside.join(&name))?;
            }
            names.push(name);
        }
        for entry in fs::read_dir(&to).map_err(at(&to))? {
            let entry = entry.map_err(at(&to))?;
            if names.contains(&entry.file_name()) || entry.file_name() == RECORD_FILE {
                continue;
            }
            let path = entry.path();
            let is_folder = entry.file_type().map_err(at(&path))?.is_dir();
            let removed = if is_folder {
                fs::remove_dir_all(&path)
            } else {
                fs::remove_file(&path)
            };
            removed.map_err(at(&path))?;
        }
        Ok(())
    }

    fn file(&self, inside: &Path) -> Result<(), Failed> {
        let (from, to) = (self.given.join(inside), self.root.join(inside));
        let wanted = fs::read(&from).map_err(|error| (from, error))?;
        if let Ok(there) = fs::read(&to)
            && (there == wanted || self.comes_off_to_upstream(inside, &there))
        {
            return Ok(());
        }
        fs::write(&to, wanted).map_err(|error| (to, error))
    }

    /// Whether these bytes are the pin's file, patched in whatever way: then applying brings it up to date,
    /// and leaves its time alone where it is so already.
    fn comes_off_to_upstream(&self, inside: &Path, bytes: &[u8]) -> bool {
        self.pin
            .files
            .iter()
            .filter(|file| Path::new(&file.path) == inside)
            .any(|file| examine(self.lock, file, bytes).upstream.is_some())
    }
}
