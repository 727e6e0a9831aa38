//! The checks of level `structure` on a patched file: no new parse errors, take-off gives upstream's bytes
//! back, and the markers are the ones that the overlays write (so that a second run changes nothing).

use std::collections::HashSet;
use std::ops::Range;

use patchctl_apply::{BlobId, markers};

use crate::cpp::{Exceeded, Lines, Parsed};
use crate::report::{Code, Finding};

use super::patched_file::PatchedFile;

/// Checks one patched file against upstream's. Finds nothing where all is well.
pub fn structure(upstream: &Parsed, file: &PatchedFile, macros: &[String]) -> Vec<Finding> {
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
            if off.bytes != upstream.text() || blob != file.before {
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
    let unreadable = match new_unreadable(upstream, file, macros) {
        Ok(unreadable) => unreadable,
        Err(exceeded) => {
            let message = format!("the patched text is not read: {exceeded}");
            let help = "the inserted code and upstream's together are too much: see docs/limits.md";
            findings.push(finding(Code::NewParseErrors, message, help));
            Vec::new()
        }
    };
    for range in unreadable {
        let lines = Lines::of(&file.bytes);
        let line = lines.number(range.start);
        findings.push(finding(
                Code::NewParseErrors,
                format!("the patched text has a parse error in its line {line} that upstream's has not"),
                "look at the inserted code on this line: a brace, a semicolon or a macro that the parser \
                 does not know",
            ).excerpt(lossy(&file.bytes, lines.range(line))));
    }
    findings
}

/// Unreadable nodes of the patched text that are not upstream's own, moved by what was inserted.
fn new_unreadable(
    upstream: &Parsed,
    file: &PatchedFile,
    macros: &[String],
) -> Result<Vec<Range<usize>>, Exceeded> {
    let moved = |offset: usize| {
        let before = file
            .splices
            .iter()
            .take_while(|splice| splice.offset as usize <= offset);
        offset + before.map(|splice| splice.text.len()).sum::<usize>()
    };
    let old = upstream.unreadable_nodes();
    let old: HashSet<Range<usize>> = old.iter().map(|r| moved(r.start)..moved(r.end)).collect();
    let insertions: Vec<(usize, &str)> = file
        .splices
        .iter()
        .map(|splice| (splice.offset as usize, splice.text.as_str()))
        .collect();
    let mut new = upstream.unreadable_nodes_with(&insertions, macros)?;
    new.retain(|range| !old.contains(range));
    Ok(new)
}

pub(super) fn lossy(text: &[u8], range: Range<usize>) -> String {
    String::from_utf8_lossy(&text[range])
        .trim_end_matches(['\r', '\n'])
        .to_owned()
}
