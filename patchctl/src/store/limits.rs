//! The limits for what a source may hold. `docs/limits.md` documents them.
//!
//! MLX's tree has about 1,000 files in 8 levels of folders and 12 MB; its largest file has about 1 MB.

/// Bytes of a file that is read as text.
pub(crate) const TEXT: u64 = 8 << 20;
/// Bytes of a file that is written into a tree.
pub(crate) const FILE: u64 = 64 << 20;
/// Bytes of all files of a tree.
pub(crate) const TREE: u64 = 1 << 30;
/// Files, links and folders of a tree, entries of an archive.
pub(crate) const ENTRIES: usize = 100_000;
/// Bytes of all paths of a tree.
pub(crate) const PATHS: usize = 16 << 20;
/// Folders inside each other.
pub(crate) const DEPTH: usize = 100;
/// Bytes of a link's target.
pub(crate) const LINK: u64 = 4096;
/// Bytes of a commit, a tag or one folder's tree object.
pub(crate) const OBJECT: u64 = 16 << 20;
/// Bytes of a package or of an archive in one.
pub(crate) const ARCHIVE: u64 = 32 << 20;
/// Bytes of a `.tar.xz` once decompressed, which happens in memory.
pub(crate) const XZ: u64 = 64 << 20;

/// The reason for refusing something that is larger than a limit.
pub(crate) fn too_large(what: &str, bytes: u64, limit: u64) -> String {
    format!("{what} has {bytes} bytes, the limit is {limit}")
}

/// Counts the entries of a tree or an archive against its limits.
#[derive(Debug, Default)]
pub(crate) struct Count {
    entries: usize,
    letters: usize,
}

impl Count {
    /// Counts one file, link or folder in.
    ///
    /// # Errors
    /// One line, where it is one too many or lies too deep.
    pub(crate) fn add(&mut self, path: &[u8]) -> Result<(), String> {
        self.entries += 1;
        self.letters += path.len();
        let head = || String::from_utf8_lossy(&path[..path.len().min(80)]).into_owned();
        let depth = path.iter().filter(|byte| **byte == b'/').count();
        if depth > DEPTH {
            return Err(format!(
                "{}… is {depth} folders deep, the limit is {DEPTH}",
                head()
            ));
        }
        if self.entries > ENTRIES {
            return Err(format!(
                "more than {ENTRIES} entries, which is the limit, at {:?}",
                head()
            ));
        }
        if self.letters > PATHS {
            return Err(format!(
                "its paths have more than {PATHS} bytes, which is the limit, at {:?}",
                head()
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_entries_and_paths_have_a_limit() {
        let deep = |folders: usize| format!("{}x", "d/".repeat(folders));
        let mut count = Count::default();
        count.add(deep(DEPTH).as_bytes()).unwrap();
        let error = count.add(deep(DEPTH + 1).as_bytes()).unwrap_err();
        assert!(
            error.contains("101 folders deep, the limit is 100"),
            "{error}"
        );
        let mut count = Count::default();
        let error = (0..=ENTRIES).try_for_each(|_| count.add(b"x")).unwrap_err();
        assert!(error.contains("more than 100000 entries"), "{error}");
        let mut count = Count::default();
        let long = vec![b'x'; PATHS / 10];
        let error = (0..=10).try_for_each(|_| count.add(&long)).unwrap_err();
        assert!(error.contains("16777216 bytes"), "{error}");
    }
}
