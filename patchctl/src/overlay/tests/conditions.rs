//! Conditions, tokens and regular expressions.

use super::*;

#[test]
fn bad_tokens_are_refused_in_place() {
    for (tokens, expected) in [
        (
            "''",
            "9:41 overlay-bad-tokens: these are no C++ tokens: there is none",
        ),
        (
            "'/* a */'",
            "9:41 overlay-bad-tokens: these are no C++ tokens: there is none",
        ),
        (
            "'a \"b'",
            "9:43 overlay-bad-tokens: these are no C++ tokens: a string has no end",
        ),
        (
            "'a @ b'",
            "9:43 overlay-bad-tokens: these are no C++ tokens: a stray `@`",
        ),
        (
            "a /* b",
            "9:42 overlay-bad-tokens: these are no C++ tokens: a comment has no end",
        ),
    ] {
        one(
            &when(&format!("{{ in: {{ function: f }}, tokens: {tokens} }}")),
            expected,
        );
    }
    none(&when(
        "{ in: { function: f }, tokens: 'auto [ a , b ] = \"x\" // c' }",
    ));
}

#[test]
fn bad_regular_expressions_are_refused_in_place() {
    let matches = |regex: &str| when(&format!("{{ in: {{ function: f }}, matches: {regex} }}"));
    one(
        &matches("'(a[b'"),
        "9:44 overlay-bad-regex: this is no regular expression: unclosed character class (at byte 3)",
    );
    one(
        &matches("'a(?=b)'"),
        "9:43 overlay-bad-regex: this is no regular expression: look-around, including look-ahead and look-behind, is not supported (at byte 2)",
    );
    one(
        &matches("'\\p{Klingon}'"),
        "9:42 overlay-bad-regex: this is no regular expression: Unicode property not found (at byte 1)",
    );
    one(
        &matches("'x{1000}{1000}'"),
        "9:41 overlay-bad-regex: this is no regular expression: compiled, it takes more than 1048576 bytes",
    );
    one(
        &matches(&format!("'{}'", "x".repeat(5000))),
        "9:41 overlay-bad-regex: this is no regular expression: it has 5000 bytes, over the limit of 4096",
    );
    one(
        &matches("'a*'"),
        "9:41 overlay-bad-regex: this regular expression matches the empty text, so it holds everywhere -- leave out what may be absent, such as a `*` at its end",
    );
    none(&matches("'max_mb\\s*='"));
}

#[test]
fn conditions_say_one_thing_of_one_construct() {
    for (condition, expected) in [
        (
            "{ in: { function: f } }",
            "9:9 overlay-keys-clash: a condition needs exactly one of `tokens`, `matches` and `exists`, found none -- add one of `tokens`, `matches` and `exists`",
        ),
        (
            "{ in: { function: f }, tokens: a, matches: b }",
            "9:9 overlay-keys-clash: a condition needs exactly one of `tokens`, `matches` and `exists`, found `tokens` and `matches` -- keep one of `tokens` and `matches`",
        ),
        (
            "{ tokens: a }",
            "9:9 overlay-keys-clash: the condition has no `in` -- add `in`",
        ),
        (
            "{ exists: { include: <a> }, in: { function: f } }",
            "9:37 overlay-keys-clash: `in` stands beside `exists` -- `exists` names the construct itself; remove it",
        ),
        (
            "{ in: {}, tokens: a }",
            "9:15 overlay-keys-clash: a scope needs exactly one of `include`, `function`, `class`, `namespace` and `line`, found none -- add one of `include`, `function`, `class`, `namespace` and `line`",
        ),
        (
            "{ in: { whole-file: true }, matches: a }",
            "9:37 overlay-keys-clash: `matches` looks through the whole file -- name the construct to look in, or use `tokens`",
        ),
        (
            "{ in: { whole-file: false }, tokens: a }",
            "9:17 overlay-keys-clash: `whole-file` is false -- write `whole-file: true`, or name a construct",
        ),
        (
            "{ exists: { whole-file: true } }",
            "9:19 overlay-keys-clash: `whole-file` says nothing in `exists` -- name a construct",
        ),
    ] {
        one(&when(condition), expected);
    }
    for condition in [
        "{ in: { whole-file: true }, tokens: a, absent: true }",
        "{ exists: { include: <a> }, absent: true }",
        "{ in: { class: A::B, member: c }, matches: a, file: other.h }",
        "{ in: { namespace: a::b }, tokens: a }",
    ] {
        none(&when(condition));
    }
}
