//! The names that are known at a place of a function.

use std::ops::Range;

use crate::cpp::Syntax;

/// A name and where it can be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Declared {
    pub(super) name: String,
    /// From behind its declarator to the end of the block that it is declared in.
    pub(super) scope: Range<usize>,
}

/// Every parameter, variable and binding that is declared in a function, in order.
pub(super) fn declared(function: &Syntax<'_>, text: &[u8]) -> Vec<Declared> {
    let mut out = Vec::new();
    collect(function, function.range.end, text, &mut out);
    out
}

fn collect(node: &Syntax<'_>, block_end: usize, text: &[u8], out: &mut Vec<Declared>) {
    let block_end = match node.kind {
        "compound_statement" | "if_statement" | "for_statement" | "for_range_loop"
        | "while_statement" | "lambda_expression" => node.range.end,
        _ => block_end,
    };
    let declares = matches!(
        node.kind,
        "parameter_declaration"
            | "optional_parameter_declaration"
            | "declaration"
            | "init_declarator"
            | "for_range_loop"
    );
    for child in &node.children {
        if declares && child.field == Some("declarator") && child.kind != "init_declarator" {
            for name in bound(child, text) {
                out.push(Declared {
                    name,
                    scope: node.range.end.min(block_end)..block_end,
                });
            }
        }
        collect(child, block_end, text, out);
    }
}

/// The names that a declarator binds.
pub(super) fn bound(declarator: &Syntax<'_>, text: &[u8]) -> Vec<String> {
    match declarator.kind {
        "identifier" => vec![text_of(declarator, text)],
        // A function is declared, or a constructor called: no variable that can stand for another.
        "function_declarator" | "init_declarator" => Vec::new(),
        _ => {
            let inner = declarator.children.iter();
            inner.flat_map(|child| bound(child, text)).collect()
        }
    }
}

/// A node's text, white space as it stands.
pub(super) fn text_of(node: &Syntax<'_>, text: &[u8]) -> String {
    String::from_utf8_lossy(&text[node.range.clone()]).into_owned()
}

/// Returns true if an identifier stands for its value here: it is read or assigned, not called, declared or asked for a member.
pub(super) fn is_value(node: &Syntax<'_>, above: Option<&Syntax<'_>>) -> bool {
    let Some(above) = above.filter(|_| node.kind == "identifier") else {
        return false;
    };
    match above.kind {
        "binary_expression"
        | "assignment_expression"
        | "conditional_expression"
        | "argument_list"
        | "return_statement"
        | "unary_expression"
        | "update_expression"
        | "parenthesized_expression"
        | "comma_expression"
        | "initializer_list" => true,
        "init_declarator" | "condition_clause" => node.field == Some("value"),
        _ => false,
    }
}

/// Returns the values that a function reads or assigns by a bare name where `is_left_out` does not hold, each once.
pub(super) fn used(
    function: &Syntax<'_>,
    is_left_out: &dyn Fn(usize) -> bool,
    text: &[u8],
) -> Vec<String> {
    let mut out = Vec::new();
    let mut nodes = vec![(function, None)];
    while let Some((node, above)) = nodes.pop() {
        if is_left_out(node.range.start) {
            continue;
        }
        if is_value(node, above) {
            let name = text_of(node, text);
            if !out.contains(&name) {
                out.push(name);
            }
        }
        nodes.extend(node.children.iter().rev().map(|child| (child, Some(node))));
    }
    out
}

pub(super) fn is_attribute(node: &Syntax<'_>) -> bool {
    matches!(
        node.kind,
        "attribute_specifier" | "attribute_declaration" | "ms_declspec_modifier"
    )
}
