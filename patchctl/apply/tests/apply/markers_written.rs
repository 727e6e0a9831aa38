//! Blocks as they are written, and taken off again.

use patchctl_apply::Splice;
use patchctl_apply::markers::{
    Block, BlockError, Comment, Digest12, EditName, Kind, Placed, arrange, insertion, replacement,
    take_off,
};

pub fn block(name: &str) -> Block {
    Block {
        edit: EditName::parse(name).unwrap(),
        digest: Digest12::new("0123456789ab").unwrap(),
        comment: Comment::default(),
    }
}

pub fn spliced(upstream: &[u8], splices: &[Splice]) -> Vec<u8> {
    let mut bytes = upstream.to_vec();
    for splice in splices.iter().rev() {
        let at = splice.offset as usize;
        bytes.splice(at..at, splice.text.bytes());
    }
    bytes
}

pub fn inserted(upstream: &[u8], offset: usize, text: &str) -> Vec<u8> {
    let splice = insertion(upstream, offset, &block("o/h.1"), text).unwrap();
    spliced(upstream, &[splice])
}

fn shown(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn an_insertion_is_whole_lines_between_its_markers() {
    assert_eq!(
        shown(&inserted(b"a\nb\n", 2, "x\n\ny\n")),
        "a\n// patchctl:begin o/h.1 0123456789ab\nx\n\ny\n// patchctl:end o/h.1\nb\n"
    );
}

#[test]
fn a_splice_names_the_line_above_which_it_goes_in() {
    let line = |upstream: &[u8], offset| {
        let splice = insertion(upstream, offset, &block("o/h.1"), "x\n").unwrap();
        splice.line
    };
    assert_eq!(line(b"a\nb\n", 0), 1);
    assert_eq!(line(b"a\nb\n", 2), 2);
    assert_eq!(line(b"a\nb\n", 4), 3, "behind the last line");
    assert_eq!(line(b"a\nb", 3), 3, "behind a last line without a newline");
    assert_eq!(line(b"\xEF\xBB\xBFa\n", 0), 1);
    assert_eq!(line(b"", 0), 1);
    let [first, second] = replacement(b"a\nb\nc\n", 2..4, &block("o/h.1"), "x\n").unwrap();
    assert_eq!((first.line, second.line), (2, 3));
}

#[test]
fn an_insertion_takes_the_ending_of_the_line_before_it() {
    assert_eq!(
        shown(&inserted(b"a\r\nb\n", 3, "x\n")),
        "a\r\n// patchctl:begin o/h.1 0123456789ab\r\nx\r\n// patchctl:end o/h.1\r\nb\n"
    );
    assert_eq!(
        shown(&inserted(b"", 0, "x\n")),
        "// patchctl:begin o/h.1 0123456789ab\nx\n// patchctl:end o/h.1\n"
    );
    assert_eq!(
        shown(&inserted(b"a\r\nb\n", 5, "x\r\n")),
        "a\r\nb\n// patchctl:begin o/h.1 0123456789ab\nx\n// patchctl:end o/h.1\n"
    );
    assert_eq!(
        shown(&inserted(b"a\r\nb\n", 0, "x\n")),
        "// patchctl:begin o/h.1 0123456789ab\r\nx\r\n// patchctl:end o/h.1\r\na\r\nb\n"
    );
}

#[test]
fn a_block_behind_a_last_line_without_a_newline_leaves_it_without_one() {
    let patched = inserted(b"a\r\nb", 4, "x\n");
    assert_eq!(
        shown(&patched),
        "a\r\nb\r\n// patchctl:begin o/h.1 0123456789ab\r\nx\r\n// patchctl:end o/h.1"
    );
    assert_eq!(take_off(&patched).unwrap().bytes, b"a\r\nb");
}

#[test]
fn a_replacement_keeps_upstreams_lines_under_if_0() {
    let upstream = b"a\nold\r\nb\n";
    let splices = replacement(upstream, 2..7, &block("o/h.1"), "new\n").unwrap();
    let patched = spliced(upstream, &splices);
    assert_eq!(
        shown(&patched),
        "a\n// patchctl:begin o/h.1 0123456789ab\r\n#if 0 // patchctl:was\r\nold\r\n\
         #else // patchctl:now\r\nnew\r\n#endif // patchctl:was\r\n// patchctl:end o/h.1\r\nb\n"
    );
    let off = take_off(&patched).unwrap();
    assert_eq!(off.bytes, upstream);
    let Kind::Replacement { was } = &off.blocks[0].kind else {
        panic!("{:?}", off.blocks);
    };
    assert_eq!(&patched[was.clone()], b"old\r\n");
    assert_eq!(off.blocks[0].lines, (2, 8));
}

#[test]
fn the_last_line_of_a_file_without_a_newline_can_be_replaced() {
    let upstream = b"a\nold";
    let splices = replacement(upstream, 2..5, &block("o/h.1"), "").unwrap();
    let patched = spliced(upstream, &splices);
    assert_eq!(
        shown(&patched),
        "a\n// patchctl:begin o/h.1 0123456789ab\n#if 0 // patchctl:was\nold\n\
         #else // patchctl:now\n#endif // patchctl:was\n// patchctl:end o/h.1"
    );
    assert_eq!(take_off(&patched).unwrap().bytes, upstream);
}

#[test]
fn take_off_is_exact_at_every_strange_end_of_file() {
    for upstream in [
        &b""[..],
        b"\xEF\xBB\xBF",
        b"\xEF\xBB\xBFa",
        b"\xEF\xBB",
        b"\n",
        b"\r",
        b"\r\n",
        b"a\r",
        b"a\rb",
        b"a\r\nb\r",
        b"a\n\r",
        b"a\n\n",
        b"\xFF\xFE\n\x80",
    ] {
        for count in 1..=3 {
            let splices: Vec<Splice> = (0..count)
                .map(|n| {
                    let block = block(&format!("o/h.{n}"));
                    insertion(upstream, upstream.len(), &block, "x\n").unwrap()
                })
                .collect();
            let patched = spliced(upstream, &splices);
            let off = take_off(&patched).unwrap();
            assert_eq!(off.bytes, upstream, "{count} in {upstream:?}");
            assert_eq!(off.blocks.len(), count);
            assert_eq!(off.blocks[0].block.edit.as_str(), "o/h.0");
            let had_newline =
                upstream.last().is_none_or(|last| *last == b'\n') || upstream == b"\xEF\xBB\xBF";
            assert_eq!(patched.ends_with(b"\n"), had_newline, "{upstream:?}");
        }
    }
}

#[test]
fn a_byte_order_mark_stays_first() {
    let patched = inserted(b"\xEF\xBB\xBFa\n", 0, "x\n");
    assert!(patched.starts_with(b"\xEF\xBB\xBF// patchctl:begin "));
    assert_eq!(take_off(&patched).unwrap().bytes, b"\xEF\xBB\xBFa\n");
}

#[test]
fn a_place_inside_of_a_line_is_refused() {
    for (upstream, offset) in [
        (&b"ab\n"[..], 1),
        (b"a\r\nb", 2),
        (b"a\rb\n", 2),
        (b"a\n", 9),
        (b"\xEF\xBB\xBFa\n", 1),
    ] {
        let error = insertion(upstream, offset, &block("o/h.1"), "x\n").unwrap_err();
        assert!(matches!(error, BlockError::NotALineStart { .. }), "{error}");
    }
}

#[test]
fn a_place_behind_a_backslash_is_refused() {
    for upstream in [&b"#define A \\\n  b\n"[..], b"#define A \\ \r\n  b\n"] {
        let offset = upstream.iter().position(|byte| *byte == b'\n').unwrap() + 1;
        let error = insertion(upstream, offset, &block("o/h.1"), "x\n").unwrap_err();
        assert_eq!(error, BlockError::AfterBackslash { line: 1 });
    }
    let error = insertion(b"a\nb \\", 5, &block("o/h.1"), "x\n").unwrap_err();
    assert_eq!(error, BlockError::AfterBackslash { line: 2 });
}

#[test]
fn a_text_that_cannot_be_fenced_is_refused() {
    let refused = |text| insertion(b"a\n", 2, &block("o/h.1"), text).unwrap_err();
    assert_eq!(refused(""), BlockError::Empty);
    assert_eq!(refused("x\ny"), BlockError::NoLastNewline { line: 2 });
    assert_eq!(
        refused("x\n// patchctl:end o/h.1\n"),
        BlockError::Reserved { line: 2 }
    );
    assert_eq!(
        refused("// see patchctl:was\n"),
        BlockError::Reserved { line: 1 }
    );
    assert_eq!(refused("x\ny \\ \n"), BlockError::Continues { line: 2 });
    assert!(matches!(
        refused("x\ny\rz\n"),
        BlockError::Character { line: 2, .. }
    ));
    assert!(matches!(
        refused("\0\n"),
        BlockError::Character { line: 1, .. }
    ));
}

#[test]
fn an_upstream_text_with_markers_is_refused() {
    let patched = inserted(b"a\nb\n", 2, "x\n");
    let error = insertion(&patched, 0, &block("o/h.2"), "x\n").unwrap_err();
    assert_eq!(error, BlockError::UpstreamMarked { line: 2 });
    let error = replacement(&patched, 0..2, &block("o/h.2"), "x\n").unwrap_err();
    assert_eq!(error, BlockError::UpstreamMarked { line: 2 });
}

#[test]
fn a_replacement_refuses_directives_continued_lines_and_empty_ranges() {
    let refused =
        |upstream: &[u8], range| replacement(upstream, range, &block("o/h.1"), "x\n").unwrap_err();
    assert_eq!(
        refused(b"a\n  # if B\nc\n", 0..11),
        BlockError::Directive { line: 2 }
    );
    assert_eq!(
        refused(b"%: define A\n", 0..12),
        BlockError::Directive { line: 1 }
    );
    assert_eq!(
        refused(b"a \\\nb\n", 0..4),
        BlockError::AfterBackslash { line: 1 }
    );
    assert_eq!(
        refused(b"a\n", 2..2),
        BlockError::EmptyRange { start: 2, end: 2 }
    );
    assert_eq!(
        refused(b"\xEF\xBB\xBFa\n", 0..3),
        BlockError::EmptyRange { start: 0, end: 3 }
    );
}

#[test]
fn edits_at_one_place_keep_their_order_around_a_replacement() {
    let upstream = b"a\nb\nc\n";
    let at = |offset, name: &str| {
        Placed::Insertion(insertion(upstream, offset, &block(name), "x\n").unwrap())
    };
    let replaced =
        Placed::Replacement(replacement(upstream, 2..4, &block("o/r.1"), "y\n").unwrap());
    let splices = arrange(vec![
        at(4, "o/c.1"),
        replaced.clone(),
        at(2, "o/b.1"),
        at(2, "o/a.1"),
    ])
    .unwrap();
    let names: Vec<&str> = splices.iter().map(|splice| splice.edit.as_str()).collect();
    assert_eq!(names, ["o/b.1", "o/a.1", "o/r.1", "o/r.1", "o/c.1"]);
    assert_eq!(
        take_off(&spliced(upstream, &splices)).unwrap().bytes,
        upstream
    );

    let upstream = b"a\nb\nc\n";
    let wide = Placed::Replacement(replacement(upstream, 0..6, &block("o/w.1"), "y\n").unwrap());
    assert_eq!(
        arrange(vec![replaced, wide]).unwrap_err(),
        BlockError::Overlap {
            outer: "o/w.1".to_owned(),
            inner: "o/r.1".to_owned()
        }
    );
}
