//! A revision's other files, for naming the likeliest new home of code that is gone.

use crate::patch::Elsewhere;
use crate::upstream::{Resolved, Source};

/// Files looked at, at the most: a bound for trees that are much larger than MLX's (1,500 files).
const MOST: usize = 4000;

/// All files of `revision`.
pub(super) struct RevisionFiles<'a> {
    pub source: &'a dyn Source,
    pub revision: &'a Resolved,
}

impl Elsewhere for RevisionFiles<'_> {
    fn paths(&self) -> Vec<String> {
        let mut paths = self.source.paths(self.revision).unwrap_or_default();
        paths.truncate(MOST);
        paths
    }

    fn read(&self, path: &str) -> Option<Vec<u8>> {
        let blob = self.source.read(self.revision, path.into()).ok()??;
        Some(blob.bytes)
    }
}
