//! Loose objects, looked at before libgit2 reads them.
//!
//! libgit2 1.9.7 never returns from a loose object that was cut off (libgit2 #7342, fixed after that release), and a
//! full disk or a crash leaves just that. Packs are not affected. So each object that is read is looked
//! for among the loose ones first.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use flate2::read::ZlibDecoder;
use git2::{Oid, Repository};

/// The folders in which a repository's loose objects lie: its own, and those it borrows from.
pub(super) struct Loose {
    folders: Vec<Folder>,
}

struct Folder {
    path: PathBuf,
    /// Which of its 256 parts are there: none where all is packed.
    parts: Vec<bool>,
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
        let folders = paths
            .into_iter()
            .map(|path| Folder {
                parts: (0..=u8::MAX)
                    .map(|part| path.join(format!("{part:02x}")).is_dir())
                    .collect(),
                path,
            })
            .collect();
        Self { folders }
    }

    /// Why the loose object cannot be read, where there is one and it cannot.
    pub(super) fn damage(&self, id: Oid) -> Option<String> {
        let part = usize::from(*id.as_bytes().first()?);
        let mut there = self.folders.iter().filter(|folder| folder.parts[part]);
        there.find_map(|folder| {
            let hex = id.to_string();
            let (first, rest) = hex.split_at_checked(2)?;
            let path = folder.path.join(first).join(rest);
            cut_off(&path).err().map(|error| error.to_string())
        })
    }
}

/// Whether the object ends before its end. What else may be wrong with it, libgit2 notices.
fn cut_off(path: &Path) -> io::Result<()> {
    let compressed = match std::fs::read(path) {
        Ok(compressed) => compressed,
        // Not loose here, or not readable: libgit2 says which.
        Err(_) => return Ok(()),
    };
    let named = |why: &str| io::Error::other(format!("{} {why}", path.display()));
    if compressed.is_empty() {
        return Err(named("is empty"));
    }
    let mut inflated = ZlibDecoder::new(compressed.as_slice());
    let mut buffer = [0; 16 << 10];
    loop {
        match inflated.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(_) => {}
            Err(error) => return Err(named(&format!("is cut off or altered: {error}"))),
        }
    }
}
