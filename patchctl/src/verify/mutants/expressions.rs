//! Faults in expressions.

use std::ops::Range;

use crate::cpp::Syntax;

use super::names::{bound, is_value};
use super::walk::Walk;

/// Signs, the kind of fault, and the signs that take their place. `!=` for `>` is left out: where nothing is below the border
/// it is the same, and a value that counts something is never below 0.
const SIGNS: [(&str, &str, &[&str]); 15] = [
    (">", "comparison", &["<", ">=", "<=", "=="]),
    ("<", "comparison", &[">", "<=", ">=", "=="]),
    (">=", "comparison", &["<", ">", "<=", "=="]),
    ("<=", "comparison", &[">", "<", ">=", "=="]),
    ("==", "comparison", &["!=", ">=", "<="]),
    ("!=", "comparison", &["==", ">", "<"]),
    ("&&", "logic", &["||"]),
    ("||", "logic", &["&&"]),
    ("+", "arithmetic", &["-"]),
    ("-", "arithmetic", &["+"]),
    ("*", "arithmetic", &["/"]),
    ("/", "arithmetic", &["*"]),
    ("%", "arithmetic", &["*"]),
    ("<<", "arithmetic", &[">>"]),
    (">>", "arithmetic", &["<<"]),
];

impl Walk<'_> {
    pub(super) fn binary(&mut self, node: &Syntax<'_>) {
        let Some(sign) = node.child("operator") else {
            return;
        };
        let Some((_, operator, others)) = SIGNS.iter().find(|(one, ..)| *one == sign.kind) else {
            return;
        };
        for other in *others {
            if !self.gives_the_same(node, sign.kind, other) {
                self.change(operator, &sign.range, other, &node.range);
            }
        }
    }

    /// `x > c ? x : c` and `x >= c ? x : c`: where they part, both arms are `c`. So with `<` and with the arms the other
    /// way round.
    fn gives_the_same(&self, comparison: &Syntax<'_>, sign: &str, other: &str) -> bool {
        let moves_border = matches!(
            (sign, other),
            (">", ">=") | (">=", ">") | ("<", "<=") | ("<=", "<")
        );
        let mut above = self.above.iter().rev();
        let chooses = above.find(|node| node.kind != "parenthesized_expression");
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
            && ((self.same(left, yes) && self.same(right, no))
                || (self.same(left, no) && self.same(right, yes)))
    }

    pub(super) fn negation(&mut self, node: &Syntax<'_>) {
        let sign = node.child("operator");
        if let (Some("!"), Some(argument)) = (sign.map(|sign| sign.kind), node.child("argument")) {
            let argument = self.text_of(argument);
            self.replace("logic", node, &argument);
        }
    }

    /// Only integers that can be read: what is added to one must be another one.
    pub(super) fn number(&mut self, node: &Syntax<'_>) {
        let text = self.text_of(node);
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
        let shown = self.around(node);
        for new in [more, 0] {
            if new > 0 || more > 2 {
                self.change("number", &node.range, &format!("{new}{suffix}"), &shown);
            }
        }
    }

    pub(super) fn arms(&mut self, node: &Syntax<'_>) {
        let arms = node.child("consequence").zip(node.child("alternative"));
        let Some((yes, no)) = arms.filter(|(yes, no)| !self.same(yes, no)) else {
            return;
        };
        let (first, second) = (self.text_of(yes), self.text_of(no));
        let both = yes.range.start..no.range.end;
        let swapped = format!("{second} : {first}");
        self.change("arms", &both, &swapped, &node.range);
        for arm in [first, second] {
            self.replace("arms", node, &format!("({arm})"));
        }
    }

    /// An `if` whose condition always holds. That it never holds is the statement left out, but for one with an `else`.
    /// A loop's condition is left alone: the program would not end, which every scenario sees.
    pub(super) fn condition(&mut self, node: &Syntax<'_>) {
        let value = node.child("condition").and_then(|all| all.child("value"));
        // `if (int x = f())` declares: its name would be gone.
        let Some(value) = value.filter(|value| value.kind != "declaration") else {
            return;
        };
        self.replace("condition", value, "true");
        if node.child("alternative").is_some() {
            self.replace("condition", value, "false");
        }
    }

    /// `int a = f();` becomes `int a = b;`.
    pub(super) fn initialiser(&mut self, node: &Syntax<'_>) {
        let value = node.child("value");
        let Some(value) = value.filter(|value| value.kind == "call_expression") else {
            return;
        };
        for known in self.known(node.range.start) {
            self.change("name", &value.range, &known, &node.range);
        }
    }

    /// A local that takes the place of a name which upstream's code reads takes that of another one.
    pub(super) fn shadow(&mut self, node: &Syntax<'_>) {
        let declarator = node.child("declarator");
        let Some(declarator) = declarator.filter(|one| one.kind == "identifier") else {
            return;
        };
        let is_outermost = self.above.iter().all(|node| node.kind == "declaration");
        let (used, undeclared) = self.used_by_upstream();
        let is_read = bound(declarator, self.text)
            .iter()
            .any(|name| used.contains(name));
        if !is_outermost || !is_read {
            return;
        }
        let this = self.text_of(declarator);
        for other in undeclared.iter().filter(|other| **other != this) {
            self.replace("name", declarator, other);
        }
    }

    pub(super) fn name(&mut self, node: &Syntax<'_>) {
        if !is_value(node, self.above.last().copied()) {
            return;
        }
        let this = self.text_of(node);
        let known = self.known(node.range.start);
        // A name from outside, such as a function that is passed on, is of another kind than the locals.
        if !known.contains(&this) {
            return;
        }
        let shown = self.around(node);
        for other in known.iter().filter(|other| **other != this) {
            self.change("name", &node.range, other, &shown);
        }
    }

    /// Returns the range of the expression or declarator that a small node is part of, to be shown with it.
    fn around(&self, node: &Syntax<'_>) -> Range<usize> {
        let mut above = self.above.iter().rev().peekable();
        // `slot{0}`
        above.next_if(|node| node.kind == "initializer_list");
        let is_part = |above: &&&Syntax<'_>| {
            above.kind.ends_with("_expression")
                || matches!(above.kind, "init_declarator" | "return_statement")
        };
        let around = above.next().filter(is_part).map(|around| &around.range);
        around.unwrap_or(&node.range).clone()
    }
}
