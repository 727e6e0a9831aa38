//! The overlay `decode-input-budget`, part by part.

use camino::Utf8Path;

use super::super::*;

const TEXT: &str = include_str!("../../../tests/overlays/decode-input-budget.yaml");

fn whole() -> Overlay {
    load(
        Utf8Path::new("overlays/mlx/decode-input-budget.yaml"),
        TEXT.as_bytes(),
    )
    .unwrap()
}

#[test]
fn an_overlay_loads_with_all_its_parts() {
    let overlay = whole();
    assert_eq!(overlay.id, "decode-input-budget");
    assert_eq!(overlay.releases.to_string(), ">=0.23.0");
    assert_eq!(
        overlay.provides["getter"],
        "mlx::core::metal::mb_per_buffer_override()"
    );
    let hunks: Vec<&str> = overlay.hunks.iter().map(|hunk| hunk.id.as_str()).collect();
    assert_eq!(hunks, ["include", "commit-check", "entry-points"]);
    let encoder = &overlay.hunks[1].variants[0];
    assert_eq!(encoder.name, "encoder");
    assert_eq!(
        encoder.when[0].holds,
        Holds::Tokens("auto [ max_ops , max_mb ] =".into())
    );
    assert_eq!(encoder.edits[1].id, "2");
    let statement = encoder.edits[1].at.statement.as_ref().unwrap();
    assert_eq!(statement.kind, Some(crate::cpp::StatementKind::Declaration));
    assert!(!statement.nested);
    assert_eq!(
        overlay.hunks[2].variants[0].edits[0].at,
        Anchor {
            scope: Scope::Namespace("mlx::core::metal".into()),
            statement: None,
            expression: None,
            position: Position::End,
            preprocessor: Vec::new(),
        }
    );
}

#[test]
fn a_hunk_without_variants_has_one_named_only() {
    let overlay = whole();
    let names: Vec<&str> = overlay.hunks[0]
        .variants
        .iter()
        .map(|one| one.name.as_str())
        .collect();
    assert_eq!(names, ["only"]);
}

#[test]
fn each_part_knows_its_line() {
    let overlay = whole();
    let line_of =
        |text: &str| TEXT.lines().position(|line| line.contains(text)).unwrap() as u64 + 1;
    assert_eq!(overlay.hunks[0].line, line_of("- id: include"));
    assert_eq!(overlay.hunks[0].variants[0].line, line_of("- id: include"));
    let device = &overlay.hunks[1].variants[1];
    assert_eq!(device.line, line_of("- name: device"));
    assert_eq!(device.when[0].line, line_of("'> max_mb_per_buffer_'"));
    assert_eq!(device.edits[1].line, line_of("- id: read"));
    assert_eq!(
        overlay.hunks[1].variants[0].expect[0].line,
        line_of("expect:")
    );
}
