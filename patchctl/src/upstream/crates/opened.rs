//! A package on this machine, and what lies in it.

use camino::{Utf8Path, Utf8PathBuf};

use super::table::Place;
use crate::store::folder::{self, Take};
use crate::store::{Kind, limits, sha256_hex};
use crate::upstream::archive;

/// A package on this machine.
pub(super) enum Opened {
    /// Its archive, with the checksum of the table.
    Archive {
        /// Where it lies, for errors.
        path: Utf8PathBuf,
        /// The whole of it.
        bytes: Vec<u8>,
        /// `name-version`, the archive's one folder.
        root: String,
    },
    /// Its folder, where cargo takes it from one (source replacement). Nothing of it is known yet.
    Folder(Utf8PathBuf),
}

impl Opened {
    /// Where it lies, for errors.
    pub(super) fn path(&self) -> &Utf8Path {
        match self {
            Self::Archive { path, .. } => path,
            Self::Folder(path) => path,
        }
    }

    /// Passes on what lies at `place`. An error names the file that is to blame.
    pub(super) fn each(&self, place: &Place, take: &mut Take<'_>) -> Result<(), String> {
        match place {
            Place::Folder { folder } => self.below(folder, take),
            Place::Archive {
                archive,
                sha256,
                root,
            } => {
                let bytes = self.file(archive)?;
                let digest = sha256_hex(&bytes);
                let at = format!("{archive} in {}", self.path());
                if digest != *sha256 {
                    return Err(format!(
                        "{at} is truncated or altered: its SHA-256 is {digest}, expected {sha256}"
                    ));
                }
                archive::unpack(archive, &bytes, root, take).map_err(|why| format!("{at}: {why}"))
            }
        }
    }

    fn below(&self, inner: &str, take: &mut Take<'_>) -> Result<(), String> {
        let at = self.path();
        match self {
            Self::Archive { bytes, root, .. } => {
                archive::unpack(".crate", bytes, &format!("{root}/{inner}"), take)
            }
            Self::Folder(folder) => folder::each(&folder.join(inner), take),
        }
        .map_err(|why| format!("{at}: {why}"))
    }

    fn file(&self, inner: &str) -> Result<Vec<u8>, String> {
        if let Self::Folder(folder) = self {
            return read_archive(&folder.join(inner));
        }
        let mut found = None;
        self.below(inner, &mut |path, kind, bytes| {
            if path.is_empty() && kind != Kind::Link {
                found = Some(bytes.to_vec());
            }
            Ok(())
        })?;
        found.ok_or_else(|| format!("{} has no {inner}", self.path()))
    }
}

/// The bytes of a package or of an archive in one.
pub(super) fn read_archive(path: &Utf8Path) -> Result<Vec<u8>, String> {
    let text = |error: std::io::Error| error.to_string();
    let data = fs_err::metadata(path).map_err(text)?;
    if !data.is_file() {
        return Err(format!("{path} is no file"));
    }
    if data.len() > limits::ARCHIVE {
        return Err(limits::too_large(
            path.as_str(),
            data.len(),
            limits::ARCHIVE,
        ));
    }
    fs_err::read(path).map_err(text)
}
