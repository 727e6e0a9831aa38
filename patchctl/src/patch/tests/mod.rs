//! Carrying overlays onto small files in upstream's style.

mod pathological;

use std::sync::Arc;

use camino::Utf8PathBuf;
use patchctl_apply::{BlobId, markers};

use super::*;
use crate::cpp::Parsed;
use crate::overlay::{Overlay, load, load_all};
use crate::report::{Code, Finding};

const DEVICE: &str = "\
// Header.

#include <cstdlib>
#include <sstream>

namespace mlx::core::metal {

// Whether it is time.
bool Encoder::needs_commit() const {
  auto [max_ops, max_mb] = device_.limits();
  return (ops_ > max_ops) || ((sizes_ >> 20) > max_mb);
}

void Encoder::commit() {
  buffer_->commit();
}

} // namespace mlx::core::metal
";

/// An overlay's file and what stands in it.
fn yaml(id: &str, body: &str) -> (Utf8PathBuf, Vec<u8>) {
    let yaml = format!(
        "schema: 1\noverlay: {id}\ntitle: t\nwhy: w\nfile: d.cpp\nreleases: '>=0.1.0'\n{body}"
    );
    (format!("{id}.yaml").into(), yaml.into_bytes())
}

fn overlay(id: &str, body: &str) -> Overlay {
    let (file, bytes) = yaml(id, body);
    load(&file, &bytes).unwrap_or_else(|faults| panic!("{faults}"))
}

fn texts(text: &str) -> Texts {
    let mut texts = Texts::default();
    let parsed = Arc::new(Parsed::new(text.as_bytes(), &[]));
    texts.insert("d.cpp".into(), BlobId::of(text.as_bytes()), parsed);
    texts
}

/// Carries, and gives the patched text or the findings' codes.
fn carried(overlays: &[&Overlay], text: &str) -> Result<String, Vec<Finding>> {
    let texts = texts(text);
    let carried = carry(overlays, &texts);
    let around = Where {
        folder: "overlays",
        texts: &texts,
        base: None,
        elsewhere: None,
    };
    let found: Vec<Finding> = carried
        .problems
        .iter()
        .flat_map(|p| findings(p, &around))
        .collect();
    if !found.is_empty() {
        assert!(
            carried.files.is_empty(),
            "nothing may be patched where a hunk fails"
        );
        return Err(found);
    }
    let file = &carried.files[0];
    let upstream = Parsed::new(text.as_bytes(), &[]);
    assert_eq!(structure(&upstream, file, &[]), []);
    assert_eq!(
        markers::take_off(&file.bytes).unwrap().bytes,
        text.as_bytes()
    );
    Ok(String::from_utf8(file.bytes.clone()).unwrap())
}

fn codes(overlays: &[&Overlay], text: &str) -> Vec<Code> {
    carried(overlays, text)
        .unwrap_err()
        .into_iter()
        .map(|finding| finding.code)
        .collect()
}

fn edit(at: &str) -> Overlay {
    overlay(
        "o",
        &format!(
            "hunks:\n  - id: h\n    edits:\n      - at: {at}\n        insert: |\n          X;\n"
        ),
    )
}

/// The line after which, and before which, the block stands.
fn between(at: &str, text: &str) -> (String, String) {
    let patched = carried(&[&edit(at)], text).unwrap_or_else(|found| panic!("{found:#?}"));
    let lines: Vec<&str> = patched.lines().collect();
    let begin = lines
        .iter()
        .position(|line| line.contains("patchctl:begin"))
        .unwrap();
    assert_eq!(lines[begin + 1], "X;");
    let line = |index: Option<usize>| index.and_then(|i| lines.get(i)).map(|l| (*l).to_owned());
    (
        line(begin.checked_sub(1)).unwrap_or_default(),
        line(Some(begin + 3)).unwrap_or_default(),
    )
}

