//! Reading files and folders.

use std::ffi::OsString;
use std::fs::{File, Metadata};
use std::io::Read;
use std::path::{Path, PathBuf};

use super::root::Place;
use super::{Error, Kind, Root};

/// A name in a folder.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// The name, without the folder.
    pub name: OsString,
    /// What stands there. A link is not followed.
    pub kind: Kind,
}

impl Root {
    /// Reads the regular file at `path`, at most `limit` bytes of it.
    ///
    /// Fails where nothing or something else stands there, and on a larger file.
    pub fn read(&self, path: impl AsRef<Path>, limit: u64) -> Result<Vec<u8>, Error> {
        Ok(self.read_with_metadata(path, limit)?.0)
    }

    /// As [`Root::read`]; `None` where nothing stands there.
    pub fn read_if_there(
        &self,
        path: impl AsRef<Path>,
        limit: u64,
    ) -> Result<Option<Vec<u8>>, Error> {
        match self.read(path, limit) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.is_missing() => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// As [`Root::read`], with the file's owner, permissions and times.
    pub fn read_with_metadata(
        &self,
        path: impl AsRef<Path>,
        limit: u64,
    ) -> Result<(Vec<u8>, Metadata), Error> {
        let place = self.place(path.as_ref())?;
        let (file, metadata) = place.open_file()?;
        let bytes = read_all(file, &metadata, limit)
            .map_err(|source| place.failed("read", source))?
            .ok_or_else(|| Error::TooLarge {
                path: place.path.clone(),
                size: metadata.len().max(limit.saturating_add(1)),
                limit,
            })?;
        Ok((bytes, metadata))
    }

    /// As [`Root::read`], but a link that leads to another file below the root is resolved, once; the file is then
    /// opened by the path that it has without links. For files that a person may have linked inside of a repository.
    pub fn read_resolved(&self, path: impl AsRef<Path>, limit: u64) -> Result<Vec<u8>, Error> {
        let path = path.as_ref();
        match self.read(path, limit) {
            Err(error) => self.read(self.without_links(path, error)?, limit),
            read => read,
        }
    }

    /// As [`Root::list`], for a folder that a person may have linked inside of a repository, see [`Root::read_resolved`].
    pub fn list_resolved(&self, path: impl AsRef<Path>) -> Result<Vec<Entry>, Error> {
        let path = path.as_ref();
        match self.list(path) {
            Err(error) => self.list(self.without_links(path, error)?),
            listed => listed,
        }
    }

    /// The path below the root that `path` leads to through links. Gives back the `error` that is about no link, or about
    /// one that leads out.
    fn without_links(&self, path: &Path, error: Error) -> Result<PathBuf, Error> {
        if !matches!(
            error,
            Error::Unexpected {
                found: Kind::Link,
                ..
            }
        ) {
            return Err(error);
        }
        let real = |path: &Path| {
            std::fs::canonicalize(path).map_err(|source| Error::Io {
                doing: "follow the link",
                path: path.to_owned(),
                source,
            })
        };
        let target = real(&self.full(path))?;
        match target.strip_prefix(real(self.path())?) {
            Ok(inside) => Ok(inside.to_owned()),
            Err(_) => Err(error),
        }
    }

    /// Opens the regular file at `path` for reading.
    pub fn open_file(&self, path: impl AsRef<Path>) -> Result<File, Error> {
        Ok(self.place(path.as_ref())?.open_file()?.0)
    }

    /// The names in the folder at `path`, sorted. An empty path is the root itself.
    pub fn list(&self, path: impl AsRef<Path>) -> Result<Vec<Entry>, Error> {
        let path = path.as_ref();
        let folder = self.folder(path)?;
        let mut entries: Vec<Entry> = folder
            .list()
            .map_err(|source| Error::Io {
                doing: "list the folder",
                path: self.full(path),
                source,
            })?
            .into_iter()
            .map(|(name, kind)| Entry { name, kind })
            .collect();
        entries.sort();
        Ok(entries)
    }
}

impl Place<'_> {
    fn open_file(&self) -> Result<(File, Metadata), Error> {
        // Looked at before it is opened, since opening a device may do something, and again afterwards, since it
        // may have been replaced.
        self.expect_file("read")?;
        let file = self.folder.open_file(self.name);
        let file = file.map_err(|source| self.failed("read", source))?;
        let metadata = file
            .metadata()
            .map_err(|source| self.failed("read", source))?;
        if metadata.is_file() {
            Ok((file, metadata))
        } else {
            Err(self.unexpected(Kind::Special))
        }
    }
}

/// `None` for more than `limit` bytes.
fn read_all(file: File, metadata: &Metadata, limit: u64) -> std::io::Result<Option<Vec<u8>>> {
    if metadata.len() > limit {
        return Ok(None);
    }
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0));
    // It may grow meanwhile.
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= limit).then_some(bytes))
}

/// Reads a file that the user named, at most `limit` bytes of it. Links to it are followed: build systems such as
/// Bazel hand over all inputs as links. A FIFO, a socket or a device is refused.
pub fn read_file(path: &Path, limit: u64) -> Result<Vec<u8>, Error> {
    let failed = |source| Error::Io {
        doing: "read",
        path: path.to_owned(),
        source,
    };
    let target = std::fs::canonicalize(path).map_err(failed)?;
    match (target.parent(), target.file_name()) {
        (Some(folder), Some(name)) => Root::open(folder)?.read(name, limit),
        _ => Err(Error::Unexpected {
            path: path.to_owned(),
            expected: Kind::File,
            found: Kind::Folder,
        }),
    }
}
