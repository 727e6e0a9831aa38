//! Faults in expressions.

use std::ops::Range;

use crate::cpp::Syntax;

use super::change::{Above, Walk};
use super::names::{bound, is_value};
use super::operator::Operator;

/// The faults of one node.
pub(super) fn faults(walk: &mut Walk<'_>, node: &Syntax<'_>, above: &Above<'_>) {
    match node.kind {
        "binary_expression" => binary(walk, node, above),
        "unary_expression" => negation(walk, node),
        "true" => walk.push(Operator::Logic, node, "false"),
        "false" => walk.push(Operator::Logic, node, "true"),
        "number_literal" => number(walk, node, above),
        "conditional_expression" => arms(walk, node),
        "if_statement" => condition(walk, node),
        "init_declarator" => {
            initialiser(walk, node, above);
            shadow(walk, node, above);
        }
        "identifier" => name(walk, node, above),
        _ => {}
    }
}

fn binary(walk: &mut Walk<'_>, node: &Syntax<'_>, above: &Above<'_>) {
    let Some(sign) = node.child("operator") else {
        return;
    };
    let (operator, others): (Operator, &[&str]) = match sign.kind {
        // `!=` for `>` is left out: where nothing is below the border it is the same, and a value that counts
        // something is never below 0.
        ">" => (Operator::Comparison, &["<", ">=", "<=", "=="]),
        "<" => (Operator::Comparison, &[">", "<=", ">=", "=="]),
        ">=" => (Operator::Comparison, &["<", ">", "<=", "=="]),
        "<=" => (Operator::Comparison, &[">", "<", ">=", "=="]),
        "==" => (Operator::Comparison, &["!=", ">=", "<="]),
        "!=" => (Operator::Comparison, &["==", ">", "<"]),
        "&&" => (Operator::Logic, &["||"]),
        "||" => (Operator::Logic, &["&&"]),
        "+" => (Operator::Arithmetic, &["-"]),
        "-" => (Operator::Arithmetic, &["+"]),
        "*" => (Operator::Arithmetic, &["/"]),
        "/" | "%" => (Operator::Arithmetic, &["*"]),
        "<<" => (Operator::Arithmetic, &[">>"]),
        ">>" => (Operator::Arithmetic, &["<<"]),
        _ => return,
    };
    for other in others {
        if !gives_the_same(walk, node, sign.kind, other, above) {
            walk.push_shown(operator, sign.range.clone(), other, node.range.clone());
        }
    }
}

/// `x > c ? x : c` and `x >= c ? x : c`: where they part, both arms are `c`. So with `<` and with the arms the other
/// way round.
fn gives_the_same(
    walk: &Walk<'_>,
    comparison: &Syntax<'_>,
    sign: &str,
    other: &str,
    above: &Above<'_>,
) -> bool {
    let moves_border = [(">", ">="), ("<", "<=")]
        .iter()
        .any(|&(one, two)| (sign, other) == (one, two) || (sign, other) == (two, one));
    let chooses = above
        .iter()
        .rev()
        .find(|node| node.kind != "parenthesized_expression");
    let Some(chooses) = chooses.filter(|node| node.kind == "conditional_expression") else {
        return false;
    };
    let is_condition = chooses
        .child("condition")
        .is_some_and(|condition| condition.without_parentheses().range == comparison.range);
    let sides = comparison.child("left").zip(comparison.child("right"));
    let arms = chooses
        .child("consequence")
        .zip(chooses.child("alternative"));
    let (Some((left, right)), Some((yes, no))) = (sides, arms) else {
        return false;
    };
    moves_border
        && is_condition
        && ((walk.same(left, yes) && walk.same(right, no))
            || (walk.same(left, no) && walk.same(right, yes)))
}

fn negation(walk: &mut Walk<'_>, node: &Syntax<'_>) {
    let sign = node.child("operator");
    if let (Some("!"), Some(argument)) = (sign.map(|sign| sign.kind), node.child("argument")) {
        let argument = walk.text_of(argument);
        walk.push(Operator::Logic, node, &argument);
    }
}

