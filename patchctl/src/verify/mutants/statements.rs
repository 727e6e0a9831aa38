//! Faults in statements, definitions and declarations.

use crate::cpp::Syntax;

use super::change::{Above, Walk, is_attribute};
use super::names::bound;
use super::operator::Operator;

/// The faults of one node.
pub(super) fn faults(walk: &mut Walk<'_>, node: &Syntax<'_>, above: &Above<'_>) {
    if is_attribute(node) {
        attribute(walk, node);
        return;
    }
    left_out(walk, node, above);
    match node.kind {
        "declaration" => each_threads_own(walk, node, above),
        "function_definition" => function(walk, node),
        "return_statement" => constant(walk, node, above),
        _ => {}
    }
}

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

fn attribute(walk: &mut Walk<'_>, node: &Syntax<'_>) {
    let text = walk.text_of(node);
    if !NO_EFFECT.iter().any(|name| text.contains(name)) {
        walk.push(Operator::DropAttribute, node, "");
    }
}

fn left_out(walk: &mut Walk<'_>, node: &Syntax<'_>, above: &Above<'_>) {
    let is_droppable = matches!(
        node.kind,
        "expression_statement"
            | "declaration"
            | "field_declaration"
            | "if_statement"
            | "else_clause"
            | "for_statement"
            | "for_range_loop"
            | "while_statement"
            | "do_statement"
            | "switch_statement"
            | "try_statement"
            | "throw_statement"
            | "break_statement"
            | "continue_statement"
            | "return_statement"
            | "function_definition"
            | "template_declaration"
            | "namespace_definition"
            | "using_declaration"
            | "alias_declaration"
            | "type_definition"
            | "preproc_include"
            | "preproc_def"
    );
    let parent = above.last().map(|node| node.kind);
    let is_part = matches!(
        parent,
        Some("init_statement" | "condition_clause" | "template_declaration" | "for_range_loop")
    ) || node.field == Some("initializer");
    let text = walk.text_of(node);
    // A check that never fails in right code, and what only silences a compiler, change nothing by going.
    let is_inert = text == ";" || text.starts_with("(void)") || text.starts_with("assert(");
    // A function of its own that ends without its `return` does anything: a compiler may make it seem to work.
    let is_own_return = node.kind == "return_statement" && is_in_own_function(above);
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
    walk.push(
        Operator::DropStatement,
        node,
        if is_body { ";" } else { "" },
    );
}

fn is_in_own_function(above: &Above<'_>) -> bool {
    above
        .iter()
        .any(|node| matches!(node.kind, "function_definition" | "lambda_expression"))
}

/// A variable that lives as long as the program. One that never changes is the same for each thread.
fn each_threads_own(walk: &mut Walk<'_>, node: &Syntax<'_>, above: &Above<'_>) {
    let words = |kind: &str| {
        let of_kind = node.children.iter().filter(|child| child.kind == kind);
        of_kind
            .map(|child| walk.text_of(child))
            .collect::<Vec<String>>()
    };
    let storage = words("storage_class_specifier");
    let storage_is = |word: &str| storage.iter().any(|one| one == word);
    let is_fixed = words("type_qualifier")
        .iter()
        .any(|word| matches!(word.as_str(), "const" | "constexpr" | "constinit"));
    let is_variable = node
        .children
        .iter()
        .filter(|child| child.field == Some("declarator"))
        .any(|child| match child.kind {
            "init_declarator" => true,
            _ => !bound(child, walk.text).is_empty(),
        });
    let lives_on =
        walk.at_namespace_level(above) || (walk.in_function(above) && storage_is("static"));
    if lives_on && is_variable && !is_fixed && !storage_is("extern") && !storage_is("thread_local")
    {
        let start = node.range.start;
        let new = "thread_local ";
        walk.push_shown(Operator::ThreadLocal, start..start, new, node.range.clone());
    }
}

fn function(walk: &mut Walk<'_>, node: &Syntax<'_>) {
    let (Some(body), Some(declarator)) = (node.child("body"), node.child("declarator")) else {
        return;
    };
    let returns = node.child("type").map(|kind| walk.text_of(kind));
    if returns.as_deref() != Some("void") || declarator.kind != "function_declarator" {
        return;
    }
    walk.push_shown(
        Operator::EmptyBody,
        body.range.clone(),
        "{}",
        body.range.clone(),
    );
    let parameters = declarator.child("parameters");
    for parameter in parameters.iter().flat_map(|list| &list.children) {
        let is_number = parameter
            .child("type")
            .is_some_and(|kind| matches!(kind.kind, "primitive_type" | "sized_type_specifier"));
        let name = parameter.child("declarator");
        let name = name.filter(|name| is_number && name.kind == "identifier");
        if let Some(name) = name.map(|name| walk.text_of(name)) {
            let inside = body.range.start + 1;
            let new = format!(" if ({name} == 0) return;");
            let shown = declarator.range.start..inside;
            walk.push_shown(Operator::IgnoresZero, inside..inside, &new, shown);
        }
    }
}

/// `return {};`: 0, false, nullptr or an empty object, whatever the type.
fn constant(walk: &mut Walk<'_>, node: &Syntax<'_>, above: &Above<'_>) {
    let value = node
        .children
        .iter()
        .find(|child| !matches!(child.kind, "return" | ";" | "comment"));
    let Some(value) = value.filter(|_| is_in_own_function(above)) else {
        return;
    };
    let is_constant = matches!(
        walk.text_of(value).as_str(),
        "0" | "false" | "nullptr" | "{}"
    );
    // A lambda has its type from what it returns, and `{}` has none.
    let in_lambda = above
        .iter()
        .rev()
        .find(|node| matches!(node.kind, "function_definition" | "lambda_expression"))
        .is_some_and(|node| node.kind == "lambda_expression");
    if !is_constant {
        let new = if in_lambda { "0" } else { "{}" };
        walk.push_shown(
            Operator::Constant,
            value.range.clone(),
            new,
            node.range.clone(),
        );
    }
}
