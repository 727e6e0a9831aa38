//! Folders as file descriptors. No function here follows a link below the root.

use std::ffi::OsStr;
use std::ffi::OsString;
use std::fs::{File, Metadata};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags};

use super::Kind;

/// A handle for looking things up. `PATH` needs no right to read the folder.
#[cfg(any(target_os = "linux", target_os = "android"))]
const LOOK_UP: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const LOOK_UP: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::CLOEXEC);

/// For a single part. `NONBLOCK`: a FIFO must not wait for its other end before it is refused.
const PLAIN: OFlags = OFlags::NOFOLLOW
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::CLOEXEC);

/// An open folder.
#[derive(Debug)]
pub(super) struct Folder(OwnedFd);

impl Folder {
    /// Opens the folder at `path`, and follows links to it.
    pub(super) fn root(path: &Path) -> io::Result<Self> {
        Ok(Self(rustix::fs::open(path, LOOK_UP, Mode::empty())?))
    }

    pub(super) fn try_clone(&self) -> io::Result<Self> {
        self.0.try_clone().map(Self)
    }

    /// Opens a folder below this one in one step. `None` where the kernel cannot or will not; then
    /// [`Folder::open`], part by part, says why.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub(super) fn open_beneath(&self, relative: &Path) -> Option<Self> {
        use rustix::fs::ResolveFlags;
        let resolve =
            ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        rustix::fs::openat2(&self.0, relative, LOOK_UP, Mode::empty(), resolve)
            .ok()
            .map(Self)
    }

    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    pub(super) fn open_beneath(&self, _: &Path) -> Option<Self> {
        None
    }

    /// Opens the folder `name` in this one.
    pub(super) fn open(&self, name: &OsStr) -> io::Result<Self> {
        let flags = LOOK_UP | OFlags::NOFOLLOW;
        Ok(Self(rustix::fs::openat(
            &self.0,
            name,
            flags,
            Mode::empty(),
        )?))
    }

    pub(super) fn kind(&self, name: &OsStr) -> io::Result<Kind> {
        let stat = rustix::fs::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW)?;
        Ok(kind(FileType::from_raw_mode(stat.st_mode)))
    }

    pub(super) fn open_file(&self, name: &OsStr) -> io::Result<File> {
        let flags = OFlags::RDONLY | PLAIN;
        Ok(rustix::fs::openat(&self.0, name, flags, Mode::empty())?.into())
    }

    pub(super) fn create_new(&self, name: &OsStr, executable: bool) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | PLAIN;
        let mode = Mode::from_raw_mode(if executable { 0o777 } else { 0o666 });
        Ok(rustix::fs::openat(&self.0, name, flags, mode)?.into())
    }

    /// Opens a file for a lock: made where it is absent, never cut.
    pub(super) fn open_or_create(&self, name: &OsStr) -> io::Result<File> {
        let flags = OFlags::RDWR | OFlags::CREATE | PLAIN;
        Ok(rustix::fs::openat(&self.0, name, flags, Mode::from_raw_mode(0o666))?.into())
    }

    pub(super) fn make_folder(&self, name: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::mkdirat(
            &self.0,
            name,
            Mode::from_raw_mode(0o777),
        )?)
    }

    pub(super) fn rename(&self, name: &OsStr, to: &Self, new: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::renameat(&self.0, name, &to.0, new)?)
    }

    pub(super) fn remove_file(&self, name: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.0, name, AtFlags::empty())?)
    }

    pub(super) fn remove_folder(&self, name: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.0, name, AtFlags::REMOVEDIR)?)
    }

    pub(super) fn make_link(&self, name: &OsStr, target: &Path) -> io::Result<()> {
        Ok(rustix::fs::symlinkat(target, &self.0, name)?)
    }

    /// The names in the folder, in no order.
    pub(super) fn list(&self) -> io::Result<Vec<(OsString, Kind)>> {
        let mut found = Vec::new();
        for entry in Dir::read_from(self.readable()?)? {
            let entry = entry?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if matches!(name.as_bytes(), b"." | b"..") {
                continue;
            }
            let kind = match entry.file_type() {
                // Some file systems do not say.
                FileType::Unknown => match self.kind(name) {
                    Ok(kind) => kind,
                    Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                    Err(error) => return Err(error),
                },
                known => kind(known),
            };
            found.push((name.to_owned(), kind));
        }
        Ok(found)
    }

    pub(super) fn metadata(&self) -> io::Result<Metadata> {
        File::from(self.0.try_clone()?).metadata()
    }

    /// The folder as a file that can be listed, synced and locked.
    pub(super) fn readable(&self) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(rustix::fs::openat(&self.0, ".", flags, Mode::empty())?.into())
    }

    /// Makes what was created, renamed or removed in the folder last.
    pub(super) fn sync(&self) -> io::Result<()> {
        self.readable()?.sync_all()
    }
}

/// As far as this user may: root in a container must not take a user's files.
pub(super) fn keep_owner(file: &File, like: &Metadata) {
    use std::os::unix::fs::{MetadataExt, fchown};
    let _ = fchown(file, Some(like.uid()), Some(like.gid()));
}

fn kind(kind: FileType) -> Kind {
    match kind {
        FileType::RegularFile => Kind::File,
        FileType::Directory => Kind::Folder,
        FileType::Symlink => Kind::Link,
        _ => Kind::Special,
    }
}
