//! The files of one revision that overlays change, each read once.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use patchctl_apply::BlobId;

use crate::cpp::{Parsed, Reading};
use crate::overlay::Overlay;

/// A file of a revision: its blob id and a reading of it.
#[derive(Clone)]
pub struct Text {
    /// Git's id of the bytes.
    pub id: BlobId,
    /// The bytes, read.
    pub parsed: Arc<Parsed>,
}

/// The files that a set of overlays looks at, each read as each overlay reads it; a file that the revision lacks is not in
/// it.
#[derive(Clone, Default)]
pub struct Texts(BTreeMap<Utf8PathBuf, Vec<Text>>);

impl Texts {
    /// Adds a reading of a file, where it is not there yet.
    pub fn insert(&mut self, path: Utf8PathBuf, id: BlobId, parsed: Arc<Parsed>) {
        let readings = self.0.entry(path).or_default();
        if readings
            .iter()
            .all(|it| it.parsed.reading() != parsed.reading())
        {
            readings.push(Text { id, parsed });
        }
    }

    /// The same texts with another one in a file's place; `read` gives each reading of it.
    pub(super) fn with(
        &self,
        path: &Utf8Path,
        id: &BlobId,
        read: impl Fn(&Reading) -> Parsed,
    ) -> Self {
        let mut texts = self.clone();
        for text in texts.0.get_mut(path).into_iter().flatten() {
            text.parsed = Arc::new(read(text.parsed.reading()));
            text.id.clone_from(id);
        }
        texts
    }

    /// The file at `path`, where the revision has it. Which reading that is, is not said: its bytes and lines are those of
    /// every reading.
    pub fn get(&self, path: &Utf8Path) -> Option<&Text> {
        self.0.get(path)?.first()
    }

    /// The file at `path` as an overlay reads it, where the revision has it.
    pub(crate) fn parsed(&self, path: &Utf8Path, overlay: &Overlay) -> Option<&Parsed> {
        let reading = overlay.reading(path);
        let mut readings = self.0.get(path)?.iter().map(|text| &*text.parsed);
        readings.find(|parsed| *parsed.reading() == reading)
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
