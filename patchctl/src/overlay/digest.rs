//! Digests of an overlay's meaning. They go into the lock, `reviewed.yaml` and every marker, so their form
//! is a promise: a changed digest makes every patched tree stale and every reviewed shape unknown.
//!
//! The form: the model as JSON, map keys sorted, without white space, and without what says nothing
//! (`null`, `false`, empty lists and maps), so that a key that comes later and is not used changes no digest.

use serde_json::{Value as Json, json};
use sha2::{Digest, Sha256};

use super::model::{Edit, Overlay};

/// The hex digits of [`edit_digest`] that a marker carries.
pub const MARKER_DIGEST_DIGITS: usize = 12;
const OVERLAY_FORM: &str = "patchctl overlay 1";
const EDIT_FORM: &str = "patchctl edit 1";

/// SHA-256, in hex, over what the overlay means: all of it but its title, every `why`, its `evidence`, the order
/// of `after` and `macros`, and where things stand in the file.
pub fn overlay_digest(overlay: &Overlay) -> String {
    digest(OVERLAY_FORM, json!(overlay))
}

/// SHA-256, in hex, over what one edit does and where: the ids of its overlay and hunk, its own, its file,
/// its anchor, `unless` and its text. Not its variant's name, nor `why`. Its first
/// [`MARKER_DIGEST_DIGITS`] digits are the marker's.
pub fn edit_digest(overlay: &str, hunk: &str, edit: &Edit) -> String {
    digest(EDIT_FORM, edit_meaning(overlay, hunk, edit))
}

fn edit_meaning(overlay: &str, hunk: &str, edit: &Edit) -> Json {
    json!({
        "overlay": overlay,
        "hunk": hunk,
        "edit": edit.id,
        "file": edit.file,
        "at": edit.at,
        "unless": edit.unless,
        "text": edit.text,
    })
}

fn digest(form: &str, json: Json) -> String {
    patchctl_apply::hex(&Sha256::digest(preimage(form, json)))
}

/// Returns the text that is hashed. `form` names its version, so that two forms never give one digest.
fn preimage(form: &str, json: Json) -> String {
    format!("{form}\n{}", canonical(json).unwrap_or_default())
}

/// Sorted keys, and `None` for what says nothing.
fn canonical(json: Json) -> Option<Json> {
    match json {
        Json::Null | Json::Bool(false) => None,
        Json::Array(items) => {
            let items: Vec<Json> = items.into_iter().filter_map(canonical).collect();
            (!items.is_empty()).then_some(Json::Array(items))
        }
        Json::Object(map) => {
            let mut entries: Vec<(String, Json)> = map
                .into_iter()
                .filter_map(|(key, value)| Some((key, canonical(value)?)))
                .collect();
            entries.sort_by(|one, other| one.0.cmp(&other.0));
            (!entries.is_empty()).then(|| Json::Object(entries.into_iter().collect()))
        }
        other => Some(other),
    }
}

#[cfg(test)]
mod tests {
    use camino::Utf8Path;

    use super::*;
    use crate::overlay::load;

    const STYLE_ONE: &str = r#"
schema: 1
overlay: x
title: one
why: because
file: a/b.cpp
after: [w, v]
hunks:
  - id: h
    edits:
      - { at: { function: f, position: before }, insert: "int a;\n" }
      - at: { function: f, statement: { tokens: return }, preprocessor: ['#if A'] }
        replace: "return 2;\n"
        why: it was wrong
"#;
    const STYLE_TWO: &str = r##"
hunks:
- variants:
  - edits:
    - insert: |
        int a;
      id: '1'
      at:
        position: before
        function: "f"
        preprocessor: []
    - why: >
        another reason
      replace: |
        return 2;
      file: a/b.cpp
      at: { preprocessor: ["#if A"], statement: { nested: false, tokens: 'return' }, function: f }
    name: only
    expect: []
  id: h
after: [v, w]
releases: '*'
why: no
title: two
overlay: x
schema: 1
file: a/b.cpp
"##;

    fn overlay(text: &str) -> Overlay {
        load(Utf8Path::new("x.yaml"), text.as_bytes()).unwrap()
    }

