//! Where whole lines go.

use super::*;

#[test]
fn positions_give_whole_lines() {
    let between = |at: &str| between(at, DEVICE);
    let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
    assert_eq!(
        between("{ include: <cstdlib>, position: before }"),
        pair("", "#include <cstdlib>")
    );
    assert_eq!(
        between("{ include: <cstdlib>, position: after }"),
        pair("#include <cstdlib>", "#include <sstream>")
    );
    let function =
        |rest: &str| between(&format!("{{ function: 'Encoder::needs_commit', {rest} }}"));
    assert_eq!(
        function("position: before"),
        pair("", "// Whether it is time.")
    );
    assert_eq!(function("position: after"), pair("}", ""));
    let head = "bool Encoder::needs_commit() const {";
    let first = "  auto [max_ops, max_mb] = device_.limits();";
    let last = "  return (ops_ > max_ops) || ((sizes_ >> 20) > max_mb);";
    assert_eq!(function("position: begin"), pair(head, first));
    assert_eq!(function("position: end"), pair(last, "}"));
    let declared = "statement: { kind: declaration, tokens: 'auto [max_ops,max_mb]' }";
    assert_eq!(
        function(&format!("{declared}, position: after")),
        pair(first, last)
    );
    assert_eq!(
        function("expression: '( sizes_ >> 20 )', position: before"),
        pair(first, last)
    );
    let namespace = "namespace: 'mlx::core::metal'";
    assert_eq!(
        between(&format!("{{ {namespace}, position: end }}")),
        pair("", "} // namespace mlx::core::metal")
    );
    assert_eq!(
        between(&format!("{{ {namespace}, position: begin }}")),
        pair("namespace mlx::core::metal {", "")
    );
}

#[test]
fn line_ends_and_marks_stay() {
    let crlf = DEVICE.replace('\n', "\r\n");
    let patched = carried(
        &[&edit("{ function: 'Encoder::commit', position: begin }")],
        &crlf,
    )
    .unwrap();
    assert!(patched.contains("\r\nX;\r\n") && !patched.replace("\r\n", "").contains('\n'));
    let marked =
        format!("\u{feff}#include <cstdlib>\n{DEVICE}").replacen("\n#include <cstdlib>\n", "\n", 1);
    let marked = marked.replacen(
        "#include <cstdlib>\n#include <sstream>",
        "#include <sstream>",
        1,
    );
    let patched = carried(
        &[&edit("{ include: <sstream>, position: before }")],
        &marked,
    )
    .unwrap();
    assert!(patched.starts_with('\u{feff}'));
    let end = "#include <cstdlib>";
    let patched = carried(&[&edit("{ include: <cstdlib>, position: after }")], end).unwrap();
    assert!(
        patched.starts_with("#include <cstdlib>\n// patchctl:begin") && !patched.ends_with('\n')
    );
}

#[test]
fn replaced_statement_stays_under_if_0() {
    let overlay = overlay(
        "o",
        "hunks:\n  - id: h\n    edits:\n      - at: { function: 'Encoder::commit', statement: { kind: expression } }\n        \
         why: it has to\n        replace: |2\n            other();\n",
    );
    let patched = carried(&[&overlay], DEVICE).unwrap_or_else(|found| panic!("{found:#?}"));
    assert!(patched.contains("  buffer_->commit();\n") && patched.contains("  other();\n"));
    assert!(patched.contains("#if 0 // patchctl:was"));
}

#[test]
fn unless_makes_an_edit_needless() {
    let body = "hunks:\n  - id: h\n    edits:\n      - at: { include: <cstdlib>, position: before }\n        \
                unless: { include: <sstream> }\n        insert: |\n          #include <sstream>\n";
    let overlay = overlay("o", body);
    let texts = texts(DEVICE);
    let carried = carry(&[&overlay], &texts);
    assert_eq!(
        (carried.needless, carried.files.len()),
        (vec!["o/h.1".to_owned()], 0)
    );
}

#[test]
fn overloads_are_told_apart_by_const_and_template_arguments() {
    let text = "struct P {\n  int at() {\n    return 1;\n  }\n  int at() const {\n    return 2;\n  }\n};\ntemplate <>\n\
                struct Q<A, n::B<1>> {\n  int at() {\n    return 3;\n  }\n};\ntemplate <>\nstruct Q<C> {\n  int at() {\n    \
                return 4;\n  }\n  int operator[](int i) {\n    return 5;\n  }\n};\nstruct R {\n  int at() {\n    return 6;\n  }\n};\ntemplate <>\nstruct R<A> {\n  int \
                at(int) {\n    return 7;\n  }\n};\n";
    for (anchor, line) in [
        ("{ function: P::at, signature: '()', position: begin }", "1"),
        (
            "{ function: P::at, signature: '() const', position: begin }",
            "2",
        ),
        ("{ function: 'Q<A, n::B<1> >::at', position: begin }", "3"),
        (
            "{ function: 'Q<C>::at', signature: '()', position: begin }",
            "4",
        ),
        ("{ function: 'Q::operator[]', position: begin }", "5"),
        (
            "{ function: R::at, signature: '(int)', position: begin }",
            "7",
        ),
    ] {
        assert_eq!(between(anchor, text).1.trim(), format!("return {line};"));
    }
    let both = "{ function: 'Q::at', position: begin }";
    assert_eq!(codes(&[&edit(both)], text), [Code::AnchorAmbiguous]);
}
