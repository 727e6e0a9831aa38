//! Loose objects, looked at before libgit2 reads them.
//!
//! libgit2 1.9.7 never returns from a loose object that was cut off (libgit2 #7342, fixed after that release), and a
//! full disk or a crash leaves just that. Packs are not affected. So each object that is read is looked
//! for among the loose ones first.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::PathBuf;

use flate2::read::ZlibDecoder;
use git2::{Oid, Repository};

/// The folders in which a repository's loose objects lie: its own, and those it borrows from.
pub(super) struct Loose {
    folders: Vec<PathBuf>,
}

impl Loose {
    pub(super) fn of(repository: &Repository) -> Self {
        let mut paths = vec![repository.commondir().join("objects")];
        // More than git follows, and an end where they lead in a circle.
        const MOST: usize = 32;
        let mut next = 0;
        while next < paths.len() && paths.len() < MOST {
            let path = paths[next].clone();
            next += 1;
            let Ok(text) = fs_err::read_to_string(path.join("info/alternates")) else {
                continue;
            };
            let borrowed = text
                .lines()
                .filter(|line| !line.is_empty() && !line.starts_with('#'))
                .map(|line| path.join(line));
            paths.extend(borrowed);
        }
        Self { folders: paths }
    }

    /// The size of a loose object; `None` where it is not loose. One that is larger than `limit` is not looked at
    /// further.
    ///
    /// # Errors
    /// When it is cut off or altered. libgit2 notices all other damage.
    pub(super) fn size(&self, id: Oid, limit: u64) -> Result<Option<u64>, String> {
        let hex = id.to_string();
        for folder in &self.folders {
            let path = folder.join(&hex[..2]).join(&hex[2..]);
            // Not loose here, or not readable: libgit2 says which.
            if let Ok(file) = File::open(&path) {
                let named = |why: io::Error| format!("{} {why}", path.display());
                return size(file, limit).map(Some).map_err(named);
            }
        }
        Ok(None)
    }
}

/// Inflates the whole object without keeping it, and compares its size with its header, `blob 12` and a NUL.
fn size(file: File, limit: u64) -> io::Result<u64> {
    let cut = |error| io::Error::other(format!("is cut off or altered: {error}"));
    if file.metadata()?.len() == 0 {
        return Err(io::Error::other("is empty"));
    }
    const LONGEST_HEADER: u64 = 32;
    let mut inflated = BufReader::new(ZlibDecoder::new(file));
    let mut header = Vec::new();
    inflated
        .by_ref()
        .take(LONGEST_HEADER)
        .read_until(0, &mut header)
        .map_err(cut)?;
    let size = || {
        let text = std::str::from_utf8(&header).ok()?.strip_suffix('\0')?;
        text.split_once(' ')?.1.parse().ok()
    };
    let invalid = || cut(io::ErrorKind::InvalidData.into());
    let size: u64 = size().ok_or_else(invalid)?;
    if size > limit {
        return Ok(size);
    }
    let read = io::copy(&mut inflated.take(size + 1), &mut io::sink()).map_err(cut)?;
    (read == size).then_some(size).ok_or_else(invalid)
}