    #[test]
    fn digests_have_the_promised_form() {
        let overlay = overlay(STYLE_ONE);
        assert_eq!(
            overlay_digest(&overlay),
            "c919851d0c89d3f5c85aef0bb6fcad1ed7d1407792e1a39aa5bcc7f20a124d92"
        );
        let edits = &overlay.hunks[0].variants[0].edits;
        assert_eq!(
            preimage(EDIT_FORM, edit_meaning("x", "h", &edits[0])),
            "patchctl edit 1\n{\"at\":{\"position\":\"before\",\"scope\":{\"function\":{\"name\":\"f\"}}},\"edit\":\"1\",\"file\":\"a/b.cpp\",\"hunk\":\"h\",\"overlay\":\"x\",\"text\":{\"insert\":\"int a;\\n\"}}"
        );
        assert_eq!(
            edit_digest("x", "h", &edits[0]),
            "c0fbe46c81950267711fe0440d29fc2e0c3371661ffc29c3b1f4c26c3c40ae12"
        );
        assert_eq!(
            preimage(EDIT_FORM, edit_meaning("x", "h", &edits[1])),
            "patchctl edit 1\n{\"at\":{\"position\":\"before\",\"preprocessor\":[\"#if A\"],\"scope\":{\"function\":{\"name\":\"f\"}},\"statement\":{\"tokens\":\"return\"}},\"edit\":\"2\",\"file\":\"a/b.cpp\",\"hunk\":\"h\",\"overlay\":\"x\",\"text\":{\"replace\":\"return 2;\\n\"}}"
        );
    }

    #[test]
    fn style_and_texts_for_people_change_no_digest() {
        let (one, two) = (overlay(STYLE_ONE), overlay(STYLE_TWO));
        let evidence = "evidence: [{ record: a.md, mlx: 1.0.0, what: w }]\nafter:";
        let measured = overlay(&STYLE_ONE.replacen("after:", evidence, 1));
        assert_eq!(measured.evidence.len(), 1);
        assert_eq!(overlay_digest(&one), overlay_digest(&measured));
        assert_eq!(overlay_digest(&one), overlay_digest(&two));
        for (one, two) in one.hunks[0].variants[0]
            .edits
            .iter()
            .zip(&two.hunks[0].variants[0].edits)
        {
            assert_eq!(edit_digest("x", "h", one), edit_digest("x", "h", two));
        }
    }

    #[test]
    fn an_edits_meaning_changes_both_digests() {
        let before = overlay(STYLE_ONE);
        for (from, to) in [
            ("position: before", "position: after"),
            ("function: f, position", "function: g, position"),
            ("int a;", "int  a;"),
            ("a/b.cpp", "a/c.cpp"),
            ("{ at:", "{ id: one, at:"),
            ("insert: \"", "unless: { include: <a> }, insert: \""),
            ("id: h", "id: i"),
        ] {
            let changed = STYLE_ONE.replacen(from, to, 1);
            assert_ne!(changed, STYLE_ONE, "{from}");
            let after = overlay(&changed);
            let first = |overlay: &Overlay| {
                let hunk = &overlay.hunks[0];
                edit_digest(&overlay.id, &hunk.id, &hunk.variants[0].edits[0])
            };
            assert_ne!(first(&before), first(&after), "{from} -> {to}");
            assert_ne!(
                overlay_digest(&before),
                overlay_digest(&after),
                "{from} -> {to}"
            );
        }
    }

    #[test]
    fn conditions_change_the_overlays_digest_alone() {
        let before = overlay(STYLE_ONE);
        for (from, to) in [
            ("after: [w, v]", "after: [w]"),
            ("after:", "macros: [M]\nafter:"),
            ("after:", "releases: '>=1'\nafter:"),
            ("after:", "provides: { setter: f }\nafter:"),
            (
                "    edits:",
                "    when: [{ in: { function: f }, tokens: a }]\n    edits:",
            ),
            (
                "    edits:",
                "    expect: [{ in: { function: f }, tokens: a, absent: true }]\n    edits:",
            ),
        ] {
            let after = overlay(&STYLE_ONE.replacen(from, to, 1));
            assert_ne!(
                overlay_digest(&before),
                overlay_digest(&after),
                "{from} -> {to}"
            );
            let first =
                |overlay: &Overlay| edit_digest("x", "h", &overlay.hunks[0].variants[0].edits[0]);
            assert_eq!(first(&before), first(&after));
        }
    }
}
