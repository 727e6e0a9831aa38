//! From overlays as they landed to faulty ones.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use camino::Utf8PathBuf;
use patchctl_apply::{BlobId, Splice, SpliceError};

use crate::cpp::{Parsed, lex};
use crate::patch::{PatchedFile, Texts};

use super::change::{Change, changes};
use super::operator::Operator;
use super::own::{Own, own_texts};

/// An overlay with one fault in it, on a tree.
#[derive(Debug, Clone)]
pub struct Mutant {
    /// `overlay/hunk.edit`; `overlay/hunk` where the hunk is left out.
    pub place: String,
    /// The kind of fault.
    pub operator: Operator,
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

/// Makes every fault there is in the edits that landed in `files`. Two that come to the same tokens are made once, and
/// none that comes to the right ones.
///
/// # Errors
/// When splices do not fit upstream's text, which those of a carried overlay do.
pub fn mutants(
    files: &[PatchedFile],
    texts: &Texts,
    macros: &[String],
) -> Result<Vec<Mutant>, SpliceError> {
    let mut seen = BTreeSet::from([fingerprint(files)]);
    let mut out = Vec::new();
    let mut keep = |mutant: Mutant| {
        if seen.insert(fingerprint(&mutant.files)) {
            out.push(mutant);
        }
    };
    let order = parts(files);
    // A hunk with one edit is called by the edit's name.
    let (edits, hunks): (Vec<_>, Vec<_>) = order
        .iter()
        .partition(|(_, operator)| *operator == Operator::DropEdit);
    for (place, operator) in edits.into_iter().chain(hunks) {
        keep(left_out(files, texts, place.clone(), *operator)?);
    }
    for (index, file) in files.iter().enumerate() {
        let patched = Parsed::new(&file.bytes, macros);
        let own = own_texts(&file.splices);
        let ranges: Vec<Range<usize>> = own.iter().map(|own| own.patched.clone()).collect();
        for one in &own {
            for change in changes(&patched, &one.patched, &ranges) {
                if let Some(mutant) = changed(files, texts, index, one, &change)? {
                    keep(mutant);
                }
            }
        }
    }
    let rank = |mutant: &Mutant| {
        let place = order.iter().position(|(place, _)| *place == mutant.place);
        (place, mutant.line)
    };
    out.sort_by_key(rank);
    Ok(out)
}

/// Every hunk and every edit, in the order of the text.
fn parts(files: &[PatchedFile]) -> Vec<(String, Operator)> {
    let mut out: Vec<(String, Operator)> = Vec::new();
    for splice in files.iter().flat_map(|file| &file.splices) {
        let hunk = splice.edit.split('.').next().unwrap_or_default();
        for part in [
            (hunk.to_owned(), Operator::DropHunk),
            (splice.edit.clone(), Operator::DropEdit),
        ] {
            if !out.contains(&part) {
                out.push(part);
            }
        }
    }
    out
}

fn left_out(
    files: &[PatchedFile],
    texts: &Texts,
    place: String,
    operator: Operator,
) -> Result<Mutant, SpliceError> {
    let (whole, what) = match operator {
        Operator::DropHunk => (format!("{place}."), "the hunk is left out"),
        _ => (place.clone(), "the edit is left out"),
    };
    let is_kept = |splice: &Splice| match operator {
        Operator::DropHunk => !splice.edit.starts_with(&whole),
        _ => splice.edit != whole,
    };
    let files = files.iter().map(|file| {
        let kept = file.splices.iter().filter(|splice| is_kept(splice));
        with_splices(file, texts, kept.cloned().collect())
    });
    Ok(Mutant {
        place,
        operator,
        line: None,
        what: what.to_owned(),
        was: String::new(),
        now: String::new(),
        files: files.collect::<Result<_, _>>()?,
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
            // What cannot be read is itself.
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
