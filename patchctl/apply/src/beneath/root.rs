//! The root, and how a relative path becomes an open folder and a name in it.

use std::ffi::OsStr;
use std::fs::{File, Metadata};
use std::io;
use std::path::{Component, Path, PathBuf};

use super::system::Folder;
use super::{Error, Kind};

/// An open folder, below which paths are reached without following a link.
#[derive(Debug)]
pub struct Root {
    path: PathBuf,
    folder: Folder,
    /// Set by tests, so that both ways are tried on one machine.
    part_by_part: bool,
}

/// A place below a root: its open folder and its name there.
pub(super) struct Place<'a> {
    pub(super) folder: Folder,
    pub(super) name: &'a OsStr,
    /// For errors.
    pub(super) path: PathBuf,
}

impl Root {
    /// Opens the folder at `path`, which may be or hold links. Fails where there is no folder or no right to enter it.
    pub fn open(path: &Path) -> Result<Self, Error> {
        match Folder::root(path) {
            Ok(folder) => Ok(Self {
                path: path.to_owned(),
                folder,
                part_by_part: false,
            }),
            Err(source) => Err(Error::Io {
                doing: "open the folder",
                path: path.to_owned(),
                source,
            }),
        }
    }

    /// Opens every folder from the one before it from now on, as on systems without `openat2`. For tests.
    pub fn part_by_part(mut self) -> Self {
        self.part_by_part = true;
        self
    }

    /// The path that the root was opened by.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Makes the folder at `path` a root of its own. An empty path gives the root itself again.
    pub fn below(&self, path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        Ok(Self {
            folder: self.folder(path)?,
            path: self.full(path),
            part_by_part: self.part_by_part,
        })
    }

    /// What stands at `path`; `None` where nothing does. Fails on a path that leads through a link.
    pub fn kind(&self, path: impl AsRef<Path>) -> Result<Option<Kind>, Error> {
        let found = self.place(path.as_ref()).and_then(|place| {
            let kind = place.folder.kind(place.name);
            kind.map_err(|source| place.failed("look at", source))
        });
        match found {
            Ok(kind) => Ok(Some(kind)),
            Err(error) if error.is_missing() => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Owner, permissions and times of the root itself.
    pub fn metadata(&self) -> Result<Metadata, Error> {
        let metadata = self.folder.metadata();
        metadata.map_err(|source| self.failed("look at", source))
    }

    /// The root itself as a file that can be locked.
    pub fn lockable(&self) -> Result<File, Error> {
        let file = self.folder.readable();
        file.map_err(|source| self.failed("open the folder", source))
    }

    fn failed(&self, doing: &'static str, source: io::Error) -> Error {
        Error::Io {
            doing,
            path: self.path.clone(),
            source,
        }
    }

    /// The path for errors.
    pub(super) fn full(&self, path: &Path) -> PathBuf {
        if path.as_os_str().is_empty() {
            self.path.clone()
        } else {
            self.path.join(path)
        }
    }

    /// The parts of a relative path, all of them names.
    fn parts<'a>(&self, path: &'a Path) -> Result<Vec<&'a OsStr>, Error> {
        path.components()
            .map(|part| match part {
                Component::Normal(name) => Ok(name),
                _ => Err(Error::Escapes {
                    path: path.to_owned(),
                    root: self.path.clone(),
                }),
            })
            .collect()
    }

    /// Opens the folder at `path`.
    pub(super) fn folder(&self, path: &Path) -> Result<Folder, Error> {
        let parts = self.parts(path)?;
        self.walk(&parts)
    }

    /// Opens the folder that holds `path`.
    pub(super) fn place<'a>(&self, path: &'a Path) -> Result<Place<'a>, Error> {
        let parts = self.parts(path)?;
        let Some((name, folders)) = parts.split_last() else {
            return Err(Error::Escapes {
                path: path.to_owned(),
                root: self.path.clone(),
            });
        };
        Ok(Place {
            folder: self.walk(folders)?,
            name,
            path: self.path.join(path),
        })
    }

    fn walk(&self, parts: &[&OsStr]) -> Result<Folder, Error> {
        if !self.part_by_part && !parts.is_empty() {
            let relative: PathBuf = parts.iter().collect();
            if let Some(folder) = self.folder.open_beneath(&relative) {
                return Ok(folder);
            }
        }
        // Also after a refusal: this way says at which part.
        let mut folder = self
            .folder
            .try_clone()
            .map_err(|source| self.failed("open the folder", source))?;
        let mut path = self.path.clone();
        for part in parts {
            path.push(part);
            folder = match folder.open(part) {
                Ok(next) => next,
                Err(source) => {
                    return Err(match folder.kind(part) {
                        Ok(Kind::Folder) | Err(_) => Error::Io {
                            doing: "open the folder",
                            path,
                            source,
                        },
                        Ok(found) => Error::Unexpected {
                            path,
                            expected: Kind::Folder,
                            found,
                        },
                    });
                }
            };
        }
        Ok(folder)
    }
}

impl Place<'_> {
    pub(super) fn failed(&self, doing: &'static str, source: io::Error) -> Error {
        Error::Io {
            doing,
            path: self.path.clone(),
            source,
        }
    }

    /// Fails unless a regular file stands there.
    pub(super) fn expect_file(&self, doing: &'static str) -> Result<(), Error> {
        match self.folder.kind(self.name) {
            Ok(Kind::File) => Ok(()),
            Ok(found) => Err(self.unexpected(found)),
            Err(source) => Err(self.failed(doing, source)),
        }
    }

    pub(super) fn unexpected(&self, found: Kind) -> Error {
        Error::Unexpected {
            path: self.path.clone(),
            expected: Kind::File,
            found,
        }
    }
}
