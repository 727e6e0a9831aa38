use std::collections::BTreeSet;
use std::sync::Arc;

use patchctl_apply::{BlobId, markers};

use super::*;
use crate::cpp::{Parsed, Reading};
use crate::overlay::{Overlay, load};
use crate::patch::{Texts, carry};

const UPSTREAM: &str = "\
#include <cstdlib>

namespace a::b {

bool Encoder::full(int index) const {
  auto [max_ops, max_mb] = limits();
  return (ops_ > max_ops) || ((sizes_ >> 20) > max_mb);
}

bool Device::full(int index) {
  return ops_ > max_ops_ || (sizes_ >> 20) > max_mb_;
}

} // namespace a::b
";

fn overlay(hunks: &str) -> Overlay {
    let yaml = format!(
        "schema: 1\noverlay: o\ntitle: t\nwhy: w\nfile: d.cpp\nreleases: '>=0.1.0'\nhunks:\n{hunks}"
    );
    load("o.yaml".into(), yaml.as_bytes()).unwrap_or_else(|faults| panic!("{faults}"))
}

/// An edit that inserts `text` at `at`.
fn hunk(id: &str, at: &str, text: &str) -> String {
    let lines = text.lines().map(|line| format!("          {line}\n"));
    let lines: String = lines.collect();
    format!("  - id: {id}\n    edits:\n      - at: {at}\n        insert: |2\n{lines}")
}

fn made(overlay: &Overlay) -> Vec<Mutant> {
    let mut texts = Texts::default();
    let parsed = Arc::new(Parsed::new(UPSTREAM.as_bytes(), &Reading::default()));
    texts.insert("d.cpp".into(), BlobId::of(UPSTREAM.as_bytes()), parsed);
    let carried = carry(&[overlay], &texts);
    assert_eq!(carried.files.len(), 1, "{:?}", carried.problems);
    mutants(&carried.files, &texts, &[overlay]).unwrap()
}

/// `line operator what`, without those that leave out whole edits.
fn faults(at: &str, text: &str) -> Vec<String> {
    let line = |mutant: Mutant| {
        let what = mutant.what.replace('`', "");
        mutant
            .line
            .map(|line| format!("{line} {}: {what}", mutant.operator))
    };
    made(&overlay(&hunk("h", at, text)))
        .into_iter()
        .filter_map(line)
        .collect()
}

const BEFORE_ENCODER: &str = "{ function: 'Encoder::full', position: before }";
const AFTER_LIMITS: &str = "{ function: 'Encoder::full', statement: { kind: declaration, tokens: 'auto [ max_ops , max_mb ]' }, position: after }";
const IN_DEVICE: &str = "{ function: 'Device::full', position: begin }";
const AT_END: &str = "{ namespace: 'a::b', position: end }";
const FIRST: &str = "{ include: <cstdlib>, position: before }";

#[test]
fn each_edit_and_hunk_is_left_out_once() {
    let two = "  - id: h\n    edits:\n      - id: one\n        at: { include: <cstdlib>, position: before }\n        \
               insert: |\n          #include <atomic>\n      - id: two\n        at: { namespace: 'a::b', position: end }\n        \
               insert: |\n          void f();\n";
    let alone = hunk("alone", IN_DEVICE, "f();\n");
    let whole = made(&overlay(&format!("{two}{alone}")))
        .into_iter()
        .filter(|mutant| mutant.line.is_none())
        .map(|mutant| format!("{} {}", mutant.place, mutant.operator))
        .collect::<Vec<_>>();
    assert_eq!(
        whole,
        [
            "o/h drop-hunk",
            "o/h.one drop-edit",
            "o/alone.1 drop-edit",
            "o/h.two drop-edit"
        ]
    );
}

#[test]
fn a_slot_is_changed_and_made_thread_local() {
    assert_eq!(
        faults(
            BEFORE_ENCODER,
            "namespace {\n// Why.\nstd::atomic<int> slot{0};\n}"
        ),
        [
            "3 drop-statement: std::atomic<int> slot{0}; is left out",
            "3 thread-local: std::atomic<int> slot{0}; became thread_local std::atomic<int> slot{0};",
            "3 number: slot{0} became slot{1}",
        ]
    );
}

