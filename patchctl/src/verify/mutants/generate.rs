//! From overlays as they landed to faulty ones.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use camino::Utf8PathBuf;
use patchctl_apply::{BlobId, Splice, SpliceError};

use crate::cpp::{Parsed, Reading, lex};
use crate::overlay::Overlay;
use crate::patch::{PatchedFile, Texts};
use crate::toolchain::ToolError;
use crate::verify::PatchedTree;

use super::walk::{Change, changes};

/// The kind of fault in which all edits of a hunk are left out.
pub const DROP_HUNK: &str = "drop-hunk";
/// The kind of fault in which one edit is left out.
pub const DROP_EDIT: &str = "drop-edit";

/// An overlay with one fault in it, on a tree.
#[derive(Debug, Clone)]
pub struct Mutant {
    /// `overlay/hunk.edit`; `overlay/hunk` where the hunk is left out.
    pub place: String,
    /// The kind of fault, kebab-case.
    pub operator: &'static str,
    /// 1-based line of the edit's text; none where all of it is left out.
    pub line: Option<usize>,
    /// The fault in a few words: '`a > b` became `a < b`'.
    pub what: String,
    /// The lines that changed, as they were; for an edit or hunk that is left out, none.
    pub was: String,
    /// The same lines with the fault.
    pub now: String,
    /// Every patched file of the tree, as it is with the fault.
    pub files: Vec<PatchedFile>,
}

/// Makes the mutants of a tree's overlays.
///
/// # Errors
/// When a file of the tree cannot be read, or is not the one that the overlays were carried onto.
pub fn mutants_of(tree: PatchedTree<'_>) -> Result<Vec<Mutant>, ToolError> {
    let texts = tree.upstream_texts()?;
    mutants(tree.files, &texts, tree.overlays)
        .map_err(|error| ToolError::unusable(tree.root, &error))
}

/// Makes every fault there is in the edits of `overlays` that landed in `files`. Two that come to the same tokens are made once, and
/// none that comes to the right ones.
///
/// # Errors
/// When splices do not fit upstream's text, which those of a carried overlay do.
pub fn mutants(
    files: &[PatchedFile],
    texts: &Texts,
    overlays: &[&Overlay],
) -> Result<Vec<Mutant>, SpliceError> {
    let mut all = Vec::new();
    // A hunk with one edit is called by the edit's name.
    let splices = || files.iter().flat_map(|file| &file.splices);
    for splice in splices() {
        all.push(left_out(files, texts, &splice.edit, DROP_EDIT)?);
    }
    for splice in splices() {
        all.push(left_out(files, texts, hunk_of(&splice.edit), DROP_HUNK)?);
    }
    for (index, file) in files.iter().enumerate() {
        let own = own_texts(&file.splices);
        let ranges: Vec<Range<usize>> = own.iter().map(|own| own.patched.clone()).collect();
        let mut readings: HashMap<Reading, Parsed> = HashMap::new();
        for one in &own {
            let edit = &file.splices[one.splice].edit;
            let overlay = overlays.iter().find(|it| it.has(edit));
            let reading = match overlay {
                Some(overlay) => overlay.reading(&file.path),
                None => Reading::of(&file.path),
            };
            let patched = readings.entry(reading);
            let patched = patched.or_insert_with_key(|reading| Parsed::new(&file.bytes, reading));
            for change in changes(patched, &one.patched, &ranges) {
                all.extend(changed(files, texts, index, one, &change)?);
            }
        }
    }
    let mut seen = BTreeSet::from([fingerprint(files)]);
    all.retain(|mutant| seen.insert(fingerprint(&mutant.files)));
    // In the order of the text, each hunk before its edits.
    all.sort_by_cached_key(|mutant| {
        let is_place = |edit: &str| edit == mutant.place || hunk_of(edit) == mutant.place;
        let place = splices().position(|splice| is_place(&splice.edit));
        (place, mutant.operator != DROP_HUNK, mutant.line)
    });
    Ok(all)
}

fn hunk_of(edit: &str) -> &str {
    edit.split('.').next().unwrap_or_default()
}

fn left_out(
    files: &[PatchedFile],
    texts: &Texts,
    place: &str,
    operator: &'static str,
) -> Result<Mutant, SpliceError> {
    let (what, is_left_out): (_, &dyn Fn(&str) -> bool) = match operator {
        DROP_HUNK => ("the hunk is left out", &|edit| hunk_of(edit) == place),
        _ => ("the edit is left out", &|edit| edit == place),
    };
    let files = files.iter().map(|file| {
        let mut kept = file.splices.clone();
        kept.retain(|splice| !is_left_out(&splice.edit));
        with_splices(file, texts, kept)
    });
    let files = files.collect::<Result<_, _>>()?;
    Ok(Mutant {
        place: place.to_owned(),
        operator,
        line: None,
        what: what.to_owned(),
        was: String::new(),
        now: String::new(),
        files,
    })
}

