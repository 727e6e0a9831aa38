//! Random files, random edits: taking off gives the file back.

use patchctl_apply::markers::{
    Block, Comment, Digest12, EditName, Placed, arrange, insertion, replacement, scan, take_off,
};
use proptest::prelude::*;
use proptest::sample::Index;

use crate::markers_written::spliced;

/// Files with every ending, byte-order marks, lone carriage returns, bytes that are no UTF-8.
fn file() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        4 => Just(&b"\n"[..]),
        4 => Just(&b"\r\n"[..]),
        2 => Just(&b"\r"[..]),
        4 => Just(&b"a"[..]),
        1 => Just(&b"\xFF"[..]),
        1 => Just(&b"\xEF\xBB\xBF"[..]),
        1 => Just(&b"// patchctl: x"[..]),
        1 => Just(&b" "[..]),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

fn text() -> impl Strategy<Value = String> {
    let line = prop_oneof![Just(""), Just("x"), Just("  y;"), Just("#if Z"), Just("ü")];
    let ending = prop_oneof![Just("\n"), Just("\r\n")];
    prop::collection::vec((line, ending), 1..4)
        .prop_map(|lines| lines.into_iter().map(|(l, e)| format!("{l}{e}")).collect())
}

#[derive(Debug, Clone)]
struct Wish {
    from: Index,
    to: Index,
    replace: bool,
    comment: Comment,
    text: String,
}

fn wish() -> impl Strategy<Value = Wish> {
    let comment = prop_oneof![Just(Comment::Slashes), Just(Comment::Hash)];
    let parts = (
        any::<Index>(),
        any::<Index>(),
        any::<bool>(),
        comment,
        text(),
    );
    parts.prop_map(|(from, to, replace, comment, text)| Wish {
        from,
        to,
        replace,
        comment,
        text,
    })
}

/// Line starts as a reader would count them, and the end.
fn boundaries(file: &[u8]) -> Vec<usize> {
    let start = if file.starts_with(b"\xEF\xBB\xBF") {
        3
    } else {
        0
    };
    let mut all = vec![start];
    all.extend(
        file.iter()
            .enumerate()
            .filter(|(_, b)| **b == b'\n')
            .map(|(at, _)| at + 1),
    );
    all.push(file.len());
    all.dedup();
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn taking_off_gives_back_every_file_and_names_every_block(
        file in file(),
        wishes in prop::collection::vec(wish(), 1..6),
    ) {
        let places = boundaries(&file);
        let mut edits: Vec<Placed> = Vec::new();
        let mut names = Vec::new();
        for (number, wish) in wishes.iter().enumerate() {
            let block = Block {
                edit: EditName::new("o", "h", &number.to_string()).unwrap(),
                digest: Digest12::new(&format!("{number:012x}")).unwrap(),
                comment: wish.comment,
            };
            let (from, to) = (*wish.from.get(&places), *wish.to.get(&places));
            let (from, to) = (from.min(to), from.max(to));
            let edit = if wish.replace && from < to {
                Placed::Replacement(replacement(&file, from..to, &block, &wish.text).unwrap())
            } else {
                Placed::Insertion(insertion(&file, from, &block, &wish.text).unwrap())
            };
            let mut with = edits.clone();
            with.push(edit);
            if arrange(with.clone()).is_ok() {
                edits = with;
                names.push(block);
            }
        }
        let splices = arrange(edits).unwrap();
        let patched = spliced(&file, &splices);

        let off = take_off(&patched).unwrap();
        prop_assert_eq!(&off.bytes, &file);
        let mut found: Vec<Block> = off.blocks.into_iter().map(|found| found.block).collect();
        found.sort_by(|a, b| a.edit.cmp(&b.edit));
        prop_assert_eq!(found, names);

        let newline = |bytes: &[u8]| bytes.last() == Some(&b'\n');
        if !file.is_empty() && file != b"\xEF\xBB\xBF" {
            prop_assert_eq!(newline(&patched), newline(&file));
        }
        let again = take_off(&file).unwrap();
        prop_assert_eq!(again.bytes, file);
    }

    #[test]
    fn scanning_and_taking_off_never_panic(
        parts in prop::collection::vec(prop_oneof![
            Just("// patchctl:begin o/h.1 0123456789ab"), Just("// patchctl:end o/h.1"),
            Just("#if 0 // patchctl:was"), Just("#else // patchctl:now"),
            Just("#endif // patchctl:was"), Just("\n"), Just("\n"), Just("\r\n"), Just("x"), Just("\u{feff}"),
        ], 0..16),
    ) {
        let text = parts.concat();
        let scanned = scan(text.as_bytes()).is_ok();
        prop_assert!(scanned || take_off(text.as_bytes()).is_err());
    }
}
