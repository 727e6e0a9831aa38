//! Files that have not the form of an overlay.

use super::*;

#[test]
fn an_unknown_key_is_refused_at_every_level() {
    let base = with_hunks(
        "  - id: h\n    variants:\n      - name: v\n        when:\n          - { in: { function: f }, tokens: a }\n        edits:\n          - at: { function: f, statement: { tokens: a }, position: before }\n            insert: \"a\\n\"\n",
    );
    none(&base);
    for (from, to, expected) in [
        (
            "title: t",
            "title: t\ntitel: t",
            "4:1 yaml-unknown-key: unknown key `titel` in an overlay -- did you mean `title`?",
        ),
        (
            "  - id: h",
            "  - id: h\n    expects: []",
            "8:5 yaml-unknown-key: unknown key `expects` in a hunk -- did you mean `expect`?",
        ),
        (
            "- name: v",
            "- name: v\n        edit: []",
            "10:9 yaml-unknown-key: unknown key `edit` in a variant -- did you mean `edits`?",
        ),
        (
            "tokens: a }\n        edits",
            "token: a }\n        edits",
            "11:36 yaml-unknown-key: unknown key `token` in a condition -- did you mean `tokens`?",
        ),
        (
            "in: { function: f }",
            "in: { func: f }",
            "11:21 yaml-unknown-key: unknown key `func` in a scope -- did you mean `function`?",
        ),
        (
            "insert:",
            "Insert:",
            "14:13 yaml-unknown-key: unknown key `Insert` in an edit -- did you mean `insert`?",
        ),
        (
            "position: before",
            "positon: before",
            "13:58 yaml-unknown-key: unknown key `positon` in an anchor -- did you mean `position`?",
        ),
        (
            "statement: { tokens: a }",
            "statement: { tokens: a, nest: true }",
            "13:56 yaml-unknown-key: unknown key `nest` in a statement -- did you mean `nested`?",
        ),
    ] {
        let changed = base.replacen(from, to, 1);
        assert_ne!(changed, base, "{from}");
        one(&changed, expected);
    }
}

#[test]
fn a_key_of_another_map_is_told_where_it_belongs() {
    let text = at("{ function: f }\n        position: before");
    one(
        &text,
        "10:9 yaml-unknown-key: unknown key `position` in an edit -- `position` is a key of an anchor; known here: `id`, `file`, `at`, `unless`, `insert`, `replace`, `why`",
    );
    one(
        &at("{ <<: { function: f }, position: before }"),
        "9:15 yaml-unknown-key: unknown key `<<` in an anchor -- merge keys are not supported: write the keys out",
    );
}

#[test]
fn duplicate_keys_are_refused_at_every_level() {
    let text = at("{ function: f, function: g, position: before }")
        .replace("title: t", "title: t\ntitle: t")
        .replace("- id: h", "- id: h\n    id: h")
        .replace(
            "insert: \"int a;\\n\"",
            "insert: \"int a;\\n\"\n        insert: \"b\\n\"",
        );
    let expected = [
        "4:1 yaml-duplicate-key: the key `title` is here twice, first on line 3 -- keep one of them",
        "9:5 yaml-duplicate-key: the key `id` is here twice, first on line 8 -- keep one of them",
        "11:28 yaml-duplicate-key: the key `function` is here twice, first on line 11 -- keep one of them",
        "13:9 yaml-duplicate-key: the key `insert` is here twice, first on line 12 -- keep one of them",
    ];
    assert_eq!(faults(&text), expected);
}

#[test]
fn a_missing_key_is_named_with_what_it_is_for() {
    one(
        &at("{ function: f, position: before }").replace("why: w\n", ""),
        "1:1 yaml-missing-key: an overlay has no `why` -- add `why: …`: Why it exists",
    );
    one(
        &with_hunks("  - edits: []\n"),
        "7:5 yaml-missing-key: a hunk has no `id` -- add `id: …`: Its name, unique in the overlay: letters `a` to `z`, digits and `-`",
    );
}

