//! The texts of edits, and what an edit and a hunk consist of.

use super::*;

#[test]
fn texts_that_cannot_be_removed_are_refused() {
    for (text, expected) in [
        (
            "\"int a;\"",
            "10:18 overlay-bad-text: the text does not end with a line feed -- write the text as a block: `insert: |`, or end it with `\\n`",
        ),
        ("\" \\n\"", "10:17 overlay-bad-text: the text is empty"),
        (
            "|\n          a\n          // patchctl:end x\n",
            "12:14 overlay-bad-text: the text holds `patchctl:end`, which marks patched code -- patchctl writes the markers; remove it",
        ),
        (
            "|\n          // patchctl:begin x\n",
            "11:14 overlay-bad-text: the text holds `patchctl:begin`, which marks patched code -- patchctl writes the markers; remove it",
        ),
        (
            "|\n          // patchctl:was\n",
            "11:14 overlay-bad-text: the text holds `patchctl:was`, which marks patched code -- patchctl writes the markers; remove it",
        ),
        (
            "|\n          #define A \\\n",
            "11:21 overlay-bad-text: the text ends with a backslash, which would swallow the marker below it",
        ),
        (
            "|\n          int a;\n          /* b\n",
            "12:11 overlay-bad-text: the text is not whole C++ tokens: a comment has no end",
        ),
        (
            "|\n          auto a = R\"(b\n",
            "11:20 overlay-bad-text: the text is not whole C++ tokens: a raw string has no end",
        ),
        (
            "|\n          #ifdef A\n          int a;\n",
            "11:11 overlay-bad-text: the text has a `#ifdef` without its partner -- open and close it in one edit",
        ),
        (
            "|\n          # endif // A\n",
            "11:11 overlay-bad-text: the text has a `#endif` without its partner -- open and close it in one edit",
        ),
        (
            "|\n          #else\n",
            "11:11 overlay-bad-text: the text has a `#else` without its partner -- open and close it in one edit",
        ),
        (
            "|\n          a // \u{202e}b\n",
            "11:16 overlay-bad-text: the text holds the character U+202E, which editors do not show -- remove it, or write it as an escape in a C++ literal",
        ),
        (
            "\"a;\\r\\n\"",
            "10:17 overlay-bad-text: the text holds the character U+000D, which editors do not show -- remove it, or write it as an escape in a C++ literal",
        ),
    ] {
        one(&insert(text), expected);
    }
    let long = format!("\"// {}\\n\"", "x".repeat(64 << 10));
    one(
        &insert(&long),
        "10:17 overlay-bad-text: the text has 65540 bytes, over the limit of 65536 -- put the code in a file of its own and insert an `#include`",
    );
    none(&insert(
        "|\n          #if A\n          int a;\n          #else\n          int b; // \"\n          #endif\n",
    ));
    none(&insert(
        "|\n          auto a = R\"(\n          #if B\n          )\";\n",
    ));
}

#[test]
fn a_replacement_is_of_one_statement() {
    let replace = |at: &str, text: &str| {
        with_hunks(&format!(
            "  - id: h\n    edits:\n      - at: {at}\n        why: w\n        replace: {text}\n"
        ))
    };
    let statement = "{ function: f, statement: { kind: if } }";
    none(&replace(statement, "\"a;\\n\""));
    one(
        &replace(statement, "\"a;\\n\"").replace("        why: w\n", ""),
        "10:9 overlay-replace-without-why: a replacement has no `why` -- add `why: …`: a replacement hides upstream's lines, so it says for what reason; or use `insert`",
    );
    let whole = "a replacement takes the place of one whole statement: add `statement: …`";
    one(
        &replace("{ function: f }", "\"a;\\n\""),
        &format!("9:13 overlay-keys-clash: `at` does not name a statement -- {whole}"),
    );
    one(
        &replace("{ function: f, expression: a }", "\"a;\\n\""),
        &format!("9:13 overlay-keys-clash: `expression` does not name a statement -- {whole}"),
    );
    one(
        &replace(
            "{ function: f, statement: { kind: if }, position: after }",
            "\"a;\\n\"",
        ),
        "9:53 overlay-keys-clash: `position` says nothing beside `replace` -- a replacement stands in the statement's own place; remove it",
    );
    one(
        &replace(statement, "|\n          #define A\n"),
        "12:11 overlay-bad-text: the text holds a preprocessor line, which a replacement cannot -- move that part into an `insert` before or after",
    );
    one(
        &replace(statement, "|\n          a(u8R\"(b)\");\n"),
        "12:13 overlay-bad-text: the text holds a raw string, which a replacement cannot -- move that part into an `insert` before or after",
    );
    one(
        &replace(statement, "a"),
        "11:18 overlay-bad-text: the text does not end with a line feed -- write the text as a block: `insert: |`, or end it with `\\n`",
    );
}

#[test]
fn an_edit_and_a_hunk_do_one_thing() {
    one(
        &at("{ function: f, position: before }\n        replace: \"a;\\n\""),
        "9:9 overlay-keys-clash: an edit needs exactly one of `insert` and `replace`, found `insert` and `replace` -- keep one of `insert` and `replace`",
    );
    one(
        &at("{ function: f, position: before }").replace("        insert: \"int a;\\n\"\n", ""),
        "9:9 overlay-keys-clash: an edit needs exactly one of `insert` and `replace`, found none -- add one of `insert` and `replace`",
    );
    one(
        &at("{ function: f, position: before }\n        unless: { include: <a>, position: after }"),
        "10:33 overlay-keys-clash: `position` says nothing in `unless` -- `unless` only looks for the anchor; remove it",
    );
    one(
        &with_hunks("  - id: h\n"),
        "7:5 overlay-keys-clash: a hunk needs exactly one of `edits` and `variants`, found none -- add one of `edits` and `variants`",
    );
    one(
        &with_hunks("  - id: h\n    edits: []\n"),
        "8:12 overlay-nothing-to-do: the hunk has no edits -- add one",
    );
    one(
        &with_hunks("  - id: h\n    variants: []\n"),
        "8:15 overlay-nothing-to-do: the hunk has no variants -- add one",
    );
    one(
        &with_hunks("  []\n"),
        "7:3 overlay-nothing-to-do: the overlay has no hunks -- add one",
    );
    one(
        &with_hunks(
            "  - id: h\n    expect: []\n    variants: [{ name: v, edits: [{ at: { function: f, position: end }, insert: \"a\\n\" }] }]\n",
        ),
        "8:5 overlay-keys-clash: `expect` stands beside `variants` -- move it into the variants that it is about",
    );
}
