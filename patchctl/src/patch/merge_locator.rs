//! The second locator: where a three-way merge puts an edit. It knows lines and nothing of C++, so it errs
//! in other places than the anchors do.

use git2::{Buf, MergeFileInput, MergeFileOptions, merge_file};
use patchctl_apply::Splice;

/// Merges the insertion of `pieces` (of one edit, made on `base`) with upstream's change from `base` to `new`, and gives
/// the byte offset of each in `new`; `None` where the changes conflict, which proves nothing.
///
/// # Errors
/// When no merge can be made: binary data, no memory.
pub fn merge(
    base: &[u8],
    pieces: &[Splice],
    new: &[u8],
) -> Result<Option<Vec<usize>>, git2::Error> {
    if base == new {
        return Ok(Some(offsets(pieces)));
    }
    let Ok(ours) = patchctl_apply::splice("base", base, pieces) else {
        return Ok(None);
    };
    Ok(merged(base, &ours, new)?.and_then(|merged| find(&merged, pieces, new)))
}

/// The byte offsets of pieces.
pub(super) fn offsets(pieces: &[Splice]) -> Vec<usize> {
    pieces.iter().map(|piece| piece.offset as usize).collect()
}

/// The merged text; `None` where the changes conflict.
fn merged(base: &[u8], ours: &[u8], theirs: &[u8]) -> Result<Option<Vec<u8>>, git2::Error> {
    // git2 0.21's `merge_file` does not start libgit2 itself, as everything that makes an object does.
    drop(Buf::new());
    let [mut a, mut o, mut t] = [
        MergeFileInput::new(),
        MergeFileInput::new(),
        MergeFileInput::new(),
    ];
    a.content(base);
    o.content(ours);
    t.content(theirs);
    let result = merge_file(&a, &o, &t, Some(&mut MergeFileOptions::new()))?;
    Ok(result.is_automergeable().then(|| result.content().to_vec()))
}

/// The offsets of the pieces, taken out of the merged text again; what is left must be upstream's.
fn find(merged: &[u8], pieces: &[Splice], new: &[u8]) -> Option<Vec<usize>> {
    let (mut rest, mut offsets, mut from) = (Vec::with_capacity(new.len()), Vec::new(), 0);
    for piece in pieces {
        // A piece holds a marker line with its own digest: it stands once.
        let at = memchr::memmem::find(&merged[from..], piece.text.as_bytes())?;
        rest.extend_from_slice(&merged[from..from + at]);
        offsets.push(rest.len());
        from += at + piece.text.len();
    }
    rest.extend_from_slice(&merged[from..]);
    (rest == new).then_some(offsets)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: &[u8] = b"a\nb\nc\nd\ne\nf\ng\nh\n";

    fn piece(offset: u64, text: &str) -> Splice {
        Splice {
            edit: "o/h.1".to_owned(),
            line: 1,
            offset,
            length: 0,
            text: text.to_owned(),
        }
    }

    fn put(base: &[u8], offset: u64, new: &[u8]) -> Option<Vec<usize>> {
        merge(base, &[piece(offset, "// mark\nX\n")], new).unwrap()
    }

    #[test]
    fn lines_added_above_move_the_place() {
        let new = b"0\n1\na\nb\nc\nd\ne\nf\ng\nh\n";
        assert_eq!(put(BASE, 10, new), Some(vec![14]));
    }

    #[test]
    fn equal_texts_need_no_merge() {
        assert_eq!(put(BASE, 10, BASE), Some(vec![10]));
    }

    #[test]
    fn a_change_of_the_same_lines_is_a_conflict() {
        assert_eq!(put(BASE, 10, b"a\nb\nc\nd\nE\nF\ng\nh\n"), None);
    }

    #[test]
    fn both_halves_of_a_replacement_are_found() {
        let pieces = [piece(4, "// begin\n"), piece(6, "// end\n")];
        let new = b"a\nb\nc\nd\ne\nf\ng\nH\n";
        assert_eq!(merge(BASE, &pieces, new).unwrap(), Some(vec![4, 6]));
    }

    #[test]
    fn a_piece_past_the_end_is_no_proof() {
        assert_eq!(put(BASE, 99, b"x\n"), None);
    }
}
