//! Places that are refused, with the finding.

use super::*;

#[test]
fn twofold_name_is_refused() {
    let twice = DEVICE.replace(
        "void Encoder::commit() {\n  buffer_->commit();\n}\n",
        "#ifdef A\nvoid Encoder::commit() {\n  a();\n}\n#else\nvoid Encoder::commit() {\n  b();\n}\n#endif\n",
    );
    let found = carried(
        &[&edit("{ function: 'Encoder::commit', position: begin }")],
        &twice,
    )
    .unwrap_err();
    assert_eq!(found[0].code, Code::AnchorAmbiguous);
    let help = found[0].help.clone().unwrap();
    assert!(
        help.contains("`#ifdef A`") && help.contains("`#else of #ifdef A`"),
        "{help}"
    );
    let chosen = edit(
        "{ function: 'Encoder::commit', position: begin, preprocessor: ['#else of #ifdef A'] }",
    );
    assert!(
        carried(&[&chosen], &twice)
            .unwrap()
            .contains("{\n// patchctl:begin o/h.1")
    );
}

#[test]
fn unnamed_condition_is_refused() {
    let function = "void Encoder::commit() {\n  buffer_->commit();\n}\n";
    let conditional = DEVICE.replace(function, &format!("#ifdef A\n{function}#endif\n"));
    let at = edit("{ function: 'Encoder::commit', position: begin }");
    assert_eq!(codes(&[&at], &conditional), [Code::PreprocessorMismatch]);
}

#[test]
fn shared_line_is_refused() {
    let short = DEVICE.replace(
        "void Encoder::commit() {\n  buffer_->commit();\n}",
        "void Encoder::commit() { x(); }",
    );
    for position in ["begin", "end"] {
        let at = edit(&format!(
            "{{ function: 'Encoder::commit', position: {position} }}"
        ));
        assert_eq!(codes(&[&at], &short), [Code::AnchorNotOnOwnLine]);
    }
    let unbraced = DEVICE.replace("  buffer_->commit();\n", "  if (a)\n    x();\n");
    let at = "{ function: 'Encoder::commit', statement: { kind: expression, nested: true }, position: before }";
    assert_eq!(codes(&[&edit(at)], &unbraced), [Code::AnchorNotOnOwnLine]);
}

#[test]
fn all_hunks_are_looked_at() {
    let a = edit("{ function: gone_a, position: begin }");
    let mut b = edit("{ function: gone_b, position: begin }");
    b.id = "p".to_owned();
    assert_eq!(
        codes(&[&a, &b], DEVICE),
        [Code::AnchorNotFound, Code::AnchorNotFound]
    );
}

#[test]
fn two_fitting_variants_are_refused() {
    let both = format!("{DEVICE}bool Device::needs_commit() {{\n  return a > max_mb_;\n}}\n");
    assert_eq!(
        codes(&[&overlay("o", VARIANTS)], &both),
        [Code::SeveralVariants]
    );
}

#[test]
fn code_that_is_there_is_landed() {
    let body = "hunks:\n  - id: h\n    edits:\n      - at: { namespace: 'mlx::core::metal', position: end }\n        \
                insert: |\n          void set_budget(int budget) { slot.store(budget > 0 ? budget : 0); }\n";
    let taken = DEVICE.replace(
        "} // namespace mlx",
        "void set_budget(int budget) {\n  slot.store(budget > 0 ? budget : 0);\n}\n} // namespace mlx",
    );
    assert_eq!(
        codes(&[&overlay("o", body)], &taken),
        [Code::LandedUpstream]
    );
}
