//! The YAML that a help text gives, pasted into the overlay.

use super::*;

#[test]
fn failed_premise_shows_code_and_yaml() {
    let summed = DEVICE.replace(
        "((sizes_ >> 20) > max_mb)",
        "(((sizes_ + outputs_) >> 20) > max_mb)",
    );
    let found = carried(&[&overlay("o", VARIANTS)], &summed).unwrap_err();
    assert_eq!(
        found.iter().map(|f| f.code).collect::<Vec<_>>(),
        [Code::PremiseFailed]
    );
    assert!(found[0].excerpt.as_ref().unwrap().contains("outputs_"));
    let help = found[0].help.as_ref().unwrap();
    assert!(
        help.contains("- name: new-2") && help.contains("outputs_ ) >> 20"),
        "{help}"
    );
}

/// Puts a help text's variant at the end of the overlay's list, as a reader would.
fn mended(body: &str, help: &str) -> Overlay {
    let yaml = help
        .split_once(":\n      - name:")
        .map(|(_, yaml)| format!("      - name:{yaml}"))
        .unwrap();
    overlay("o", &format!("{body}{yaml}"))
}

#[test]
fn pasted_yaml_mends_a_renamed_function() {
    let renamed = DEVICE.replace("Encoder::needs_commit", "Encoder::should_commit");
    let found = carried(&[&overlay("o", VARIANTS)], &renamed).unwrap_err();
    assert_eq!(found[0].code, Code::NoVariant);
    assert!(found[0].excerpt.as_ref().unwrap().contains("should_commit"));
    let mended = mended(VARIANTS, found[0].help.as_ref().unwrap());
    assert!(carried(&[&mended], &renamed).unwrap().contains("X;"));
    assert!(carried(&[&mended], DEVICE).unwrap().contains("X;"));
}

#[test]
fn whole_file_condition_is_given_back() {
    let body = VARIANTS.replacen(
        "when: [",
        "when: [{ in: { whole-file: true }, tokens: 'mlx' }, ",
        1,
    );
    let renamed = DEVICE.replace("Encoder::needs_commit", "Encoder::should_commit");
    let found = carried(&[&overlay("o", &body)], &renamed).unwrap_err();
    let help = found[0].help.as_ref().unwrap();
    assert!(help.contains("in: { whole-file: true }"), "{help}");
    let mended = mended(&body, help);
    assert!(carried(&[&mended], &renamed).unwrap().contains("X;"));
}

#[test]
fn hunk_without_variants_gets_both_forms() {
    let body = "hunks:\n  - id: h\n    edits:\n      - at: { function: 'Encoder::needs_commit', position: begin }\n        \
                insert: |\n          X;\n";
    let moved = DEVICE.replace("Encoder::needs_commit", "Device::needs_commit");
    let found = carried(&[&overlay("o", body)], &moved).unwrap_err();
    assert_eq!(found[0].code, Code::AnchorNotFound);
    let help = found[0].help.as_ref().unwrap();
    let yaml = help.split_once("    variants:\n").unwrap().1;
    let mended = overlay("o", &format!("hunks:\n  - id: h\n    variants:\n{yaml}"));
    assert!(carried(&[&mended], &moved).is_ok() && carried(&[&mended], DEVICE).is_ok());
}

#[test]
fn pasted_yaml_mends_a_function_under_ifdef() {
    let (before, rest) = DEVICE.split_at(DEVICE.find("bool Encoder::needs_commit").unwrap());
    let (function, after) = rest.split_at(rest.find("void Encoder::commit").unwrap());
    let twice = format!("{before}#ifdef FAST\n{function}#else\n{function}#endif\n{after}");
    let found = carried(&[&overlay("o", VARIANTS)], &twice).unwrap_err();
    assert_eq!(found[0].code, Code::AnchorAmbiguous);
    let mended = mended(VARIANTS, found[0].help.as_ref().unwrap());
    assert_eq!(
        carried(&[&mended], &twice).unwrap().matches("X;").count(),
        2
    );
    assert_eq!(
        carried(&[&mended], DEVICE).unwrap().matches("X;").count(),
        1
    );
}
