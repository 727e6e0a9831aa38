//! Compares a locked pin with the edits of the overlays, as far as that needs no byte of upstream: which edits there
//! are and in which file, their texts and markers, how they are ordered.

use std::collections::BTreeMap;

use patchctl_apply::markers::{self, Block, BlockError, Digest12, EditName};
use patchctl_apply::{LockedPin, Splice};

use crate::overlay::{Edit, EditText, Hunk, Overlay, Variant, edit_digest};

/// The levels that a lock can hold.
const LEVELS: [&str; 4] = ["structure", "compile", "run", "mutants"];

/// A splice with the file that it goes into.
type InFile<'a> = (&'a str, &'a Splice);

/// Returns every contradiction between a pin's splices and the edits of the overlays that are as they were locked.
pub(super) fn contradictions(pin: &LockedPin, overlays: &[&Overlay]) -> Vec<String> {
    let mut found = Vec::new();
    let mut by_hunk: BTreeMap<(String, String), Vec<InFile<'_>>> = BTreeMap::new();
    for file in &pin.files {
        if file.splices.is_empty() {
            found.push(format!("{} has no splice", file.path));
        }
        found.extend(file.splices.windows(2).filter_map(out_of_order));
        for splice in &file.splices {
            if splice.length != 0 {
                found.push(format!(
                    "{} takes {} bytes of {} away, which no edit does",
                    splice.edit, splice.length, file.path
                ));
            }
            if splice.line == 0 || splice.line - 1 > splice.offset {
                found.push(format!(
                    "{} cannot stand at line {} and byte {}",
                    splice.edit, splice.line, splice.offset
                ));
            }
            match EditName::parse(&splice.edit) {
                Ok(name) if pin.overlays.iter().any(|it| it.id == name.overlay()) => {
                    let hunk = (name.overlay().to_owned(), name.hunk().to_owned());
                    by_hunk.entry(hunk).or_default().push((&file.path, splice));
                }
                Ok(name) => found.push(format!(
                    "{} is of overlay `{}`, which the pin does not list",
                    splice.edit,
                    name.overlay()
                )),
                Err(_) => found.push(format!("`{}` names no edit", splice.edit.escape_debug())),
            }
        }
    }
    for overlay in overlays {
        for hunk in &overlay.hunks {
            let locked = by_hunk.remove(&(overlay.id.clone(), hunk.id.clone()));
            found.extend(difference(overlay, hunk, &locked.unwrap_or_default()));
        }
        let unknown = by_hunk.keys().filter(|(id, _)| *id == overlay.id);
        found.extend(unknown.map(|(id, hunk)| format!("the overlay `{id}` has no hunk `{hunk}`")));
        found.extend(order(pin, overlay, overlays));
    }
    let levels = pin.proven.iter().map(|proven| &proven.level);
    let levels = levels.chain(&pin.lowered_from).map(String::as_str);
    let unknown = levels.filter(|level| !LEVELS.contains(level));
    found.extend(unknown.map(|level| format!("`{level}` is no level of proof")));
    found
}

/// Splices stand in the order of their offsets, and lines grow with them.
fn out_of_order(pair: &[Splice]) -> Option<String> {
    let [one, other] = pair else { return None };
    let lines = other.line.checked_sub(one.line);
    let bytes = other.offset.checked_sub(one.offset);
    let fits = matches!((lines, bytes), (Some(0), Some(0)))
        || matches!((lines, bytes), (Some(lines), Some(bytes)) if (1..=bytes).contains(&lines));
    (!fits).then(|| {
        format!(
            "the places of {} and {} contradict each other",
            one.edit, other.edit
        )
    })
}

/// Returns the first difference between a hunk's splices and each of its variants, for the variant that is nearest.
fn difference(overlay: &Overlay, hunk: &Hunk, locked: &[InFile<'_>]) -> Option<String> {
    let mut nearest: Option<(usize, String)> = None;
    for variant in &hunk.variants {
        let why = of_variant(overlay, hunk, variant, locked)?;
        let known = |(_, splice): &&InFile<'_>| edit_of(overlay, hunk, variant, splice).is_some();
        let known = locked.iter().filter(known).count();
        if nearest.as_ref().is_none_or(|(most, _)| known > *most) {
            nearest = Some((known, why));
        }
    }
    nearest.map(|(_, why)| why)
}

fn edit_of<'o>(
    overlay: &Overlay,
    hunk: &Hunk,
    variant: &'o Variant,
    splice: &Splice,
) -> Option<&'o Edit> {
    let named = |edit: &&Edit| splice.edit == name(overlay, hunk, edit);
    variant.edits.iter().find(named)
}

