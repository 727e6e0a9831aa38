//! Which bytes of a patched file are an overlay's own: the text of its edits, without the marker lines around it.

use std::ops::Range;

use patchctl_apply::Splice;

/// The text of an edit in one splice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Own {
    /// The splice, by its index.
    pub(super) splice: usize,
    /// Its bytes in the splice's text.
    pub(super) inside: Range<usize>,
    /// The same bytes in the patched file.
    pub(super) patched: Range<usize>,
}

/// The own texts of a file's splices, in order; what a replacement keeps of upstream's has none.
pub(super) fn own_texts(splices: &[Splice]) -> Vec<Own> {
    let mut out = Vec::new();
    let mut grown = 0;
    let mut taken = 0;
    for (index, splice) in splices.iter().enumerate() {
        let start = splice.offset as usize + grown - taken;
        if let Some(inside) = inside(&splice.text) {
            out.push(Own {
                splice: index,
                patched: start + inside.start..start + inside.end,
                inside,
            });
        }
        grown += splice.text.len();
        taken += splice.length as usize;
    }
    out
}

/// Between the first marker line and the next. Nothing but a marker has the reserved word in it.
fn inside(text: &str) -> Option<Range<usize>> {
    const RESERVED: &str = "patchctl:";
    let first = text.find(RESERVED)?;
    let start = first + text[first..].find('\n')? + 1;
    let next = start + text[start..].find(RESERVED)?;
    let end = text[..next].rfind('\n').map_or(0, |feed| feed + 1);
    (start < end).then_some(start..end)
}
