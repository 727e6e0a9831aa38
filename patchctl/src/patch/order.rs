//! Overlays in one file. Two that insert at one place need a declared order. Others must commute: each lands at the
//! same place whether or not the other is there. Where one says `after` the other, nothing is to be shown.

use patchctl_apply::Splice;

use crate::cpp::{self, Parsed};
use crate::overlay::Overlay;

use super::landing::Landing;
use super::locate::At;
use super::patched_file::{PatchedFile, write};
use super::select::{LocatedEdit, Problem, select};
use super::texts::Texts;

/// Finds overlays that insert at one place without an order between them.
pub fn undeclared<'o>(overlays: &[&Overlay], landings: &[Landing]) -> Vec<Problem<'o>> {
    let mut problems = Vec::new();
    for (index, one) in landings.iter().enumerate() {
        for other in &landings[index + 1..] {
            let is_there = |a: &Splice| other.splices().iter().any(|b| a.offset == b.offset);
            let touch = one.key.overlay != other.key.overlay
                && one.file == other.file
                && one.splices().iter().any(is_there);
            if touch && !is_declared(overlays, &one.key.overlay, &other.key.overlay) {
                problems.push(Problem::Undeclared {
                    one: one.key.name(),
                    other: other.key.name(),
                    file: one.file.clone(),
                    line: other.line,
                });
            }
        }
    }
    problems
}

/// Checks every two overlays that have no declared order. `located` and `landings` are their edits on `texts`.
pub(super) fn commute<'o>(
    overlays: &[&Overlay],
    located: &[LocatedEdit<'_>],
    landings: &[Landing],
    texts: &Texts,
) -> Vec<Problem<'o>> {
    let alone = overlays.iter();
    let alone: Vec<_> = alone
        .map(|overlay| patched_by(overlay, landings, texts))
        .collect();
    let clash = |first: usize, second: usize| {
        let (files, texts) = alone[first].as_ref()?;
        let second = overlays[second];
        second.hunks.iter().find_map(|hunk| {
            let before = located
                .iter()
                .filter(|it| it.overlay.id == second.id && it.hunk.id == hunk.id);
            let how = match select(second, hunk, texts) {
                Err(_) => "does not land",
                Ok(after) if before.zip(&after).all(|(a, b)| is_same(a, b, files)) => return None,
                Ok(_) => "lands elsewhere",
            };
            Some(format!(
                "{}/{} {how} once {} is in the file",
                second.id, hunk.id, overlays[first].id
            ))
        })
    };
    let mut problems = Vec::new();
    for one in 0..overlays.len() {
        for other in one + 1..overlays.len() {
            let (a, b) = (&overlays[one].id, &overlays[other].id);
            if !is_declared(overlays, a, b)
                && let Some(why) = clash(one, other).or_else(|| clash(other, one))
            {
                problems.push(Problem::DoNotCommute(a.clone(), b.clone(), why));
            }
        }
    }
    problems
}

/// The files that one overlay changes, and all texts with it put in; `None` where it changes none.
fn patched_by(
    overlay: &Overlay,
    landings: &[Landing],
    texts: &Texts,
) -> Option<(Vec<PatchedFile>, Texts)> {
    let own = landings.iter().filter(|it| it.key.overlay == overlay.id);
    let files = write(own, texts).ok().filter(|files| !files.is_empty())?;
    let mut patched = texts.clone();
    for file in &files {
        // Words that are this overlay's alone are in its own code, which the others read too.
        let hidden = hidden(file, overlay, texts);
        patched = patched.with(&file.path, &file.after, |reading| {
            match *reading == overlay.reading(&file.path) {
                true => Parsed::new(&file.bytes, reading),
                false => Parsed::new(&hidden, reading),
            }
        });
    }
    Some((files, patched))
}

/// The patched bytes with the words blanked in an overlay's own code that it has the parser not see.
fn hidden(file: &PatchedFile, overlay: &Overlay, texts: &Texts) -> Vec<u8> {
    let reading = overlay.reading(&file.path);
    let mut splices = file.splices.clone();
    for splice in &mut splices {
        let text = cpp::blanked(splice.text.as_bytes(), &reading);
        splice.text = String::from_utf8_lossy(&text).into_owned();
    }
    let upstream = texts.get(&file.path).map(|text| text.parsed.text());
    let bytes = patchctl_apply::splice(file.path.as_str(), upstream.unwrap_or_default(), &splices);
    bytes.unwrap_or_else(|_| file.bytes.clone())
}

/// Returns true if an edit has kept its place in `files`.
fn is_same(before: &LocatedEdit<'_>, after: &LocatedEdit<'_>, files: &[PatchedFile]) -> bool {
    let file = files.iter().find(|file| file.path == before.edit.file);
    let splices = file.map(|file| &*file.splices).unwrap_or_default();
    let moved = |offset: usize| {
        let before = splices.iter().filter(|it| (it.offset as usize) < offset);
        offset + before.map(|it| it.text.len()).sum::<usize>()
    };
    let at = |edit: &LocatedEdit<'_>| edit.location.as_ref().map(|it| it.at.clone());
    match (at(before), at(after)) {
        (None, None) => true,
        (Some(At::Insert(a)), Some(At::Insert(b))) => moved(a) == b,
        (Some(At::Replace(a)), Some(At::Replace(b))) => moved(a.start) == b.start,
        _ => false,
    }
}

/// Returns true if one of two overlays says that it comes after the other.
fn is_declared(overlays: &[&Overlay], a: &str, b: &str) -> bool {
    comes_after(overlays, a, b) || comes_after(overlays, b, a)
}

/// Returns true if overlay `a` says, itself or through others, that it comes after `b`.
fn comes_after(overlays: &[&Overlay], a: &str, b: &str) -> bool {
    let mut seen = vec![a];
    let mut next = 0;
    while let Some(&id) = seen.get(next) {
        let of_this = overlays.iter().filter(|overlay| overlay.id == id);
        for name in of_this.flat_map(|overlay| &overlay.after) {
            if name == b {
                return true;
            }
            if !seen.contains(&name.as_str()) {
                seen.push(name);
            }
        }
        next += 1;
    }
    false
}
