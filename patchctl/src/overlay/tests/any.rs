//! Whatever is in a file, reading it ends with an overlay or with faults that point into it.

use proptest::prelude::*;

use super::*;
use crate::overlay::{edit_digest, overlay_digest};

/// Pieces that YAML, overlays and C++ are made of.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("\n".to_owned()),
        Just("  ".to_owned()),
        Just("\t".to_owned()),
        Just("\r\n".to_owned()),
        "[-:{}\\[\\],&*!|>'\"%@`#?~<.]",
        "(schema|overlay|hunks|edits|at|function|insert|when|tokens|matches|in|id|position): ",
        "(1|x|before|- |&a |\\*a|<<: |--- |\"\\\\n\"|\\|\n    a|null|ä|R\"\\()",
        "\\PC{0,3}",
    ];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn any_text_gives_faults_inside_of_it(text in pieces()) {
        let lines = text.lines().count() as u64 + 1;
        if let Err(faults) = load(Utf8Path::new("x.yaml"), text.as_bytes()) {
            prop_assert!(!faults.0.is_empty());
            for fault in faults.0 {
                let (line, column) = (fault.line.unwrap(), fault.column.unwrap());
                prop_assert!((1..=lines).contains(&line) && column >= 1, "{line}:{column} of {text:?}");
            }
        }
    }

    #[test]
    fn a_damaged_overlay_gives_faults_or_loads(at in 0..400_usize, piece in pieces()) {
        let mut text = include_str!("../../../tests/overlays/decode-input-budget.yaml").to_owned();
        let at = (at * 7) % text.len();
        if text.is_char_boundary(at) {
            text.insert_str(at, &piece);
            let file = Utf8Path::new("decode-input-budget.yaml");
            if let Ok(overlay) = load(file, text.as_bytes()) {
                let hunk = &overlay.hunks[0];
                let edit = &hunk.variants[0].edits[0];
                prop_assert_eq!(edit_digest(&overlay.id, &hunk.id, edit).len(), 64);
                prop_assert_eq!(overlay_digest(&overlay), overlay_digest(&overlay.clone()));
            }
        }
    }

    /// A text in double quotes is read as itself, and a place inside it is a place in the file.
    #[test]
    fn any_text_that_is_quoted_is_read_as_it_is(text in "\\PC{0,20}") {
        let quoted = serde_json::to_string(&text).unwrap();
        let file = format!("a: {quoted}\n");
        let root = crate::yaml::tree(Utf8Path::new("f"), file.as_bytes());
        let root = root.map_err(|faults| TestCaseError::fail(faults.to_string()))?;
        prop_assert_eq!(root.key("a").text(), Some(text.as_str()));
    }
}
