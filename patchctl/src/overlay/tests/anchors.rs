//! Anchors: which keys go together, which positions there are, which names.

use super::*;

#[test]
fn every_construct_has_its_positions() {
    let all = ["before", "after", "begin", "end"];
    for (anchor, what, allowed) in [
        ("include: <a>", "an include", &all[..2]),
        ("function: f", "a function", &all[..]),
        (
            "function: f, statement: { kind: if }",
            "a statement",
            &all[..2],
        ),
        ("function: f, expression: a", "an expression", &all[..2]),
        ("class: C", "a class", &all[..]),
        ("class: C, member: m", "a member", &all[..2]),
        ("namespace: n", "a namespace", &all[2..]),
    ] {
        let words: Vec<String> = allowed.iter().map(|word| format!("`{word}`")).collect();
        let words = words.join(", ");
        for position in all {
            let text = at(&format!("{{ {anchor}, position: {position} }}"));
            if allowed.contains(&position) {
                none(&text);
            } else {
                // `      - at: { `, the anchor, `, position: `.
                let column = 15 + anchor.len() + 12;
                one(
                    &text,
                    &format!(
                        "9:{column} overlay-bad-position: {what} has no position `{position}` -- {what} can have {words}"
                    ),
                );
            }
        }
        one(
            &at(&format!("{{ {anchor} }}")),
            &format!(
                "9:13 overlay-bad-position: the anchor has no `position` -- {what} can have {words}"
            ),
        );
    }
}

#[test]
fn clashing_keys_of_an_anchor_are_refused() {
    let four = "`include`, `function`, `class`, `namespace` and `line`";
    for (anchor, expected) in [
        (
            "{ function: f, class: C, position: before }",
            "9:13 overlay-keys-clash: an anchor needs exactly one of FOUR, found `function` and `class` -- keep one of `function` and `class`",
        ),
        (
            "{ position: before }",
            "9:13 overlay-keys-clash: an anchor needs exactly one of FOUR, found none -- add one of FOUR",
        ),
        (
            "{ class: C, signature: '()', position: before }",
            "9:25 overlay-keys-clash: `signature` needs a `function` -- add `function: …`",
        ),
        (
            "{ function: f, member: m, position: before }",
            "9:28 overlay-keys-clash: `member` needs a `class` -- add `class: …`",
        ),
        (
            "{ class: C, expression: m, position: before }",
            "9:25 overlay-keys-clash: `expression` needs a `function` -- add `function: …`",
        ),
        (
            "{ namespace: n, statement: { kind: if }, position: before }",
            "9:29 overlay-keys-clash: `statement` needs a `function` -- add `function: …`",
        ),
        (
            "{ function: f, statement: { kind: if }, expression: a, position: before }",
            "9:53 overlay-keys-clash: `expression` stands beside `statement` -- an expression names the statement that holds it; keep one",
        ),
        (
            "{ function: f, statement: {}, position: before }",
            "9:39 overlay-keys-clash: the statement has no `kind` or `tokens` -- add `kind` or `tokens`",
        ),
    ] {
        one(&at(anchor), &expected.replace("FOUR", four));
    }
}

#[test]
fn bad_names_are_refused_with_advice() {
    for (anchor, expected) in [
        (
            "{ include: cstdlib, position: before }",
            "9:24 overlay-bad-name: `cstdlib` is not what stands behind `#include` -- write `<cstdlib>`, or `'\"cstdlib\"'` for one with quotes",
        ),
        (
            "{ include: '<a', position: before }",
            "9:24 overlay-bad-name: `<a` is not what stands behind `#include` -- write `<a>`, or `'\"a\"'` for one with quotes",
        ),
        (
            "{ include: '', position: before }",
            "9:24 overlay-bad-name: `` is not what stands behind `#include`",
        ),
        (
            "{ function: 'f(int)', position: before }",
            "9:25 overlay-bad-name: `f(int)` is not a function's name -- write `function: f` and `signature: '(int)'`",
        ),
        (
            "{ function: 'a f', position: before }",
            "9:25 overlay-bad-name: `a f` is not a function's name",
        ),
        (
            "{ function: 'a::', position: before }",
            "9:25 overlay-bad-name: `a::` is not a function's name",
        ),
        (
            "{ function: '', position: before }",
            "9:25 overlay-bad-name: `` is not a function's name",
        ),
        (
            "{ class: 'a b', position: before }",
            "9:22 overlay-bad-name: `a b` is not a class's name",
        ),
        (
            "{ namespace: a:b, position: end }",
            "9:26 overlay-bad-name: `a:b` is not a namespace's full name",
        ),
        (
            "{ function: f, signature: 'int a', position: before }",
            "9:39 overlay-bad-name: `int a` is not a parameter list such as `(int index) const`",
        ),
        (
            "{ function: f, signature: '(int', position: before }",
            "9:39 overlay-bad-name: `(int` is not a parameter list such as `(int index) const`",
        ),
        (
            "{ function: f, signature: '(a))(', position: before }",
            "9:39 overlay-bad-name: `(a))(` is not a parameter list such as `(int index) const`",
        ),
        (
            "{ function: f, preprocessor: ['ifdef A'], position: before }",
            "9:43 overlay-bad-name: `ifdef A` is not a line such as `#ifdef X`, or `#else of #ifdef X`",
        ),
        (
            "{ function: f, preprocessor: ['#ifdef A', '#endif'], position: before }",
            "9:55 overlay-bad-name: `#endif` is not a line such as `#ifdef X`, or `#else of #ifdef X`",
        ),
    ] {
        one(&at(anchor), expected);
    }
    for anchor in [
        "{ include: '\"mlx/utils.h\"', position: after }",
        "{ function: '::a::b::f', position: before }",
        "{ function: 'A::~A', position: before }",
        "{ function: 'A::operator()', signature: '(int) const noexcept', position: before }",
        "{ function: 'operator bool', position: before }",
        "{ function: operators, position: before }",
        "{ function: f, preprocessor: ['#if A > 1', '#else of #if B', '# ifdef  C'], position: before }",
    ] {
        none(&at(anchor));
    }
}

#[test]
fn one_stack_of_conditions_has_one_spelling() {
    for (written, expected) in [
        ("'#  if  A &&   B'", Some("#if A && B")),
        ("'#ifdef A // why'", Some("#ifdef A")),
        ("'# elif B of #  if A'", Some("#elif B of #if A")),
        ("'#else  of  #ifndef A'", Some("#else of #ifndef A")),
        ("'#else'", None),
        ("'#elif B'", None),
        ("'#else x of #if A'", None),
        ("'#if'", None),
        ("'#if A of #if B'", None),
        ("'#define A'", None),
    ] {
        let text = at(&format!(
            "{{ function: f, position: begin, preprocessor: [{written}] }}"
        ));
        let overlay = load(Utf8Path::new("x.yaml"), text.as_bytes());
        let stack = overlay.map(|overlay| {
            overlay.hunks[0].variants[0].edits[0]
                .at
                .preprocessor
                .clone()
        });
        match expected {
            Some(expected) => assert_eq!(stack.unwrap(), [expected]),
            None => assert!(stack.is_err(), "{written}"),
        }
    }
}
