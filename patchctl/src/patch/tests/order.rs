//! Two overlays in one file.

use super::*;

const TWO: &str = "hunks:\n  - id: h\n    edits:\n      - at: { function: 'Encoder::commit', position: begin }\n        \
                   insert: |\n          X;\n";

#[test]
fn one_place_needs_a_declared_order() {
    let (one, two) = (overlay("one", TWO), overlay("two", TWO));
    assert_eq!(codes(&[&one, &two], DEVICE), [Code::OrderNeeded]);
    let files = vec![
        yaml("one", &format!("after: [two]\n{TWO}")),
        yaml("two", TWO),
    ];
    let ordered = load_all(files).unwrap_or_else(|faults| panic!("{faults}"));
    let ordered: Vec<&Overlay> = ordered.as_slice().iter().collect();
    let patched = carried(&ordered, DEVICE).unwrap();
    assert!(patched.find("begin two/h").unwrap() < patched.find("begin one/h").unwrap());
}

#[test]
fn hidden_anchors_do_not_commute() {
    let one = overlay("one", &TWO.replace("X;", "buffer_->commit();"));
    let at = "{ function: 'Encoder::commit', statement: { tokens: 'buffer_' }, position: after }";
    let mut two = edit(at);
    two.id = "two".to_owned();
    assert_eq!(codes(&[&one, &two], DEVICE), [Code::OrderNeeded]);
}
