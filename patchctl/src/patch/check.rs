//! The checks of level `structure` on a patched file: no new parse errors, take-off gives upstream's bytes
//! back, and the markers are the ones that the overlays write (so that a second run changes nothing).

use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};
use std::ops::Range;

use patchctl_apply::{BlobId, Splice, markers};

use crate::cpp::{Exceeded, Lines, Reading};
use crate::overlay::Overlay;
use crate::report::{Code, Finding};

use super::patched_file::PatchedFile;
use super::texts::Texts;

/// Checks one file that `overlays` patch against upstream's. Finds nothing where all is well.
pub fn structure(texts: &Texts, file: &PatchedFile, overlays: &[&Overlay]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let finding = |code: Code, message: String, help: &str| {
        Finding::new(code, message)
            .file(file.path.as_str())
            .help(help)
    };
    let bug = "this is a defect of patchctl: report it with the overlay and the release";
    match markers::take_off(&file.bytes) {
        Ok(off) => {
            let blob = BlobId::of(&off.bytes);
            if Some(&*off.bytes) != texts.get(&file.path).map(|text| text.parsed.text())
                || blob != file.before
            {
                let message = format!(
                    "taking the overlays off gives blob {blob}, upstream's is {}",
                    file.before
                );
                findings.push(finding(Code::TakeOffDiffers, message, bug));
            }
            let again = patchctl_apply::splice(file.path.as_str(), &off.bytes, &file.splices);
            if again.ok().as_ref() != Some(&file.bytes) {
                let message =
                    "applying the overlays a second time would change the file".to_owned();
                findings.push(finding(Code::NotIdempotent, message, bug));
            }
        }
        Err(error) => findings.push(finding(Code::TakeOffDiffers, error.to_string(), bug)),
    }
    let unreadable = match new_unreadable(texts, file, overlays) {
        Ok(unreadable) => unreadable,
        Err(exceeded) => {
            let message = format!("the patched text is not read: {exceeded}");
            let help = "the inserted code and upstream's together are too much: see docs/limits.md";
            findings.push(finding(Code::NewParseErrors, message, help));
            BTreeSet::new()
        }
    };
    for (start, _) in unreadable {
        let lines = Lines::of(&file.bytes);
        let line = lines.number(start);
        findings.push(finding(
                Code::NewParseErrors,
                format!("the patched text has a parse error in its line {line} that upstream's has not"),
                "look at the inserted code on this line: a brace, a semicolon or a macro that the parser \
                 does not know",
            ).excerpt(lossy(&file.bytes, lines.range(line))));
    }
    findings
}

/// Unreadable nodes of the patched text that are not upstream's own, moved by what was inserted. Each overlay's code is read
/// as that overlay reads the file.
fn new_unreadable(
    texts: &Texts,
    file: &PatchedFile,
    overlays: &[&Overlay],
) -> Result<BTreeSet<(usize, usize)>, Exceeded> {
    let moved = |offset: usize| {
        let before = file
            .splices
            .iter()
            .take_while(|splice| splice.offset as usize <= offset);
        offset + before.map(|splice| splice.text.len()).sum::<usize>()
    };
    let mut found = BTreeSet::new();
    let owner = |splice: &Splice| overlays.iter().find(|it| it.has(&splice.edit));
    let reading = |splice: &Splice| Some(owner(splice)?.reading(&file.path));
    let readings: Vec<Option<Reading>> = file.splices.iter().map(reading).collect();
    let mut seen: Vec<&Reading> = Vec::new();
    for splice in &file.splices {
        let Some(upstream) = owner(splice).and_then(|it| texts.parsed(&file.path, it)) else {
            continue;
        };
        if seen.contains(&upstream.reading()) {
            continue;
        }
        seen.push(upstream.reading());
        let insertions: Vec<(usize, Cow<'_, str>)> = (file.splices.iter().zip(&readings))
            .map(|(splice, reading)| {
                let text = match reading.as_ref() == Some(upstream.reading()) {
                    true => Cow::from(&splice.text),
                    false => Cow::from(empty_lines(&splice.text)),
                };
                (splice.offset as usize, text)
            })
            .collect();
        let old = upstream.unreadable_nodes();
        let old: HashSet<(usize, usize)> =
            old.iter().map(|r| (moved(r.start), moved(r.end))).collect();
        let new = upstream.unreadable_nodes_with(&insertions)?;
        let new = new.iter().map(|range| (range.start, range.end));
        found.extend(new.filter(|range| !old.contains(range)));
    }
    Ok(found)
}

/// A text of the same length whose lines are blank.
fn empty_lines(text: &str) -> String {
    let blank = text.bytes().map(|byte| match byte {
        b'\n' => '\n',
        _ => ' ',
    });
    blank.collect()
}

pub(super) fn lossy(text: &[u8], range: Range<usize>) -> String {
    String::from_utf8_lossy(&text[range])
        .trim_end_matches(['\r', '\n'])
        .to_owned()
}
