//! Faults in statements, definitions and declarations.

use crate::cpp::Syntax;

use super::names::bound;
use super::walk::Walk;

/// Attributes that only compilers and their readers notice.
const NO_EFFECT: [&str; 12] = [
    "nodiscard",
    "maybe_unused",
    "unused",
    "deprecated",
    "likely",
    "unlikely",
    "noinline",
    "always_inline",
    "cold",
    "hot",
    "warn_unused_result",
    "fallthrough",
];

impl Walk<'_> {
    pub(super) fn attribute(&mut self, node: &Syntax<'_>) {
        let text = self.text_of(node);
        if !NO_EFFECT.iter().any(|name| text.contains(name)) {
            self.replace("drop-attribute", node, "");
        }
    }

    pub(super) fn left_out(&mut self, node: &Syntax<'_>) {
        let is_droppable = match node.kind {
            "compound_statement" | "labeled_statement" | "case_statement" | "init_statement" => {
                false
            }
            "declaration"
            | "field_declaration"
            | "else_clause"
            | "for_range_loop"
            | "function_definition"
            | "template_declaration"
            | "namespace_definition"
            | "using_declaration"
            | "alias_declaration"
            | "type_definition"
            | "preproc_include"
            | "preproc_def" => true,
            kind => kind.ends_with("_statement"),
        };
        let parent = self.above.last().map(|node| node.kind);
        let is_part = matches!(
            parent,
            Some("init_statement" | "condition_clause" | "template_declaration" | "for_range_loop")
        ) || node.field == Some("initializer");
        let text = self.text_of(node);
        // A check that never fails in right code, and what only silences a compiler, change nothing by going.
        let is_inert = text == ";" || text.starts_with("(void)") || text.starts_with("assert(");
        // A function of its own that ends without its `return` does anything: a compiler may make it seem to work.
        let is_own_return = node.kind == "return_statement" && self.own_function().is_some();
        if !is_droppable || is_part || is_inert || is_own_return {
            return;
        }
        // The body of an `if` without braces: without a `;` the next statement would take its place.
        let is_body = matches!(
            parent,
            Some(
                "if_statement"
                    | "else_clause"
                    | "for_statement"
                    | "for_range_loop"
                    | "while_statement"
                    | "do_statement"
                    | "labeled_statement"
            )
        ) && node.kind != "else_clause";
        self.replace("drop-statement", node, if is_body { ";" } else { "" });
    }

    /// A variable that lives as long as the program. One that never changes is the same for each thread.
    pub(super) fn each_threads_own(&mut self, node: &Syntax<'_>) {
        let has = |kind: &str, words: &[&str]| {
            let mut of_kind = node.children.iter().filter(|child| child.kind == kind);
            of_kind.any(|child| words.contains(&&*self.text_of(child)))
        };
        let is_fixed = has("type_qualifier", &["const", "constexpr", "constinit"]);
        let storage = "storage_class_specifier";
        let is_variable = node
            .children
            .iter()
            .filter(|child| child.field == Some("declarator"))
            .any(|child| match child.kind {
                "init_declarator" => true,
                _ => !bound(child, self.text).is_empty(),
            });
        let lives_on =
            self.at_namespace_level() || (self.in_function() && has(storage, &["static"]));
        let is_elsewhere = has(storage, &["extern", "thread_local"]);
        if lives_on && is_variable && !is_fixed && !is_elsewhere {
            let start = node.range.start;
            let new = "thread_local ";
            self.change("thread-local", &(start..start), new, &node.range);
        }
    }

    pub(super) fn function(&mut self, node: &Syntax<'_>) {
        let (Some(body), Some(declarator)) = (node.child("body"), node.child("declarator")) else {
            return;
        };
        let returns = node.child("type").map(|kind| self.text_of(kind));
        if returns.as_deref() != Some("void") || declarator.kind != "function_declarator" {
            return;
        }
        self.replace("empty-body", body, "{}");
        let parameters = declarator.child("parameters");
        for parameter in parameters.iter().flat_map(|list| &list.children) {
            let is_number = parameter
                .child("type")
                .is_some_and(|kind| matches!(kind.kind, "primitive_type" | "sized_type_specifier"));
            let name = parameter.child("declarator");
            let name = name.filter(|name| is_number && name.kind == "identifier");
            if let Some(name) = name.map(|name| self.text_of(name)) {
                let inside = body.range.start + 1;
                let new = format!(" if ({name} == 0) return;");
                let shown = declarator.range.start..inside;
                self.change("ignores-zero", &(inside..inside), &new, &shown);
            }
        }
    }

    /// `return {};`: 0, false, nullptr or an empty object, whatever the type.
    pub(super) fn constant(&mut self, node: &Syntax<'_>) {
        let value = node
            .children
            .iter()
            .find(|child| !matches!(child.kind, "return" | ";" | "comment"));
        let (Some(value), Some(function)) = (value, self.own_function()) else {
            return;
        };
        let text = self.text_of(value);
        if !matches!(&*text, "0" | "false" | "nullptr" | "{}") {
            // A lambda has its type from what it returns, and `{}` has none.
            let new = match function.kind {
                "lambda_expression" => "0",
                _ => "{}",
            };
            self.change("constant", &value.range, new, &node.range);
        }
    }
}
