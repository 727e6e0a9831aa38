//! The files of one revision that overlays change, each read once.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use patchctl_apply::BlobId;

use crate::cpp::Parsed;
use crate::overlay::Overlay;

/// A file of a revision: its blob id and both readings of it.
#[derive(Clone)]
pub struct Text {
    /// Git's id of the bytes.
    pub id: BlobId,
    /// The bytes, read.
    pub parsed: Arc<Parsed>,
}

/// The files that a set of overlays looks at; a file that the revision lacks is not in it.
#[derive(Clone, Default)]
pub struct Texts(BTreeMap<Utf8PathBuf, Text>);

impl Texts {
    /// Adds a file.
    pub fn insert(&mut self, path: Utf8PathBuf, id: BlobId, parsed: Arc<Parsed>) {
        self.0.insert(path, Text { id, parsed });
    }

    /// The file at `path`, where the revision has it.
    pub fn get(&self, path: &Utf8Path) -> Option<&Text> {
        self.0.get(path)
    }

    /// Both readings of the file at `path`, where the revision has it.
    pub(crate) fn parsed(&self, path: &Utf8Path) -> Option<&Parsed> {
        self.0.get(path).map(|text| &*text.parsed)
    }
}

/// Every path that the overlays edit or ask about, sorted.
pub fn paths(overlays: &[Overlay]) -> Vec<Utf8PathBuf> {
    let mut out = BTreeSet::new();
    for overlay in overlays {
        out.extend(overlay.landed.iter().map(|condition| &condition.file));
        for variant in overlay.hunks.iter().flat_map(|hunk| &hunk.variants) {
            out.extend(variant.edits.iter().map(|edit| &edit.file));
            let conditions = variant.when.iter().chain(&variant.expect);
            out.extend(conditions.map(|condition| &condition.file));
        }
    }
    out.into_iter().cloned().collect()
}

/// The macros that any of the overlays wants blanked, sorted.
pub fn macros(overlays: &[Overlay]) -> Vec<String> {
    let all = overlays.iter().flat_map(|overlay| &overlay.macros);
    let sorted: BTreeSet<&String> = all.collect();
    sorted.into_iter().cloned().collect()
}