#[test]
fn each_position_puts_whole_lines_where_it_says() {
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
fn line_ends_marks_and_a_missing_last_newline_stay_as_upstream_has_them() {
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
fn a_replaced_statement_stays_in_the_file_under_if_0() {
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
fn a_name_that_is_there_twice_is_refused_with_every_candidate() {
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
fn a_function_under_a_condition_that_the_anchor_does_not_name_is_refused() {
    let function = "void Encoder::commit() {\n  buffer_->commit();\n}\n";
    let conditional = DEVICE.replace(function, &format!("#ifdef A\n{function}#endif\n"));
    let at = edit("{ function: 'Encoder::commit', position: begin }");
    assert_eq!(codes(&[&at], &conditional), [Code::PreprocessorMismatch]);
}

#[test]
fn a_place_that_has_no_line_of_its_own_is_refused() {
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
fn every_hunk_of_every_overlay_is_looked_at_even_after_a_failure() {
    let a = edit("{ function: gone_a, position: begin }");
    let mut b = edit("{ function: gone_b, position: begin }");
    b.id = "p".to_owned();
    assert_eq!(
        codes(&[&a, &b], DEVICE),
        [Code::AnchorNotFound, Code::AnchorNotFound]
    );
}

const TWO: &str = "hunks:\n  - id: h\n    edits:\n      - at: { function: 'Encoder::commit', position: begin }\n        \
                   insert: |\n          X;\n";

#[test]
fn two_overlays_at_one_place_need_a_declared_order() {
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
fn overlays_that_hide_each_others_anchors_do_not_commute() {
    let one = overlay("one", &TWO.replace("X;", "buffer_->commit();"));
    let at = "{ function: 'Encoder::commit', statement: { tokens: 'buffer_' }, position: after }";
    let mut two = edit(at);
    two.id = "two".to_owned();
    assert_eq!(codes(&[&one, &two], DEVICE), [Code::OrderNeeded]);
}

const VARIANTS: &str = "\
hunks:
  - id: h
    variants:
      - name: new
        when: [{ in: { function: 'Encoder::needs_commit' }, tokens: 'auto [ max_ops , max_mb ] =' }]
        edits:
          - at: { function: 'Encoder::needs_commit', position: begin }
            insert: |
              X;
        expect: [{ in: { function: 'Encoder::needs_commit' }, tokens: '( sizes_ >> 20 ) > max_mb' }]
      - name: old
        when: [{ in: { function: 'Device::needs_commit' }, tokens: '> max_mb_' }]
        edits:
          - at: { function: 'Device::needs_commit', position: begin }
            insert: |
              Y;
";

#[test]
fn a_premise_that_fails_is_an_error_and_shows_the_code_and_the_yaml_to_add() {
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
fn a_renamed_function_is_mended_by_pasting_the_yaml_of_the_help() {
    let renamed = DEVICE.replace("Encoder::needs_commit", "Encoder::should_commit");
    let found = carried(&[&overlay("o", VARIANTS)], &renamed).unwrap_err();
    assert_eq!(found[0].code, Code::NoVariant);
    assert!(found[0].excerpt.as_ref().unwrap().contains("should_commit"));
    let mended = mended(VARIANTS, found[0].help.as_ref().unwrap());
    assert!(carried(&[&mended], &renamed).unwrap().contains("X;"));
    assert!(carried(&[&mended], DEVICE).unwrap().contains("X;"));
}

#[test]
fn a_condition_on_the_whole_file_is_given_back_as_the_loader_reads_it() {
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
fn a_hunk_without_variants_gets_both_forms_in_the_help() {
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
fn a_function_duplicated_under_ifdef_is_mended_by_pasting_the_yaml_of_the_help() {
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

#[test]
fn two_variants_that_fit_are_refused() {
    let both = format!("{DEVICE}bool Device::needs_commit() {{\n  return a > max_mb_;\n}}\n");
    assert_eq!(
        codes(&[&overlay("o", VARIANTS)], &both),
        [Code::SeveralVariants]
    );
}

#[test]
fn code_that_stands_upstream_already_is_reported_as_landed() {
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

#[test]
fn an_unless_that_is_there_makes_the_edit_needless() {
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

fn judged(base_text: &str, new_text: &str, reviewed: bool) -> Verdict {
    let overlay = edit("{ function: 'Encoder::commit', position: begin }");
    judged_for(&overlay, base_text, new_text, reviewed)
}

fn judged_for(overlay: &Overlay, base_text: &str, new_text: &str, reviewed: bool) -> Verdict {
    let (old, new) = (texts(base_text), texts(new_text));
    let before = carry(&[overlay], &old);
    let mut base = Base {
        described: "v1".to_owned(),
        ..Base::default()
    };
    base.texts.extend(
        old.all()
            .map(|(path, text)| (path.clone(), Arc::clone(&text.parsed))),
    );
    let landing = &before.landings[0];
    base.accepted
        .insert(landing.key.clone(), landing.splices().to_vec());
    let after = carry(&[overlay], &new);
    let text = new.get("d.cpp".into()).unwrap();
    let known = if reviewed {
        Known::Reviewed
    } else {
        Known::New
    };
    judge(&after.landings[0], &text.parsed, known, &[&base])
}

#[test]
fn an_unknown_shape_is_accepted_when_a_merge_agrees_and_needs_review_when_it_cannot_tell() {
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
fn a_merge_that_puts_it_elsewhere_is_never_ignored() {
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