/// Only integers that can be read: what is added to one must be another one.
fn number(walk: &mut Walk<'_>, node: &Syntax<'_>, above: &Above<'_>) {
    let text = walk.text_of(node);
    let digits: String = text.chars().filter(|c| *c != '\'').collect();
    let end = digits.find(['u', 'U', 'l', 'L', 'z', 'Z']);
    let (digits, suffix) = digits.split_at(end.unwrap_or(digits.len()));
    let value = match digits.strip_prefix("0x") {
        Some(hex) => i64::from_str_radix(hex, 16),
        None => digits.parse(),
    };
    let Some(more) = value.ok().and_then(|value: i64| value.checked_add(1)) else {
        return;
    };
    let shown = around(node, above);
    let mut push = |new: i64| {
        let new = format!("{new}{suffix}");
        walk.push_shown(Operator::Number, node.range.clone(), &new, shown.clone());
    };
    push(more);
    if more > 2 {
        push(0);
    }
}

fn arms(walk: &mut Walk<'_>, node: &Syntax<'_>) {
    let arms = node.child("consequence").zip(node.child("alternative"));
    let Some((yes, no)) = arms.filter(|(yes, no)| !walk.same(yes, no)) else {
        return;
    };
    let (first, second) = (walk.text_of(yes), walk.text_of(no));
    let both = yes.range.start..no.range.end;
    let swapped = format!("{second} : {first}");
    walk.push_shown(Operator::Arms, both, &swapped, node.range.clone());
    for arm in [first, second] {
        walk.push(Operator::Arms, node, &format!("({arm})"));
    }
}

/// An `if` whose condition always holds. That it never holds is the statement left out, but for one with an `else`.
/// A loop's condition is left alone: the program would not end, which every scenario sees.
fn condition(walk: &mut Walk<'_>, node: &Syntax<'_>) {
    let value = node.child("condition").and_then(|all| all.child("value"));
    // `if (int x = f())` declares: its name would be gone.
    let Some(value) = value.filter(|value| value.kind != "declaration") else {
        return;
    };
    walk.push(Operator::Condition, value, "true");
    if node.child("alternative").is_some() {
        walk.push(Operator::Condition, value, "false");
    }
}

/// `int a = f();` becomes `int a = b;`.
fn initialiser(walk: &mut Walk<'_>, node: &Syntax<'_>, above: &Above<'_>) {
    let value = node.child("value");
    let Some(value) = value.filter(|value| value.kind == "call_expression") else {
        return;
    };
    for known in walk.known(node.range.start, above) {
        walk.push_shown(
            Operator::Name,
            value.range.clone(),
            &known,
            node.range.clone(),
        );
    }
}

/// A local that takes the place of a name which upstream's code reads takes that of another one.
fn shadow(walk: &mut Walk<'_>, node: &Syntax<'_>, above: &Above<'_>) {
    let declarator = node.child("declarator");
    let Some(declarator) = declarator.filter(|one| one.kind == "identifier") else {
        return;
    };
    let is_outermost = above.iter().all(|node| node.kind == "declaration");
    let (used, undeclared) = walk.used_by_upstream();
    let is_read = bound(declarator, walk.text)
        .iter()
        .any(|name| used.contains(name));
    if !is_outermost || !is_read {
        return;
    }
    let this = walk.text_of(declarator);
    for other in undeclared.iter().filter(|other| **other != this) {
        walk.push_shown(
            Operator::Name,
            declarator.range.clone(),
            other,
            declarator.range.clone(),
        );
    }
}

fn name(walk: &mut Walk<'_>, node: &Syntax<'_>, above: &Above<'_>) {
    if !is_value(node, above.last().copied()) {
        return;
    }
    let this = walk.text_of(node);
    let known = walk.known(node.range.start, above);
    // A name from outside, such as a function that is passed on, is of another kind than the locals.
    if !known.contains(&this) {
        return;
    }
    let shown = around(node, above);
    for other in known.iter().filter(|other| **other != this) {
        walk.push_shown(Operator::Name, node.range.clone(), other, shown.clone());
    }
}

/// The expression or declarator that a small node is part of, to be shown with it.
fn around(node: &Syntax<'_>, above: &Above<'_>) -> Range<usize> {
    let part = |above: &&&Syntax<'_>| {
        above.kind.ends_with("_expression")
            || matches!(above.kind, "init_declarator" | "return_statement")
    };
    let mut above = above.iter().rev();
    let mut next = above.next();
    // `slot{0}`
    if next.is_some_and(|node| node.kind == "initializer_list") {
        next = above.next();
    }
    next.filter(|above| part(above))
        .map_or_else(|| node.range.clone(), |around| around.range.clone())
}
