//! One file's splices.

use patchctl_apply::{BlobId, Splice, SpliceError, splice};

use crate::tree_case::{DEVICE, locked};

fn at(offset: u64, length: u64, text: &str) -> Splice {
    Splice {
        edit: format!("o/h.{offset}"),
        line: 1,
        offset,
        length,
        text: text.to_owned(),
    }
}

#[test]
fn splices_insert_and_replace_in_one_pass() {
    let spliced = |splices: &[Splice]| {
        splice("a", b"0123456789", splices).map(|bytes| String::from_utf8(bytes).unwrap())
    };
    assert_eq!(spliced(&[]).unwrap(), "0123456789");
    let several = [
        at(0, 0, "a"),
        at(2, 3, "b"),
        at(5, 0, "c"),
        at(5, 0, "d"),
        at(10, 0, "e"),
    ];
    assert_eq!(spliced(&several).unwrap(), "a01bcd56789e");
    assert_eq!(spliced(&[at(0, 10, "")]).unwrap(), "");
}

#[test]
fn splices_out_of_order_or_range_are_refused() {
    let error = |splices: &[Splice]| splice("a", b"0123456789", splices).unwrap_err();
    assert!(matches!(
        error(&[at(5, 0, ""), at(4, 0, "")]),
        SpliceError::Order { .. }
    ));
    assert!(matches!(
        error(&[at(2, 3, ""), at(4, 0, "")]),
        SpliceError::Order { .. }
    ));
    for splice in [at(11, 0, ""), at(8, 3, ""), at(u64::MAX, 1, "")] {
        assert!(matches!(
            error(&[splice]),
            SpliceError::Range { size: 10, .. }
        ));
    }
}

#[test]
fn a_file_that_is_not_the_locks_is_not_patched() {
    let file = locked("a", DEVICE, "o/h.1", "x\n");
    assert_eq!(BlobId::of(&file.patch(DEVICE).unwrap()), file.after);
    let error = file.patch(b"other").unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "a is not upstream's file: expected blob {}, found {}",
            BlobId::of(DEVICE),
            BlobId::of(b"other")
        )
    );
}
