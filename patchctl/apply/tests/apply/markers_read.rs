//! Blocks as they are found, and refused.

use patchctl_apply::markers::{
    Block, Comment, Digest12, EditName, Ending, MarkerError, NAME_LIMIT, begin_columns,
    has_markers, scan, take_off,
};

use crate::markers_written::{block, inserted};

#[test]
fn a_file_without_blocks_is_taken_off_as_it_is() {
    let bytes = b"// patchctl: prose, patchctl::names, http://patchctl:80\r\n";
    assert!(!has_markers(bytes));
    let off = take_off(bytes).unwrap();
    assert_eq!((off.bytes.as_slice(), off.blocks.len()), (&bytes[..], 0));
}

#[test]
fn a_scan_tells_names_digests_lines_and_endings() {
    let patched = inserted(b"a\r\nb\n", 3, "x\ny\n");
    let found = scan(&patched).unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].block, block("o/h.1"));
    assert_eq!(found[0].lines, (2, 5));
    assert_eq!(found[0].ending, Ending::CrLf);
    assert_eq!(found[0].block.edit.overlay(), "o");
    assert_eq!(found[0].block.edit.hunk(), "h");
    assert_eq!(found[0].block.edit.edit(), "1");
}

#[test]
fn markers_of_a_block_have_one_comment_sign() {
    let text = "a\n# patchctl:begin o/h.1 0123456789ab\nx\n# patchctl:end o/h.1\nb\n";
    let off = take_off(text.as_bytes()).unwrap();
    assert_eq!(off.bytes, b"a\nb\n");
    assert_eq!(off.blocks[0].block.comment, Comment::Hash);
    assert_eq!(
        off.blocks[0].block.begin_line(),
        "# patchctl:begin o/h.1 0123456789ab"
    );
    let mixed = text.replace("# patchctl:end", "// patchctl:end");
    let error = scan(mixed.as_bytes()).unwrap_err();
    assert!(
        matches!(error, MarkerError::Misspelt { line: 4, .. }),
        "{error}"
    );
}

#[test]
fn markers_that_do_not_pair_are_errors_with_their_line() {
    let begin = "// patchctl:begin o/h.1 0123456789ab\n";
    let end = "// patchctl:end o/h.1\n";
    let (was, now, was_end) = (
        "#if 0 // patchctl:was\n",
        "#else // patchctl:now\n",
        "#endif // patchctl:was\n",
    );
    let error = |parts: &[&str]| scan(parts.concat().as_bytes()).unwrap_err();
    assert!(matches!(
        error(&["a\n", begin, "x\n"]),
        MarkerError::NoEnd { line: 2, .. }
    ));
    assert!(matches!(
        error(&["a\n", begin.trim_end()]),
        MarkerError::NoEnd { line: 2, .. }
    ));
    assert!(matches!(
        error(&["a\n", end]),
        MarkerError::NoBegin { line: 2, .. }
    ));
    assert!(matches!(
        error(&[begin, begin, end]),
        MarkerError::Nested {
            line: 2,
            outer_line: 1,
            ..
        }
    ));
    assert!(matches!(
        error(&[begin, "x\n", "// patchctl:end o/h.2\n"]),
        MarkerError::OtherEnd {
            line: 3,
            begun_line: 1,
            ..
        }
    ));
    for parts in [
        &[was][..],
        &[now],
        &[was_end],
        &[begin, "x\n", was, now, was_end, end],
        &[begin, was, "x\n", was_end, end],
        &[begin, was, "x\n", end],
        &[begin, was, "x\n", now, "y\n", end],
        &[begin, was, "x\n", now, "y\n", now, was_end, end],
        &[begin, was, "x\n", now, "y\n", was_end, "z\n", end],
    ] {
        assert!(
            matches!(error(parts), MarkerError::OutOfOrder { .. }),
            "{parts:?}"
        );
    }
}

