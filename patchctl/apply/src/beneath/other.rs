//! Folders as paths, for systems without `openat`. Every part is looked at before it is used: a link that is there
//! is refused, one that another process puts there in between is not seen.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, FileType, Metadata, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use super::Kind;

/// A folder that was there.
#[derive(Debug)]
pub(super) struct Folder(PathBuf);

impl Folder {
    pub(super) fn root(path: &Path) -> io::Result<Self> {
        if fs::metadata(path)?.is_dir() {
            Ok(Self(path.to_owned()))
        } else {
            Err(io::ErrorKind::NotADirectory.into())
        }
    }

    pub(super) fn try_clone(&self) -> io::Result<Self> {
        Ok(Self(self.0.clone()))
    }

    pub(super) fn open_beneath(&self, _: &Path) -> Option<Self> {
        None
    }

    pub(super) fn open(&self, name: &OsStr) -> io::Result<Self> {
        self.refuse_link(name)?;
        Self::root(&self.0.join(name))
    }

    pub(super) fn kind(&self, name: &OsStr) -> io::Result<Kind> {
        Ok(kind(fs::symlink_metadata(self.0.join(name))?.file_type()))
    }

    pub(super) fn open_file(&self, name: &OsStr) -> io::Result<File> {
        self.refuse_link(name)?;
        File::open(self.0.join(name))
    }

    pub(super) fn create_new(&self, name: &OsStr, _: bool) -> io::Result<File> {
        OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(self.0.join(name))
    }

    pub(super) fn open_or_create(&self, name: &OsStr) -> io::Result<File> {
        match self.refuse_link(name) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(self.0.join(name))
    }

    pub(super) fn make_folder(&self, name: &OsStr) -> io::Result<()> {
        fs::create_dir(self.0.join(name))
    }

    pub(super) fn rename(&self, name: &OsStr, to: &Self, new: &OsStr) -> io::Result<()> {
        fs::rename(self.0.join(name), to.0.join(new))
    }

    pub(super) fn remove_file(&self, name: &OsStr) -> io::Result<()> {
        fs::remove_file(self.0.join(name))
    }

    pub(super) fn remove_folder(&self, name: &OsStr) -> io::Result<()> {
        fs::remove_dir(self.0.join(name))
    }

    pub(super) fn make_link(&self, _: &OsStr, _: &Path) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(super) fn list(&self) -> io::Result<Vec<(OsString, Kind)>> {
        fs::read_dir(&self.0)?
            .map(|entry| {
                let entry = entry?;
                Ok((entry.file_name(), kind(entry.file_type()?)))
            })
            .collect()
    }

    pub(super) fn metadata(&self) -> io::Result<Metadata> {
        fs::metadata(&self.0)
    }

    pub(super) fn readable(&self) -> io::Result<File> {
        File::open(&self.0)
    }

    /// A folder cannot be opened for this here.
    pub(super) fn sync(&self) -> io::Result<()> {
        Ok(())
    }

    fn refuse_link(&self, name: &OsStr) -> io::Result<()> {
        match self.kind(name)? {
            Kind::Link => Err(io::ErrorKind::InvalidInput.into()),
            _ => Ok(()),
        }
    }
}

pub(super) fn keep_owner(_: &File, _: &Metadata) {}

fn kind(kind: FileType) -> Kind {
    if kind.is_symlink() {
        Kind::Link
    } else if kind.is_dir() {
        Kind::Folder
    } else if kind.is_file() {
        Kind::File
    } else {
        Kind::Special
    }
}