fn changed(
    files: &[PatchedFile],
    texts: &Texts,
    index: usize,
    own: &Own,
    change: &Change,
) -> Result<Option<Mutant>, SpliceError> {
    let file = &files[index];
    let splice = &file.splices[own.splice];
    let text = &splice.text[own.inside.clone()];
    // The tree may count a line's end to a preprocessor line, and nothing else that lies outside.
    let within = |at: usize| {
        at.clamp(own.patched.start, own.patched.end)
            .saturating_sub(own.patched.start)
    };
    let range = within(change.range.start)..within(change.range.end);
    let shown =
        within(change.shown.start).min(range.start)..within(change.shown.end).max(range.end);
    // A node of code that cannot be read may end inside of a character.
    let ends = [range.start, range.end, shown.start, shown.end];
    if !ends.iter().all(|&end| text.is_char_boundary(end)) {
        return Ok(None);
    }
    let mut faulty = text.to_owned();
    faulty.replace_range(range.clone(), &change.new);
    let mut splices = file.splices.clone();
    splices[own.splice]
        .text
        .replace_range(own.inside.clone(), &faulty);
    let mut all = files.to_vec();
    all[index] = with_splices(file, texts, splices)?;
    let first = text[..range.start].rfind('\n').map_or(0, |feed| feed + 1);
    let rest = text[range.end..].find('\n');
    let last = rest.map_or(text.len(), |feed| range.end + feed);
    let moved = faulty.len() as isize - text.len() as isize;
    Ok(Some(Mutant {
        place: splice.edit.clone(),
        operator: change.operator,
        line: Some(text[..range.start].matches('\n').count() + 1),
        what: in_words(text, &range, &change.new, &shown),
        was: text[first..last.max(first)].to_owned(),
        now: faulty[first..last.saturating_add_signed(moved).max(first)].to_owned(),
        files: all,
    }))
}

fn in_words(text: &str, range: &Range<usize>, new: &str, shown: &Range<usize>) -> String {
    if new.is_empty() || new == ";" {
        return format!("`{}` is left out", clipped(&text[range.clone()]));
    }
    let before = &text[shown.start..range.start];
    let whole = squeezed(&format!("{before}{new}{}", &text[range.end..shown.end]));
    if whole.chars().count() <= MOST {
        return format!("`{}` became `{whole}`", clipped(&text[shown.clone()]));
    }
    // The whole is too long to be taken in: what changed must do.
    let new = clipped(new);
    match text[range.clone()].trim() {
        "" => format!("`{new}` is put in"),
        was => format!("`{}` became `{new}`", clipped(was)),
    }
}

/// As many characters can be taken in at a glance.
const MOST: usize = 60;

fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn clipped(text: &str) -> String {
    let squeezed = squeezed(text);
    if squeezed.chars().count() <= MOST {
        return squeezed;
    }
    let start: String = squeezed.chars().take(MOST - 2).collect();
    format!("{start} …")
}

fn with_splices(
    file: &PatchedFile,
    texts: &Texts,
    splices: Vec<Splice>,
) -> Result<PatchedFile, SpliceError> {
    let upstream = texts.get(&file.path).map(|text| text.parsed.text());
    let bytes = patchctl_apply::splice(file.path.as_str(), upstream.unwrap_or_default(), &splices)?;
    Ok(PatchedFile {
        path: file.path.clone(),
        before: file.before.clone(),
        after: BlobId::of(&bytes),
        bytes,
        splices,
    })
}

/// The tokens that are added at each place: white space, comments and markers make no other program.
fn fingerprint(files: &[PatchedFile]) -> BTreeMap<Utf8PathBuf, Vec<(u64, Vec<String>)>> {
    let of = |file: &PatchedFile| {
        let mut all = Vec::new();
        for splice in &file.splices {
            // A text that cannot be read is one token.
            let tokens = match lex(splice.text.as_bytes()) {
                Ok(tokens) => tokens
                    .iter()
                    .map(|token| splice.text[token.range.clone()].to_owned())
                    .collect(),
                Err(_) => vec![splice.text.clone()],
            };
            if !tokens.is_empty() {
                all.push((splice.offset, tokens));
            }
        }
        all
    };
    files
        .iter()
        .map(|file| (file.path.clone(), of(file)))
        .collect()
}

/// The text of an edit in one splice.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Own {
    /// The splice, by its index.
    splice: usize,
    /// Its bytes in the splice's text.
    inside: Range<usize>,
    /// The same bytes in the patched file.
    patched: Range<usize>,
}

/// The own texts of a file's splices, in order; what a replacement keeps of upstream's has none.
fn own_texts(splices: &[Splice]) -> Vec<Own> {
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
