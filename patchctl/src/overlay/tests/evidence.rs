//! `evidence`: records of measurements.

use super::*;
use crate::report::Code;

fn codes(evidence: &str) -> Vec<Code> {
    let text = format!(
        "schema: 1\noverlay: x\ntitle: t\nwhy: w\nfile: a.cpp\nevidence: [{evidence}]\nhunks:\n  - id: h\n    \
         edits:\n      - {{ at: {{ function: f, position: before }}, insert: \"int a;\\n\" }}\n"
    );
    let faults = load(Utf8Path::new("x.yaml"), text.as_bytes()).err();
    let faults = faults.into_iter().flat_map(|faults| faults.0);
    faults.map(|fault| fault.code).collect()
}

#[test]
fn evidence_is_a_file_of_this_repository() {
    assert_eq!(codes("{ record: docs/m.md, what: w }"), []);
    for (evidence, code) in [
        ("{ record: /m.md, what: w }", Code::OverlayBadPath),
        (
            "{ record: ../m.md, mlx: 1.0.0, what: w }",
            Code::OverlayBadPath,
        ),
        ("{ record: '#heading', what: w }", Code::OverlayBadPath),
        (
            "{ record: m.md, mlx: newest, what: w }",
            Code::OverlayBadName,
        ),
        ("{ record: m.md, what: ' ' }", Code::OverlayBadName),
        ("{ record: m.md }", Code::YamlMissingKey),
        ("{ record: m.md, what: w, when: now }", Code::YamlUnknownKey),
    ] {
        assert_eq!(codes(evidence), [code], "{evidence}");
    }
}