fn name(overlay: &Overlay, hunk: &Hunk, edit: &Edit) -> String {
    format!("{}/{}.{}", overlay.id, hunk.id, edit.id)
}

/// Returns the first difference between a variant and the splices, if there is one.
fn of_variant(
    overlay: &Overlay,
    hunk: &Hunk,
    variant: &Variant,
    locked: &[InFile<'_>],
) -> Option<String> {
    let unknown = locked
        .iter()
        .find(|(_, splice)| edit_of(overlay, hunk, variant, splice).is_none());
    if let Some((_, splice)) = unknown {
        return Some(format!("the overlay has no edit {}", splice.edit));
    }
    for edit in &variant.edits {
        let name = name(overlay, hunk, edit);
        let of_it: Vec<InFile<'_>> = locked
            .iter()
            .filter(|(_, it)| it.edit == name)
            .copied()
            .collect();
        if let Some((path, _)) = of_it.iter().find(|(path, _)| edit.file != *path) {
            return Some(format!(
                "{name} is of {}, the lock has it in {path}",
                edit.file
            ));
        }
        let Ok(texts) = texts(overlay, hunk, edit) else {
            continue;
        };
        if of_it.is_empty() {
            if edit.unless.is_none() {
                return Some(format!("the lock lacks {name}"));
            }
            continue;
        }
        let (has, makes) = (of_it.len(), texts.len());
        if has != makes {
            return Some(format!(
                "the lock has {name} in {has} pieces, the edit makes {makes}"
            ));
        }
        let locked: Vec<String> = of_it
            .iter()
            .map(|(_, splice)| plain(&splice.text))
            .collect();
        if !locked.iter().eq(texts.iter().map(|text| text.trim_end())) {
            let has = locked[0].lines().next().unwrap_or_default();
            return Some(match Some(has) == texts[0].lines().next() {
                true => format!("the text of {name} is not the edit's"),
                false => {
                    let has = has.escape_debug();
                    format!("the marker of {name} is not the edit's: `{has}`")
                }
            });
        }
    }
    None
}

/// The texts that an edit's splices have, with line feeds: markers are part of them.
fn texts(overlay: &Overlay, hunk: &Hunk, edit: &Edit) -> Result<Vec<String>, BlockError> {
    let block = Block {
        edit: EditName::new(&overlay.id, &hunk.id, &edit.id)?,
        digest: Digest12::first_of(&edit_digest(&overlay.id, &hunk.id, edit))?,
        comment: overlay.reading(&edit.file).dialect.comment(),
    };
    // Any text of whole lines will do: of upstream, a splice's text depends on line ends alone.
    let upstream = b"x\n";
    Ok(match &edit.text {
        EditText::Insert(text) => vec![markers::insertion(upstream, 0, &block, text)?.text],
        EditText::Replace(text) => {
            let splices = markers::replacement(upstream, 0..upstream.len(), &block, text)?;
            splices.map(|splice| splice.text).into()
        }
    })
}

/// A splice's text without what depends on upstream: CRLF, and the end of a last line that has none.
fn plain(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    let text = text.strip_prefix('\n').unwrap_or(&text);
    text.trim_end().to_owned()
}

/// Insertions at one place stand in the order of overlays, hunks and edits.
fn order(pin: &LockedPin, overlay: &Overlay, overlays: &[&Overlay]) -> Option<String> {
    let mut wanted = Vec::new();
    for overlay in overlays {
        for hunk in &overlay.hunks {
            let edits = hunk.variants.iter().flat_map(|variant| &variant.edits);
            let inserted = edits.filter(|edit| matches!(edit.text, EditText::Insert(_)));
            wanted.extend(inserted.map(|edit| name(overlay, hunk, edit)));
        }
    }
    let rank = |splice: &Splice| wanted.iter().position(|name| *name == splice.edit);
    let own = format!("{}/", overlay.id);
    let mut pairs = pin.files.iter().flat_map(|file| file.splices.windows(2));
    let pair = pairs.find(|pair| {
        pair[0].offset == pair[1].offset
            && pair[0].edit.starts_with(&own)
            && matches!((rank(&pair[0]), rank(&pair[1])), (Some(one), Some(other)) if one >= other)
    })?;
    Some(format!(
        "{} stands before {}, the overlays want it behind",
        pair[0].edit, pair[1].edit
    ))
}
