//! Overlays of one file commute when each lands at the same place whether or not the other is there. Where one says
//! `after` the other, their order is declared and nothing is to be shown.

use std::sync::Arc;

use patchctl_apply::Splice;

use crate::cpp::Parsed;
use crate::overlay::Overlay;

use super::carry::Problem;
use super::landing::Landing;
use super::locate::At;
use super::order::is_declared;
use super::patched_file::{PatchedFile, write};
use super::select::{LocatedEdit, select};
use super::texts::{Texts, macros};

/// Checks every two overlays that have no declared order. `located` and `landings` are their edits on `texts`.
pub(super) fn check<'o>(
    overlays: &[&Overlay],
    located: &[LocatedEdit<'_>],
    landings: &[Landing],
    texts: &Texts,
) -> Vec<Problem<'o>> {
    let owned: Vec<Overlay> = overlays.iter().map(|&it| it.clone()).collect();
    let macros = macros(&owned);
    let with: Vec<Option<With<'_>>> = overlays
        .iter()
        .map(|&overlay| With::new(overlay, landings, texts, &macros))
        .collect();
    let mut problems = Vec::new();
    for (index, &one) in overlays.iter().enumerate() {
        for (other_index, &other) in overlays.iter().enumerate().skip(index + 1) {
            if is_declared(overlays, &one.id, &other.id) {
                continue;
            }
            let moved_by = |first: usize, second: &Overlay| {
                let with = with[first].as_ref()?;
                with.moves(second, located)
            };
            let clash = moved_by(index, other).or_else(|| moved_by(other_index, one));
            if let Some(why) = clash {
                let (one, other) = (one.id.clone(), other.id.clone());
                problems.push(Problem::DoNotCommute(one, other, why));
            }
        }
    }
    problems
}

/// Upstream's files with one overlay put in.
struct With<'a> {
    overlay: &'a Overlay,
    files: Vec<PatchedFile>,
    texts: Texts,
}

impl<'a> With<'a> {
    /// `None` where the overlay changes no file.
    fn new(
        overlay: &'a Overlay,
        landings: &[Landing],
        texts: &Texts,
        macros: &[String],
    ) -> Option<Self> {
        let own = landings.iter().filter(|it| it.key.overlay == overlay.id);
        let files = write(own, texts).ok().filter(|files| !files.is_empty())?;
        let mut patched = texts.clone();
        for file in &files {
            let parsed = Arc::new(Parsed::new(&file.bytes, macros));
            patched.insert(file.path.clone(), file.after.clone(), parsed);
        }
        Some(Self {
            overlay,
            files,
            texts: patched,
        })
    }

    /// The way in which `second` lands elsewhere with this overlay in the text; `None` where it does not.
    fn moves(&self, second: &Overlay, located: &[LocatedEdit<'_>]) -> Option<String> {
        second.hunks.iter().find_map(|hunk| {
            let before: Vec<&LocatedEdit<'_>> = located
                .iter()
                .filter(|it| it.overlay.id == second.id && it.hunk.id == hunk.id)
                .collect();
            let how = match select(second, hunk, &self.texts) {
                Err(_) => "does not land",
                Ok(after) => {
                    let mut pairs = before.iter().zip(&after);
                    match pairs.all(|(before, after)| self.is_same(before, after)) {
                        true => return None,
                        false => "lands elsewhere",
                    }
                }
            };
            let name = format!("{}/{}", second.id, hunk.id);
            Some(format!(
                "{name} {how} once {} is in the file",
                self.overlay.id
            ))
        })
    }

    fn is_same(&self, before: &LocatedEdit<'_>, after: &LocatedEdit<'_>) -> bool {
        let mut files = self.files.iter();
        let file = files.find(|file| file.path == before.edit.file);
        let splices = file.map(|file| &*file.splices).unwrap_or_default();
        let at = |edit: &LocatedEdit<'_>| edit.location.as_ref().map(|it| it.at.clone());
        match (at(before), at(after)) {
            (None, None) => true,
            (Some(At::Insert(a)), Some(At::Insert(b))) => moved(a, splices) == b,
            (Some(At::Replace(a)), Some(At::Replace(b))) => moved(a.start, splices) == b.start,
            _ => false,
        }
    }
}

fn moved(offset: usize, splices: &[Splice]) -> usize {
    let before = splices
        .iter()
        .filter(|splice| (splice.offset as usize) < offset);
    offset + before.map(|splice| splice.text.len()).sum::<usize>()
}
