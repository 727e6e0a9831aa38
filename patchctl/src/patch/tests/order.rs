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

#[test]
fn each_overlay_of_a_file_has_its_own_macros() {
    let text = "void API_A() {\n}\nvoid g() {\n}\n";
    let of = |id: &str, macros: &str, function: &str, code: &str| {
        overlay(
            id,
            &format!(
                "{macros}\nhunks:\n  - id: h\n    edits:\n      - {{ at: {{ function: {function}, position: before }}, \
                 insert: \"{code}\\n\" }}\n"
            ),
        )
    };
    let a = of(
        "a",
        "macros: [API_A]",
        "g",
        "class API_A A { int f() { return 1; } };",
    );
    let b = of(
        "b",
        "macros: [API_B]",
        "API_A",
        "class API_B B { int f() { return 1; } };",
    );
    let c = of("c", "", "g", "class API_C C {");
    assert!(carried(&[&a, &b], text).is_ok());
    let texts = texts_for(&[&a, &c], "void g() {\n}\n");
    let patched = carry(&[&c], &texts);
    let found = structure(&texts, &patched.files[0], &[&a, &c]);
    assert_eq!(found[0].code, Code::NewParseErrors);
}
