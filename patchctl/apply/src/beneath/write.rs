use std::ffi::OsString;
use std::fs::{File, Metadata};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use super::root::Place;
use super::system::keep_owner;
use super::{Error, Kind, Root};

impl Root {
    /// Replaces the file at `path`, or makes it, so that at every instant it has its old or its new bytes.
    ///
    /// The new bytes are staged beside it and renamed. A file that is there keeps its permissions, and its owner as
    /// far as this user may set it. Fails where something else than a file stands there.
    pub fn replace(&self, path: impl AsRef<Path>, bytes: &[u8]) -> Result<(), Error> {
        let path = path.as_ref();
        let place = self.place(path)?;
        let like = match place.folder.kind(place.name) {
            Ok(Kind::File) => {
                let file = place.folder.open_file(place.name);
                let metadata = file.and_then(|file| file.metadata());
                Some(metadata.map_err(|source| place.failed("read", source))?)
            }
            Ok(found) => return Err(place.unexpected(found)),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(source) => return Err(place.failed("write", source)),
        };
        let staged = Self::staged(path);
        let written = self.write_new(&staged, bytes, like.as_ref());
        if let Err(error) = written.and_then(|()| self.rename(&staged, path)) {
            // The first error is the one to tell; the next run removes what stays here.
            let _ = self.remove_file(&staged);
            return Err(error);
        }
        self.sync_folder_of(path)
    }

    /// The name beside `path` under which its new bytes are staged. It is the same each time, so that the next
    /// run takes away what a killed one left.
    pub fn staged(path: &Path) -> PathBuf {
        let mut name = OsString::from(".");
        name.push(path.file_name().unwrap_or_default());
        name.push(".patchctl-new");
        path.with_file_name(name)
    }

    /// Writes a new file at `path`, in the place of one that an earlier run left there, with the permissions of
    /// `like`, and with its owner as far as this user may set it.
    pub fn write_new(
        &self,
        path: impl AsRef<Path>,
        bytes: &[u8],
        like: Option<&Metadata>,
    ) -> Result<(), Error> {
        let place = self.place(path.as_ref())?;
        place.remove_file()?;
        place
            .write_new(bytes, like)
            .map_err(|source| place.failed("write", source))
    }

    /// Writes a new file at `path`, where nothing may stand, without syncing it: for a tree that can be made again.
    pub fn create_new(
        &self,
        path: impl AsRef<Path>,
        executable: bool,
        bytes: &[u8],
    ) -> Result<(), Error> {
        let place = self.place(path.as_ref())?;
        place
            .folder
            .create_new(place.name, executable)
            .and_then(|mut file| file.write_all(bytes))
            .map_err(|source| place.failed("write", source))
    }

    /// Opens the file at `path` to lock it: made where it is absent, its bytes untouched where it is there.
    pub fn lock_file(&self, path: impl AsRef<Path>) -> Result<File, Error> {
        let place = self.place(path.as_ref())?;
        match place.folder.kind(place.name) {
            Ok(Kind::File) => {}
            Ok(found) => return Err(place.unexpected(found)),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(source) => return Err(place.failed("open", source)),
        }
        let opened = place.folder.open_or_create(place.name).and_then(|file| {
            let regular = file.metadata()?.is_file();
            Ok((file, regular))
        });
        match opened {
            Ok((file, true)) => Ok(file),
            Ok((_, false)) => Err(place.unexpected(Kind::Special)),
            Err(source) => Err(place.failed("open", source)),
        }
    }

    /// Renames a file or folder. What stands at `to` is replaced as the system does it.
    pub fn rename(&self, from: impl AsRef<Path>, to: impl AsRef<Path>) -> Result<(), Error> {
        let from = self.place(from.as_ref())?;
        let to = self.place(to.as_ref())?;
        from.folder
            .rename(from.name, &to.folder, to.name)
            .map_err(|source| to.failed("write", source))
    }

    /// Removes a file or a link; nothing there is no failure.
    pub fn remove_file(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        match self.place(path.as_ref()) {
            Ok(place) => place.remove_file(),
            Err(error) if error.is_missing() => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Removes an empty folder; nothing there is no failure.
    pub fn remove_folder(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let place = match self.place(path.as_ref()) {
            Err(error) if error.is_missing() => return Ok(()),
            place => place?,
        };
        gone(place.folder.remove_folder(place.name))
            .map_err(|source| place.failed("remove", source))
    }

    /// Removes whatever stands at `path`, a folder with all that is in it; nothing there is no failure.
    pub fn remove_all(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let path = path.as_ref();
        if self.kind(path)? != Some(Kind::Folder) {
            return self.remove_file(path);
        }
        // Without recursion: a tree may be deeper than the stack.
        let mut folders = vec![path.to_owned()];
        while let Some(folder) = folders.last().cloned() {
            let inner = folders.len();
            for entry in self.list(&folder)? {
                let below = folder.join(&entry.name);
                match entry.kind {
                    Kind::Folder => folders.push(below),
                    _ => self.remove_file(&below)?,
                }
            }
            if folders.len() == inner {
                self.remove_folder(&folder)?;
                folders.pop();
            }
        }
        Ok(())
    }

    /// Makes the folder at `path` and those above it that are missing, without syncing them.
    pub fn create_folders(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let mut made = PathBuf::new();
        for part in path.as_ref().components() {
            made.push(part);
            let place = self.place(&made)?;
            match place.folder.make_folder(place.name) {
                Ok(()) => {}
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(source) => return Err(place.failed("create", source)),
            }
        }
        // A link or a file in a folder's place is found here.
        self.folder(path.as_ref()).map(|_| ())
    }

    /// Makes a symbolic link at `path`, where nothing may stand. The caller says what it may point to.
    pub fn make_link(&self, path: impl AsRef<Path>, target: &Path) -> Result<(), Error> {
        let place = self.place(path.as_ref())?;
        place
            .folder
            .make_link(place.name, target)
            .map_err(|source| place.failed("create", source))
    }

    /// Makes what was created, renamed or removed in the folder of `path` last.
    pub fn sync_folder_of(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let place = self.place(path.as_ref())?;
        let synced = place.folder.sync();
        synced.map_err(|source| place.failed("write", source))
    }
}

impl Place<'_> {
    fn remove_file(&self) -> Result<(), Error> {
        gone(self.folder.remove_file(self.name)).map_err(|source| self.failed("remove", source))
    }

    fn write_new(&self, bytes: &[u8], like: Option<&Metadata>) -> io::Result<()> {
        let mut file = self.folder.create_new(self.name, false)?;
        file.write_all(bytes)?;
        if let Some(like) = like {
            keep_owner(&file, like);
            file.set_permissions(like.permissions())?;
        }
        file.sync_all()
    }
}

/// Nothing there to remove is what was asked for.
fn gone(removed: io::Result<()>) -> io::Result<()> {
    match removed {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
