//! Landings that are judged by shape and merge.

use super::*;

fn judged(base_text: &str, new_text: &str, reviewed: bool) -> Verdict {
    let overlay = edit("{ function: 'Encoder::commit', position: begin }");
    judged_for(&overlay, base_text, new_text, reviewed)
}

fn judged_for(overlay: &Overlay, base_text: &str, new_text: &str, reviewed: bool) -> Verdict {
    let (old, new) = (texts(base_text), texts(new_text));
    let before = carry(&[overlay], &old);
    let mut base = Base {
        described: "v1".to_owned(),
        texts: old.clone(),
        ..Base::default()
    };
    let landing = &before.landings[0];
    base.accepted
        .insert(landing.key.clone(), landing.splices().to_vec());
    let after = carry(&[overlay], &new);
    let text = new.get("d.cpp".into()).unwrap();
    let known = reviewed.then_some(Verdict::Reviewed);
    judge(&after.landings[0], &text.parsed, known, &[&base])
}

#[test]
fn merge_accepts_an_unknown_shape() {
    let far = DEVICE.replace("// Header.", "// Header.\n// More.");
    assert_eq!(
        judged(DEVICE, &far, false),
        Verdict::Merged("v1".to_owned())
    );
    assert_eq!(judged(DEVICE, &far, true), Verdict::Reviewed);
    let near = DEVICE.replace(
        "void Encoder::commit() {\n  buffer_->commit();",
        "void Encoder::commit() {\n  other();",
    );
    assert!(matches!(
        judged(DEVICE, &near, false),
        Verdict::UnknownShape { .. }
    ));
    assert_eq!(judged(DEVICE, &near, true), Verdict::Reviewed);
}

#[test]
fn merge_elsewhere_is_never_ignored() {
    let base = "void a() {\n  one();\n  two();\n  three();\n}\n";
    // Upstream has put the body into a helper: the anchor follows the name, the merge the lines.
    let split =
        "void a() {\n  helper();\n}\n\nvoid helper() {\n  one();\n  two();\n  three();\n}\n";
    let overlay = edit("{ function: a, position: end }");
    for reviewed in [true, false] {
        let verdict = judged_for(&overlay, base, split, reviewed);
        let elsewhere = split.rfind('}').unwrap();
        assert_eq!(
            verdict,
            Verdict::Disagree {
                base: "v1".to_owned(),
                elsewhere
            }
        );
    }
}

#[test]
fn the_words_that_the_parser_does_not_see_are_in_the_shape() {
    let shape = |words: &str, at: &str, text: &str| {
        let hunks =
            format!("hunks:\n  - id: h\n    edits:\n      - {{ at: {at}, insert: \"X;\\n\" }}\n");
        let overlay = overlay("o", &format!("{words}\n{hunks}"));
        let carried = carry(&[&overlay], &texts_for(&[&overlay], text));
        let landings: Vec<String> = carried.landings.iter().map(|it| it.shape.clone()).collect();
        assert_eq!(landings.len(), 1, "{at}: {:?}", carried.problems);
        landings.concat()
    };
    let text = "void f(device int* a) {\n  threadgroup int s[32];\n}\nstruct S {\n  constant int* b;\n};\n";
    for (at, from, to) in [
        ("{ function: f, position: begin }", "device", "constant"),
        ("{ function: f, position: begin }", "threadgroup", "thread"),
        (
            "{ function: f, statement: { kind: declaration }, position: before }",
            "threadgroup",
            "thread",
        ),
        ("{ class: S, position: begin }", "constant", "device"),
        (
            "{ class: S, member: b, position: before }",
            "constant",
            "device",
        ),
    ] {
        for words in [
            "dialect: metal",
            "macros: [device, constant, thread, threadgroup]",
        ] {
            let changed = text.replace(from, to);
            assert_eq!(shape(words, at, text), shape(words, at, text));
            assert_ne!(
                shape(words, at, text),
                shape(words, at, &changed),
                "{words} {at}"
            );
        }
    }
}