#[test]
fn a_misspelt_marker_is_an_error() {
    for line in [
        "  // patchctl:end o/h.1",
        "// patchctl:end o/h.1 ",
        "// patchctl:ende o/h.1",
        "// patchctl:begin o/h.1",
        "// patchctl:begin o/h.1 0123456789AB",
        "// patchctl:begin o/h.1 0123456789ab 1",
        "// patchctl:begin o/h 0123456789ab",
        "//patchctl:begin o/h.1 0123456789ab",
        "x // patchctl:was",
        "#if 0  // patchctl:was",
        "// patchctl:end o/h.1\r",
    ] {
        let text = format!("\r\n{line}\r\n");
        let error = scan(text.as_bytes()).unwrap_err();
        assert!(
            matches!(error, MarkerError::Misspelt { line: 2, .. }),
            "{error}"
        );
    }
}

#[test]
fn a_newer_marker_format_is_refused_as_such() {
    let error = scan(b"// patchctl:begin1 o/h.1 x\n").unwrap_err();
    assert!(matches!(error, MarkerError::Misspelt { .. }), "{error}");
    for word in ["begin2 o/h.1 x", "end2", "was3", "now10"] {
        let text = format!("a\n// patchctl:{word}\n");
        let error = scan(text.as_bytes()).unwrap_err();
        assert!(
            matches!(error, MarkerError::NewerFormat { line: 2, .. }),
            "{error}"
        );
    }
}

#[test]
fn a_file_cut_before_its_last_block_is_an_error() {
    let text = "// patchctl:begin o/h.1 0123456789ab\nx\n// patchctl:end o/h.1";
    assert!(matches!(
        take_off(text.as_bytes()).unwrap_err(),
        MarkerError::Cut { line: 1, .. }
    ));
    let text = "a\n// patchctl:begin o/h.1 0123456789ab\r\nx\r\n// patchctl:end o/h.1";
    assert!(matches!(
        take_off(text.as_bytes()).unwrap_err(),
        MarkerError::Cut { line: 2, .. }
    ));
}

#[test]
fn endings_that_do_not_fit_together_are_errors_not_guesses() {
    // The second block's ending is a line feed, so the first would keep a carriage return.
    let text = "a\n// patchctl:begin o/h.1 0123456789ab\r\nx\r\n// patchctl:end o/h.1\r\n\
                // patchctl:begin o/h.2 0123456789ab\nx\n// patchctl:end o/h.2";
    assert!(matches!(
        take_off(text.as_bytes()).unwrap_err(),
        MarkerError::Cut { line: 2, .. }
    ));
    // Upstream's last line is gone from the replacement that kept it.
    let text = "a\n// patchctl:begin o/h.1 0123456789ab\n#if 0 // patchctl:was\n\
                #else // patchctl:now\n#endif // patchctl:was\n// patchctl:end o/h.1";
    assert!(matches!(
        take_off(text.as_bytes()).unwrap_err(),
        MarkerError::Cut { line: 2, .. }
    ));
}

#[test]
fn no_marker_line_is_longer_than_80_columns() {
    let edit = "e".repeat(NAME_LIMIT - 4);
    let longest = Block {
        edit: EditName::new("o", "h", &edit).unwrap(),
        digest: Digest12::first_of(&"a".repeat(64)).unwrap(),
        comment: Comment::default(),
    };
    assert_eq!(longest.begin_line().len(), 80);
    assert_eq!(begin_columns("o", "h", &edit), 80);
    let error = EditName::new("o", "h", &format!("{edit}ee")).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "`o/h.{edit}ee` makes a marker line of 82 columns, at most 80 are allowed: shorten the ids by 2"
        )
    );
}

#[test]
fn a_name_has_three_plain_parts() {
    for name in [
        "", "o", "o/h", "o/h.", "/h.1", "o/.1", "o/h.1.2", "o/p/h.1", "o/h.-1", "ö/h.1", "o/h .1",
    ] {
        assert!(EditName::parse(name).is_err(), "{name}");
    }
    for digest in [
        "",
        "0123456789a",
        "0123456789abc",
        "0123456789aB",
        "0123456789ag",
    ] {
        assert!(Digest12::new(digest).is_err(), "{digest}");
    }
}