#[test]
fn a_read_is_changed_in_every_way() {
    assert_eq!(
        faults(
            AFTER_LIMITS,
            "if (int budget = slot.load();\n    budget > 0) {\n  max_mb = budget;\n}"
        ),
        [
            "1 name: budget = slot.load() became budget = index",
            "1 name: budget = slot.load() became budget = max_ops",
            "1 name: budget = slot.load() became budget = max_mb",
            "2 condition: budget > 0 became true",
            "2 comparison: budget > 0 became budget < 0",
            "2 comparison: budget > 0 became budget >= 0",
            "2 comparison: budget > 0 became budget <= 0",
            "2 comparison: budget > 0 became budget == 0",
            "2 name: budget > 0 became index > 0",
            "2 name: budget > 0 became max_ops > 0",
            "2 name: budget > 0 became max_mb > 0",
            "2 number: budget > 0 became budget > 1",
            "3 drop-statement: max_mb = budget; is left out",
            "3 name: max_mb = budget became index = budget",
            "3 name: max_mb = budget became max_ops = budget",
            "3 name: max_mb = budget became budget = budget",
            "3 name: max_mb = budget became max_mb = index",
            "3 name: max_mb = budget became max_mb = max_ops",
            "3 name: max_mb = budget became max_mb = max_mb",
        ]
    );
}

#[test]
fn a_shadowing_local_shadows_another_name() {
    let found = faults(
        IN_DEVICE,
        "const int max_mb_ = [this] {\n  return slot ? slot : this->max_mb_;\n}();",
    );
    for expected in [
        "1 name: max_mb_ became ops_",
        "1 name: max_mb_ became max_ops_",
        "1 name: max_mb_ became sizes_",
        "2 arms: slot ? slot : this->max_mb_ became (this->max_mb_)",
        "2 constant: return slot ? slot : this->max_mb_; became return 0;",
    ] {
        assert!(found.iter().any(|line| line == expected), "{found:#?}");
    }
    // It shadows nothing that upstream reads. To leave it out is to leave out the edit, which has nothing else.
    assert_eq!(
        faults(IN_DEVICE, "const int mine = f();"),
        ["1 name: mine = f() became mine = index"]
    );
}

#[test]
fn parts_of_a_function_are_taken_away() {
    assert_eq!(
        faults(
            AT_END,
            "__attribute__((visibility(\"default\"))) void set(int mb) {\n  slot = mb;\n}\n\
             [[nodiscard]] int get() {\n  return slot;\n}"
        ),
        [
            "1 drop-statement: __attribute__((visibility(\"default\"))) void set(int mb) {  … is left out",
            "1 empty-body: { slot = mb; } became {}",
            "1 ignores-zero: set(int mb) { became set(int mb) { if (mb == 0) return;",
            "1 drop-attribute: __attribute__((visibility(\"default\"))) is left out",
            "4 drop-statement: [[nodiscard]] int get() { return slot; } is left out",
            "5 constant: return slot; became return {};",
        ]
    );
}

#[test]
fn equivalent_mutants_are_not_made() {
    let found = |text: &str| faults(AT_END, text).join("\n");
    let clamp = found("int f(int x) {\n  return x > 0 ? x : 0;\n}");
    assert!(clamp.contains("became x < 0") && clamp.contains("became x <= 0"));
    assert!(!clamp.contains("x >= 0"), "{clamp}");
    let least = found("int f(int x) {\n  return (x <= most) ? most : x;\n}");
    assert!(
        !least.contains("x < most") && least.contains("x > most"),
        "{least}"
    );
    // Other arms: there it is another value.
    assert!(found("int f(int x) {\n  return x > 0 ? x : other;\n}").contains("x >= 0"));
    assert!(!found("int f() {\n  return 1;\n}").contains("drop-statement: return"));
    assert!(!found("const int fixed = 3;\nint more;").contains("thread_local const"));
    assert!(!found("[[maybe_unused]] int one;\nint more;").contains("[[maybe_unused]] is left"));
    let checks = faults(AFTER_LIMITS, "assert(max_ops);\n(void)max_mb;\nf();");
    assert!(
        !checks
            .iter()
            .any(|line| line.contains("assert(max_ops); is left")),
        "{checks:#?}"
    );
}

