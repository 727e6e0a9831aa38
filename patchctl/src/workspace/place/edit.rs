//! Rewrites the pin in other files: the value's bytes, and not one else.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};

use super::super::Pin;
use super::find::{PinValue, find, read};
use super::model::{PinPlace, PinPlaces};
use crate::report::{Code, Finding};

/// A file with the pin rewritten.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rewrite {
    /// The file, relative to the root.
    pub file: Utf8PathBuf,
    /// Its bytes as they were read: it is to be written only where they are still so.
    pub read: Vec<u8>,
    /// Its new bytes.
    pub bytes: Vec<u8>,
    /// The changes, a line each: `CMakeLists.txt:12: v0.32.0 -> v0.32.2`.
    pub changes: Vec<String>,
}

/// Gives the files that a bump to `pin` writes besides the pins and the lock: those of the authority and of the `write`
/// places that have another value. Nothing is written here.
///
/// # Errors
/// Every place that cannot be rewritten.
pub fn rewrites(
    root: &Utf8Path,
    places: &PinPlaces,
    pin: &Pin,
) -> Result<Vec<Rewrite>, Vec<Finding>> {
    let mut errors = Vec::new();
    let mut files: BTreeMap<&Utf8Path, Vec<&PinPlace>> = BTreeMap::new();
    for place in places.authority.iter().chain(&places.write) {
        files.entry(&place.file).or_default().push(place);
    }
    let mut rewrites = Vec::new();
    for (file, places) in files {
        let bytes = read(root, file).map_err(|fault| vec![*fault]);
        match bytes.and_then(|bytes| rewrite(file, &bytes, &places, pin)) {
            Ok(rewrite) => rewrites.extend(rewrite),
            Err(more) => errors.extend(more),
        }
    }
    if errors.is_empty() {
        Ok(rewrites)
    } else {
        Err(errors)
    }
}

/// One file; `None` where every value is right already.
fn rewrite(
    file: &Utf8Path,
    bytes: &[u8],
    places: &[&PinPlace],
    pin: &Pin,
) -> Result<Option<Rewrite>, Vec<Finding>> {
    let mut errors = Vec::new();
    let mut values: Vec<(PinValue, String)> = Vec::new();
    for place in places {
        match value(place, bytes, pin) {
            Ok(value) => values.push(value),
            Err(error) => errors.push(*error),
        }
    }
    values.sort_by_key(|(found, _)| found.range.start);
    values.dedup();
    for pair in values.windows(2) {
        if pair[1].0.range.start < pair[0].0.range.end {
            let message = "two places name this value in different forms";
            errors.push(
                Finding::new(Code::PlaceOverlap, message)
                    .file(file)
                    .line(pair[1].0.line)
                    .help("keep one of them in patchctl.yaml"),
            );
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    values.retain(|(found, new)| found.value != *new);
    if values.is_empty() {
        return Ok(None);
    }
    let mut written = bytes.to_vec();
    for (found, new) in values.iter().rev() {
        written.splice(found.range.clone(), new.bytes());
    }
    let lost = places.iter().filter_map(|place| lost(place, &written, pin));
    errors.extend(lost);
    if !errors.is_empty() {
        return Err(errors);
    }
    let change = |(found, new): &(PinValue, String)| {
        format!("{file}:{}: {} -> {new}", found.line, found.value)
    };
    Ok(Some(Rewrite {
        file: file.to_owned(),
        read: bytes.to_vec(),
        changes: values.iter().map(change).collect(),
        bytes: written,
    }))
}

/// The place's value, and the one that it should have.
fn value(place: &PinPlace, bytes: &[u8], pin: &Pin) -> Result<(PinValue, String), Box<Finding>> {
    let found = find(place, bytes)?;
    let new = place.form.text(pin).ok_or_else(|| {
        let (release, expected) = (&pin.release, place.form.expected());
        let message =
            format!("the pin {release} is no release, so it cannot be written as {expected}");
        Finding::new(Code::PlaceNoRelease, message)
            .file(&*place.file)
            .help("write `form: commit` in patchctl.yaml")
    })?;
    Ok((found, new))
}

/// The finding of a place that no longer leads to the pin: a regular expression can be too narrow for the next release.
fn lost(place: &PinPlace, written: &[u8], pin: &Pin) -> Option<Finding> {
    let value = place.form.text(pin)?;
    let line = match find(place, written) {
        Ok(found) if found.value == value => return None,
        Ok(found) => found.line,
        Err(fault) => fault.line.unwrap_or(1),
    };
    let message = format!("{} does not find `{value}` once it is written", place.way);
    Some(
        Finding::new(Code::PlaceLost, message)
            .file(place.file.as_path())
            .line(line)
            .help("make the expression in patchctl.yaml match every release"),
    )
}
