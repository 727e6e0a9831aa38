//! Every fault that can be made in a piece of code, as changes of its text.

use std::ops::Range;

use crate::cpp::{Construct, ConstructKind, Parsed, Syntax};

use super::names::{self, Declared};
use super::operator::Operator;
use super::{expressions, statements};

/// A change of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) operator: Operator,
    /// What is taken out; empty where something is only put in.
    pub(super) range: Range<usize>,
    /// What takes its place.
    pub(super) new: String,
    /// What to show to a person: the range, or the expression around it.
    pub(super) shown: Range<usize>,
}

/// Walks over the nodes of one own text.
pub(super) struct Walk<'a> {
    pub(super) text: &'a [u8],
    /// All own texts of the file.
    own: &'a [Range<usize>],
    /// The function of upstream's around this own text, and what it declares.
    upstream: Option<(&'a Syntax<'a>, Vec<Declared>)>,
    /// True if it stands outside of functions and classes.
    at_namespace_level: bool,
    out: Vec<Change>,
}

/// What is above a node, outermost first.
pub(super) type Above<'a> = [&'a Syntax<'a>];

/// The faults of the own text at `range` of a patched file; `own` are all own texts of it.
pub(super) fn changes(patched: &Parsed, range: &Range<usize>, own: &[Range<usize>]) -> Vec<Change> {
    let around = |construct: &&Construct| {
        let body = construct.body.as_ref();
        body.is_some_and(|body| body.start <= range.start && range.end <= body.end)
            && construct.kind != ConstructKind::Namespace
    };
    let mut around: Vec<&Construct> = patched.constructs().iter().filter(around).collect();
    around.sort_by_key(|construct| construct.range.start);
    let function = around
        .iter()
        .rev()
        .find(|construct| construct.kind == ConstructKind::Function);
    let tree = function.map(|function| patched.syntax(&function.range));
    let function = tree.as_ref().and_then(|nodes| nodes.first());
    let nodes = patched.syntax(range);
    let mut walk = Walk {
        text: patched.text(),
        own,
        upstream: function.map(|node| (node, names::declared(node, patched.text()))),
        at_namespace_level: around.is_empty(),
        out: Vec::new(),
    };
    for node in &nodes {
        walk.node(node, &mut Vec::new());
    }
    walk.out
}

impl<'a> Walk<'a> {
    fn node<'n: 'a>(&mut self, node: &'n Syntax<'n>, above: &mut Vec<&'n Syntax<'n>>) {
        statements::faults(self, node, above);
        // What an attribute says is no code: `aligned(16)` and `aligned(32)` do the same.
        if is_attribute(node) {
            return;
        }
        expressions::faults(self, node, above);
        above.push(node);
        for child in &node.children {
            self.node(child, above);
        }
        above.pop();
    }

    pub(super) fn push(&mut self, operator: Operator, node: &Syntax<'_>, new: &str) {
        self.push_shown(operator, node.range.clone(), new, node.range.clone());
    }

    pub(super) fn push_shown(
        &mut self,
        operator: Operator,
        range: Range<usize>,
        new: &str,
        shown: Range<usize>,
    ) {
        self.out.push(Change {
            operator,
            range,
            new: new.to_owned(),
            shown,
        });
    }

    pub(super) fn text_of(&self, node: &Syntax<'_>) -> String {
        names::text_of(node, self.text)
    }

    /// The tokens of a node, for comparing code.
    pub(super) fn same(&self, one: &Syntax<'_>, other: &Syntax<'_>) -> bool {
        let squeezed = |node: &Syntax<'_>| -> String {
            let text = self.text_of(node.without_parentheses());
            text.split_whitespace().collect()
        };
        squeezed(one) == squeezed(other)
    }

    /// Returns true if the node stands in code that runs, and not at namespace or class level.
    pub(super) fn in_function(&self, above: &Above<'_>) -> bool {
        self.upstream.is_some() || own_function(above).is_some()
    }

    /// Returns true if a declaration here is of a variable that lives outside of functions and classes.
    pub(super) fn at_namespace_level(&self, above: &Above<'_>) -> bool {
        let plain = |node: &&Syntax<'_>| {
            matches!(
                node.kind,
                "namespace_definition"
                    | "declaration_list"
                    | "linkage_specification"
                    | "preproc_if"
                    | "preproc_ifdef"
                    | "preproc_else"
                    | "preproc_elif"
            )
        };
        self.at_namespace_level && above.iter().all(plain)
    }

    /// The names that can be used at a place: of the own function or lambda around it, else of upstream's function.
    pub(super) fn known(&self, at: usize, above: &Above<'_>) -> Vec<String> {
        let declared = match own_function(above) {
            Some(own) => names::declared(own, self.text),
            None => self
                .upstream
                .as_ref()
                .map(|(_, declared)| declared.clone())
                .unwrap_or_default(),
        };
        let mut known = Vec::new();
        for one in declared {
            if one.scope.contains(&at) && !known.contains(&one.name) {
                known.push(one.name);
            }
        }
        known
    }

    /// The names that upstream's code of the function reads or assigns, and those of them that it does not declare
    /// itself: members, mostly.
    pub(super) fn used_by_upstream(&self) -> (Vec<String>, Vec<String>) {
        let Some((function, declared)) = &self.upstream else {
            return (Vec::new(), Vec::new());
        };
        let used = names::used(function, self.own, self.text);
        let is_own = |one: &&Declared| {
            let in_own = |range: &Range<usize>| range.contains(&one.scope.start);
            self.own.iter().any(in_own)
        };
        let undeclared = used.iter().filter(|name| {
            !declared
                .iter()
                .any(|one| one.name == **name && !is_own(&one))
        });
        let undeclared = undeclared.cloned().collect();
        (used, undeclared)
    }
}

/// The innermost function or lambda of the own text.
fn own_function<'a>(above: &'a Above<'_>) -> Option<&'a Syntax<'a>> {
    above
        .iter()
        .rev()
        .find(|node| matches!(node.kind, "function_definition" | "lambda_expression"))
        .copied()
}

pub(super) fn is_attribute(node: &Syntax<'_>) -> bool {
    matches!(
        node.kind,
        "attribute_specifier" | "attribute_declaration" | "ms_declspec_modifier"
    )
}