#[test]
fn a_wrong_type_is_named() {
    let good = at("{ function: f, position: before }");
    for (from, to, expected) in [
        (
            "schema: 1",
            "schema: '1'",
            "1:9 yaml-wrong-type: expected 1, found the text `1`",
        ),
        (
            "schema: 1",
            "schema: 0",
            "1:9 yaml-wrong-type: expected 1, found the number 0",
        ),
        (
            "title: t",
            "title: 3",
            "3:8 yaml-wrong-type: expected a text, found the number 3 -- put it in quotes: '3'",
        ),
        (
            "title: t",
            "title: true",
            "3:8 yaml-wrong-type: expected a text, found `true` -- put it in quotes: 'true'",
        ),
        (
            "title: t",
            "title: [t]",
            "3:8 yaml-wrong-type: expected a text, found a list",
        ),
        (
            "title: t",
            "title:",
            "3:6 yaml-wrong-type: expected a text, found nothing -- give it a value, or leave the key out",
        ),
        (
            "title: t",
            "title: t\nafter: y",
            "4:8 yaml-wrong-type: expected a list, found the text `y` -- write it as a list: `[ … ]`, or a `- ` before each",
        ),
        (
            "title: t",
            "title: t\nprovides: [a]",
            "4:11 yaml-wrong-type: expected a map, found a list -- remove the `-` or the brackets",
        ),
        (
            "{ function: f, position: before }",
            "[f]",
            "9:13 yaml-wrong-type: expected a map (`include`, `function`, `signature`, `statement`, `expression`, `class`, `member`, `namespace`, `line`, `under`, `position`, `preprocessor`), found a list -- remove the `-` or the brackets",
        ),
        (
            "position: before",
            "position: befor",
            "9:38 yaml-unknown-value: `befor` is not one of `before`, `after`, `begin`, `end` -- did you mean `before`?",
        ),
        (
            "position: before",
            "position: 1",
            "9:38 yaml-wrong-type: expected `before` or `after` or `begin` or `end`, found the number 1",
        ),
        (
            "f, position",
            "f, statement: { kind: loop }, position",
            "9:47 yaml-unknown-value: `loop` is not one of `declaration`, `if`, `for`, `while`, `return`, `expression`, `switch`, `try`, `block`",
        ),
        (
            "f, position",
            "f, statement: { kind: if, nested: 1 }, position",
            "9:59 yaml-wrong-type: expected `true` or `false`, found the number 1",
        ),
    ] {
        let changed = good.replacen(from, to, 1);
        assert_ne!(changed, good, "{from}");
        one(&changed, expected);
    }
}

#[test]
fn what_is_no_map_at_all_is_said_so() {
    one("", "1:1 yaml-empty: the file is empty, expected a map");
    one(
        "# only a comment\n",
        "1:1 yaml-empty: the file is empty, expected a map",
    );
    let keys = "`schema`, `overlay`, `kind`, `title`, `why`, `file`, `releases`, `provides`, `evidence`, `landed`, `after`, `dialect`, `macros`, `hunks`";
    one(
        "- a\n",
        &format!(
            "1:1 yaml-wrong-type: expected a map ({keys}), found a list -- remove the `-` or the brackets"
        ),
    );
    one(
        "a\n",
        &format!("1:1 yaml-wrong-type: expected a map ({keys}), found the text `a`"),
    );
}

#[test]
fn a_later_schema_and_kind_are_refused_alone() {
    one(
        "schema: 2\nwonders: [1]\n",
        "1:9 schema-unsupported: the file has schema 2, this version reads up to 1 -- use a newer patchctl",
    );
    for kind in ["new-file", "file-copy"] {
        one(
            &format!("schema: 1\nkind: {kind}\nbase: x\n"),
            &format!(
                "2:7 overlay-kind-unsupported: overlays of kind `{kind}` are not supported by this version yet -- write `kind: hunks`, or leave it out"
            ),
        );
    }
    none(&at("{ function: f, position: before }").replace("title:", "kind: hunks\ntitle:"));
    one(
        &at("{ function: f, position: before }").replace("title:", "kind: hunk\ntitle:"),
        "3:7 yaml-unknown-value: `hunk` is not one of `hunks` -- did you mean `hunks`?",
    );
}

#[test]
fn a_fault_of_form_hides_no_other_hunk() {
    let text = with_hunks(
        "  - id: h\n    edits: 3\n  - id: I\n    edits:\n      - { at: { namespace: n, position: before }, insert: x }\n",
    )
    .replace("title: t", "titel: t\ntitle: t");
    let codes: Vec<String> = faults(&text)
        .iter()
        .map(|fault| fault.split(':').take(2).collect::<Vec<_>>().join(":"))
        .collect();
    let expected = [
        "3:1 yaml-unknown-key",
        "9:12 yaml-wrong-type",
        "10:9 overlay-bad-id",
        "12:41 overlay-bad-position",
        "12:59 overlay-bad-text",
    ];
    assert_eq!(codes, expected);
}

#[test]
fn faults_carry_the_line_that_they_are_about() {
    let text = at("{ function: f, positon: before }");
    let faults = load(Utf8Path::new("x.yaml"), text.as_bytes()).unwrap_err();
    assert_eq!(
        faults.0[0].excerpt.as_deref(),
        Some("      - at: { function: f, positon: before }")
    );
    let finding = &faults.0[0];
    assert_eq!(
        (finding.line, finding.column, finding.excerpt_line),
        (Some(9), Some(28), Some(9))
    );
    assert_eq!(finding.file.as_deref(), Some("x.yaml"));
}