#[test]
fn other_code_has_its_own_faults() {
    let found = faults(
        AFTER_LIMITS,
        "static int calls;\nif (!slot || calls + 1 == 0x10u)\n  calls = 7;\nelse\n  return true;",
    );
    for expected in [
        "1 thread-local: static int calls; became thread_local static int calls;",
        "2 logic: !slot became slot",
        "2 logic: !slot || calls + 1 == 0x10u became !slot && calls + 1 == 0x10u",
        "2 arithmetic: calls + 1 became calls - 1",
        "2 comparison: calls + 1 == 0x10u became calls + 1 != 0x10u",
        "2 number: calls + 1 == 0x10u became calls + 1 == 17u",
        "2 number: calls + 1 == 0x10u became calls + 1 == 0u",
        "2 condition: !slot || calls + 1 == 0x10u became false",
        "3 drop-statement: calls = 7; is left out",
        "3 name: calls = 7 became max_ops = 7",
        "4 drop-statement: else return true; is left out",
        "5 drop-statement: return true; is left out",
        "5 logic: true became false",
    ] {
        assert!(
            found.iter().any(|line| line == expected),
            "{expected}: {found:#?}"
        );
    }
}

#[test]
fn a_body_without_braces_is_left_out() {
    let text = "if (max_mb)\n  f();\ng();";
    let all = made(&overlay(&hunk("h", AFTER_LIMITS, text)));
    let body = all.iter().find(|mutant| mutant.line == Some(2)).unwrap();
    assert_eq!((&*body.was, &*body.now), ("  f();", "  ;"));
}

#[test]
fn replacement_changes_only_new_lines() {
    let hunks = "  - id: h\n    edits:\n      - at: { function: 'Encoder::full', statement: { kind: return, tokens: 'return ( ops_' } }\n        \
                 why: w\n        replace: |2\n            return ops_ > max_ops;\n";
    let all = made(&overlay(hunks));
    let operators: Vec<&str> = all.iter().map(|mutant| mutant.operator).collect();
    assert!(operators.contains(&"comparison") && operators.contains(&"name"));
    assert_eq!(all[0].operator, DROP_EDIT);
    assert_eq!(all[0].files[0].bytes, UPSTREAM.as_bytes());
}

#[test]
fn mutants_leave_upstreams_code_alone() {
    let hunks = [
        hunk("include", FIRST, "#include <atomic>\n"),
        hunk("slot", BEFORE_ENCODER, "std::atomic<int> slot{0};\n"),
        hunk("read", AFTER_LIMITS, "if (slot > 0)\n  max_mb = slot;\n"),
        hunk(
            "set",
            AT_END,
            "void set(int mb) {\n  slot = mb > 0 ? mb : 0;\n}\n",
        ),
    ];
    let all = made(&overlay(&hunks.concat()));
    assert!(all.len() > 20, "{}", all.len());
    let mut texts = BTreeSet::new();
    for mutant in &all {
        let bytes = &mutant.files[0].bytes;
        assert_eq!(
            markers::take_off(bytes).unwrap().bytes,
            UPSTREAM.as_bytes(),
            "{mutant:?}"
        );
        assert!(texts.insert(bytes.clone()), "twice: {mutant:?}");
        assert_eq!(BlobId::of(bytes), mutant.files[0].after);
    }
}

#[test]
fn no_text_makes_the_generator_panic() {
    let pieces = proptest::sample::select(vec![
        "if",
        "(",
        ")",
        "{",
        "}",
        ";",
        "x",
        "max_mb",
        "=",
        ">",
        "<",
        "?",
        ":",
        "0",
        "int",
        "return",
        "[",
        "]",
        "é",
        "else",
        "//",
        "\n",
        "void",
        ",",
        "::",
        "auto",
        "\"s\"",
        "for",
        "__attribute__((weak))",
    ]);
    let text = proptest::collection::vec(pieces, 1..40);
    proptest::proptest!(|(pieces in text, place in 0_usize..3)| {
        let text = format!("{}\nlast();\n", pieces.join(" "));
        let at = [AFTER_LIMITS, BEFORE_ENCODER, AT_END][place];
        let text = text.lines().map(|line| line.trim().to_owned() + "\n").collect::<String>();
        for mutant in made(&overlay(&hunk("h", at, &text))) {
            proptest::prop_assert_ne!(mutant.what, "");
        }
    });
}
