//! Whether overlays of one file commute: each must land at the same place whether or not the other is
//! there. Where one says `after` the other, their order is declared and nothing is to be shown.

use std::sync::Arc;

use patchctl_apply::{BlobId, Splice};

use crate::cpp::Parsed;
use crate::overlay::Overlay;

use super::carry::{Carried, carry};
use super::locate::At;
use super::order::{OrderProblem, comes_after};
use super::select::{LocatedEdit, select};
use super::texts::{Texts, macros};

/// Looks at every two overlays that change a common file.
pub fn check(overlays: &[&Overlay], texts: &Texts) -> Vec<OrderProblem> {
    let mut problems = Vec::new();
    for (index, &one) in overlays.iter().enumerate() {
        for &other in &overlays[index + 1..] {
            let declared = comes_after(overlays, &one.id, &other.id)
                || comes_after(overlays, &other.id, &one.id);
            if declared {
                continue;
            }
            let clash = moved_by(one, other, texts).or_else(|| moved_by(other, one, texts));
            if let Some(why) = clash {
                let overlays = (one.id.clone(), other.id.clone());
                problems.push(OrderProblem::DoNotCommute { overlays, why });
            }
        }
    }
    problems
}

/// How `second` lands elsewhere when `first` is in the text already; `None` where it does not.
fn moved_by(first: &Overlay, second: &Overlay, texts: &Texts) -> Option<String> {
    let carried = carry_one(first, texts);
    if carried.files.is_empty() {
        return None;
    }
    let mut patched = texts.clone();
    let macros = macros(&[first.clone(), second.clone()]);
    for file in &carried.files {
        let parsed = Arc::new(Parsed::new(&file.bytes, &macros));
        patched.insert(file.path.clone(), BlobId::of(&file.bytes), parsed);
    }
    for hunk in &second.hunks {
        let Ok(before) = select(second, hunk, texts) else {
            continue;
        };
        let name = format!("{}/{}", second.id, hunk.id);
        match select(second, hunk, &patched) {
            Err(_) => {
                return Some(format!(
                    "{name} does not land once {} is in the file",
                    first.id
                ));
            }
            Ok(after) => {
                let same = before
                    .iter()
                    .zip(&after)
                    .all(|(a, b)| same_place(a, b, &carried));
                if !same {
                    return Some(format!(
                        "{name} lands elsewhere once {} is in the file",
                        first.id
                    ));
                }
            }
        }
    }
    None
}

fn carry_one<'o>(overlay: &'o Overlay, texts: &Texts) -> Carried<'o> {
    carry(&[overlay], texts)
}

fn same_place(before: &LocatedEdit<'_>, after: &LocatedEdit<'_>, carried: &Carried<'_>) -> bool {
    let file = carried
        .files
        .iter()
        .find(|file| file.path == before.edit.file);
    let splices: &[Splice] = file.map(|file| file.splices.as_slice()).unwrap_or_default();
    match (&before.place, &after.place) {
        (None, None) => true,
        (Some(before), Some(after)) => match (&before.at, &after.at) {
            (At::Insert(a), At::Insert(b)) => moved(*a, splices) == *b,
            (At::Replace(a), At::Replace(b)) => moved(a.start, splices) == b.start,
            _ => false,
        },
        _ => false,
    }
}

fn moved(offset: usize, splices: &[Splice]) -> usize {
    let before = splices
        .iter()
        .filter(|splice| (splice.offset as usize) < offset);
    offset + before.map(|splice| splice.text.len()).sum::<usize>()
}
