//! Reads archives whose bytes are known by digest, and still believes none of their names or sizes.

use std::io::{self, Cursor, Read, Write};

use camino::Utf8Path;
use flate2::read::GzDecoder;
use tar::EntryType;
use zip::ZipArchive;

use crate::store::folder::Take;
use crate::store::tree_rules::inside;
use crate::store::{Kind, limits};

/// Passes on all files and links below the folder `below`, or the one file of that name with an empty path.
/// `name` tells the format: `.zip`, `.tar.xz`, `.tar.gz`, `.tgz`, `.crate`.
///
/// # Errors
/// One line. An entry that leaves the archive's folder, is neither file nor link nor folder, or is absurdly large
/// makes the whole archive unfit, wherever it stands in it.
pub(crate) fn unpack(
    name: &str,
    bytes: &[u8],
    below: &str,
    take: &mut Take<'_>,
) -> Result<(), String> {
    let mut sifter = Sifter {
        below,
        count: limits::Count::default(),
        left: limits::TREE,
        take,
    };
    if name.ends_with(".zip") {
        sifter.zip(bytes)
    } else if name.ends_with(".tar.xz") {
        let mut tar = Limited {
            bytes: Vec::new(),
            left: limits::XZ,
        };
        lzma_rs::xz_decompress(&mut Cursor::new(bytes), &mut tar)
            .map_err(|error| format!("{error:?}"))?;
        sifter.tar(tar.bytes.as_slice())
    } else if [".tar.gz", ".tgz", ".crate"]
        .iter()
        .any(|end| name.ends_with(end))
    {
        sifter.tar(GzDecoder::new(bytes))
    } else {
        Err("is of no known archive format (.tar.gz, .tar.xz, .zip)".into())
    }
}

struct Sifter<'a, 't> {
    below: &'a str,
    count: limits::Count,
    left: u64,
    take: &'a mut Take<'t>,
}

impl Sifter<'_, '_> {
    fn tar(&mut self, reader: impl Read) -> Result<(), String> {
        let mut archive = tar::Archive::new(reader);
        for entry in archive.entries().map_err(said)? {
            let mut entry = entry.map_err(said)?;
            let kind = entry.header().entry_type();
            let bytes = entry.path_bytes().into_owned();
            if matches!(kind, EntryType::XGlobalHeader) {
                continue;
            }
            let Some(path) = self.path(&bytes)? else {
                continue;
            };
            let (kind, bytes) = match kind {
                EntryType::Directory => continue,
                EntryType::Regular | EntryType::Continuous => {
                    let executable = entry.header().mode().map_err(said)? & 0o111 != 0;
                    (Kind::of_file(executable), self.read(&path, &mut entry)?)
                }
                EntryType::Symlink => {
                    let target = entry.link_name_bytes().unwrap_or_default();
                    (Kind::Link, text(&target)?.into_bytes())
                }
                other => {
                    return Err(format!(
                        "{path:?} is neither a file nor a link but {other:?}"
                    ));
                }
            };
            self.pass(&path, kind, &bytes)?;
        }
        Ok(())
    }

    fn zip(&mut self, bytes: &[u8]) -> Result<(), String> {
        let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|error| error.to_string())?;
        for index in 0..archive.len() {
            let mut entry = archive.by_index(index).map_err(|error| error.to_string())?;
            let name = entry.name_raw().to_vec();
            if entry.is_dir() {
                continue;
            }
            let Some(path) = self.path(&name)? else {
                continue;
            };
            let kind = match entry.is_symlink() {
                true => Kind::Link,
                false => Kind::of_file(entry.unix_mode().is_some_and(|mode| mode & 0o111 != 0)),
            };
            let bytes = self.read(&path, &mut entry)?;
            self.pass(&path, kind, &bytes)?;
        }
        Ok(())
    }

    /// The entry's whole path, checked; `None` for the archive's root.
    fn path(&mut self, bytes: &[u8]) -> Result<Option<String>, String> {
        self.count.add(bytes)?;
        let path = text(bytes)?;
        let bare = path.trim_end_matches('/');
        if bare == "." {
            return Ok(None);
        }
        match inside(bare) {
            Ok(path) => Ok(Some(path.into_string())),
            Err(why) => Err(format!("its entry {path:?} {why}")),
        }
    }

    fn read(&mut self, path: &str, entry: &mut dyn Read) -> Result<Vec<u8>, String> {
        let most = limits::FILE.min(self.left);
        let mut bytes = Vec::new();
        // The size that the entry claims is not believed: reading stops one byte after what is allowed.
        entry
            .take(most + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| format!("{path:?} cannot be read: {error}"))?;
        if bytes.len() as u64 > most {
            return Err(format!(
                "{path:?} has more than {most} bytes, which is the limit"
            ));
        }
        self.left -= bytes.len() as u64;
        Ok(bytes)
    }

    fn pass(&mut self, path: &str, kind: Kind, bytes: &[u8]) -> Result<(), String> {
        match Utf8Path::new(path).strip_prefix(self.below) {
            Ok(rest) => (self.take)(rest.as_str(), kind, bytes),
            Err(_) => Ok(()),
        }
    }
}

fn text(bytes: &[u8]) -> Result<String, String> {
    String::from_utf8(bytes.to_vec()).map_err(|_| {
        format!(
            "its entry {:?} is not UTF-8",
            String::from_utf8_lossy(bytes)
        )
    })
}

fn said(error: io::Error) -> String {
    error.to_string()
}

/// A buffer with an end.
struct Limited {
    bytes: Vec<u8>,
    left: u64,
}

impl Write for Limited {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = bytes.len() as u64;
        if count > self.left {
            return Err(io::Error::other(format!(
                "has more than {} bytes once decompressed, which is the limit",
                limits::XZ
            )));
        }
        self.left -= count;
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests;
