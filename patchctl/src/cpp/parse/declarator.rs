//! Names inside of tree-sitter's declarators.

use tree_sitter::Node;

/// The function's declarator under pointers, references and parentheses.
pub(super) fn function_declarator(declarator: Node<'_>) -> Option<Node<'_>> {
    let mut stack = vec![declarator];
    while let Some(node) = stack.pop() {
        match node.kind() {
            // `operator bool() const`: the whole is name and parameters.
            "function_declarator" | "operator_cast" => return Some(node),
            "pointer_declarator"
            | "reference_declarator"
            | "parenthesized_declarator"
            | "qualified_identifier" => {
                let first = stack.len();
                let mut cursor = node.walk();
                stack.extend(node.named_children(&mut cursor));
                stack[first..].reverse();
            }
            _ => {}
        }
    }
    None
}

/// The name that a declarator declares.
pub(super) fn innermost_name(declarator: Node<'_>) -> Node<'_> {
    let mut node = declarator;
    loop {
        let inner = node.child_by_field_name("declarator").or_else(|| {
            let mut cursor = node.walk();
            let wraps = node.kind().ends_with("_declarator");
            wraps
                .then(|| node.named_children(&mut cursor).last())
                .flatten()
        });
        match inner {
            Some(inner) => node = inner,
            None => return node,
        }
    }
}
