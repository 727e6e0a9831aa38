//! Walks over an overlay's own code in a patched file, and collects every fault that can be made in it.

use std::ops::Range;

use crate::cpp::{ConstructKind, Parsed, Syntax};

use super::names::{self, Declared};

/// A change of a text.
pub(super) struct Change {
    /// The kind of fault, kebab-case.
    pub(super) operator: &'static str,
    /// The bytes that are taken out; empty where something is only put in.
    pub(super) range: Range<usize>,
    /// The text that takes their place.
    pub(super) new: String,
    /// The part to show to a person: the range, or the expression around it.
    pub(super) shown: Range<usize>,
}

/// A walk over the nodes of one own text.
pub(super) struct Walk<'a> {
    pub(super) text: &'a [u8],
    /// All own texts of the file.
    own: &'a [Range<usize>],
    /// The function of upstream's around this own text.
    upstream: Option<&'a Syntax<'a>>,
    /// True if it stands outside of functions and classes.
    at_namespace_level: bool,
    /// The nodes above the one that is looked at, outermost first.
    pub(super) above: Vec<&'a Syntax<'a>>,
    out: Vec<Change>,
}

/// Returns the faults of the own text at `range` of a patched file; `own` are all own texts of it.
pub(super) fn changes(patched: &Parsed, range: &Range<usize>, own: &[Range<usize>]) -> Vec<Change> {
    let mut around = patched.around(range);
    around.retain(|construct| construct.kind != ConstructKind::Namespace);
    let function = around
        .iter()
        .rfind(|construct| construct.kind == ConstructKind::Function);
    let upstream = function.map(|function| patched.syntax(&function.range));
    let nodes = patched.syntax(range);
    let mut walk = Walk {
        text: patched.text(),
        own,
        upstream: upstream.as_ref().and_then(|nodes| nodes.first()),
        at_namespace_level: around.is_empty(),
        above: Vec::new(),
        out: Vec::new(),
    };
    for node in &nodes {
        walk.node(node);
    }
    walk.out
}

impl<'a> Walk<'a> {
    fn node(&mut self, node: &'a Syntax<'a>) {
        // The words of an attribute are no code: `aligned(16)` and `aligned(32)` do the same.
        if names::is_attribute(node) {
            return self.attribute(node);
        }
        self.left_out(node);
        match node.kind {
            "declaration" => self.each_threads_own(node),
            "function_definition" => self.function(node),
            "return_statement" => self.constant(node),
            "if_statement" => self.condition(node),
            "binary_expression" => self.binary(node),
            "unary_expression" => self.negation(node),
            "conditional_expression" => self.arms(node),
            "true" => self.replace("logic", node, "false"),
            "false" => self.replace("logic", node, "true"),
            "number_literal" => self.number(node),
            "init_declarator" => {
                self.initialiser(node);
                self.shadow(node);
            }
            "identifier" => self.name(node),
            _ => {}
        }
        self.above.push(node);
        for child in &node.children {
            self.node(child);
        }
        self.above.pop();
    }

    /// Adds the fault that puts `new` in the place of a node.
    pub(super) fn replace(&mut self, operator: &'static str, node: &Syntax<'_>, new: &str) {
        self.change(operator, &node.range, new, &node.range);
    }

    /// Adds the fault that puts `new` in the place of `range`, which is shown as a part of `shown`.
    pub(super) fn change(
        &mut self,
        operator: &'static str,
        range: &Range<usize>,
        new: &str,
        shown: &Range<usize>,
    ) {
        self.out.push(Change {
            operator,
            range: range.clone(),
            new: new.to_owned(),
            shown: shown.clone(),
        });
    }

    pub(super) fn text_of(&self, node: &Syntax<'_>) -> String {
        names::text_of(node, self.text)
    }

    /// Returns true if two nodes have the same code, white space and parentheses aside.
    pub(super) fn same(&self, one: &Syntax<'_>, other: &Syntax<'_>) -> bool {
        let squeezed = |node: &Syntax<'_>| -> String {
            let text = self.text_of(node.without_parentheses());
            text.split_whitespace().collect()
        };
        squeezed(one) == squeezed(other)
    }

    /// Returns the innermost function or lambda of the own text.
    pub(super) fn own_function(&self) -> Option<&'a Syntax<'a>> {
        let is_function =
            |node: &&&Syntax<'_>| matches!(node.kind, "function_definition" | "lambda_expression");
        self.above.iter().rfind(is_function).copied()
    }

    /// Returns true if the node stands in code that runs, and not at namespace or class level.
    pub(super) fn in_function(&self) -> bool {
        self.upstream.is_some() || self.own_function().is_some()
    }

    /// Returns true if a declaration here is of a variable that lives outside of functions and classes.
    pub(super) fn at_namespace_level(&self) -> bool {
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
        self.at_namespace_level && self.above.iter().all(plain)
    }

    /// Returns the names that can be used at a place: of the own function or lambda around it, else of upstream's
    /// function.
    pub(super) fn known(&self, at: usize) -> Vec<String> {
        let function = self.own_function().or(self.upstream);
        let declared = function.map(|function| names::declared(function, self.text));
        let mut known = Vec::new();
        for one in declared.into_iter().flatten() {
            if one.scope.contains(&at) && !known.contains(&one.name) {
                known.push(one.name);
            }
        }
        known
    }

    /// Returns the names that upstream's code of the function reads or assigns, and those of them that it does not
    /// declare itself: members, mostly.
    pub(super) fn used_by_upstream(&self) -> (Vec<String>, Vec<String>) {
        let Some(function) = self.upstream else {
            return Default::default();
        };
        let is_own = |at: usize| self.own.iter().any(|range| range.contains(&at));
        let used = names::used(function, &is_own, self.text);
        let mut declared = names::declared(function, self.text);
        declared.retain(|one: &Declared| !is_own(one.scope.start));
        let mut undeclared = used.clone();
        undeclared.retain(|name| declared.iter().all(|one| one.name != *name));
        (used, undeclared)
    }
}
