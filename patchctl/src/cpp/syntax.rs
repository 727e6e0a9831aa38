//! tree-sitter's nodes as values, for code that is changed node by node.

use std::ops::Range;

use tree_sitter::{Node, Tree};

/// A node of the tree with everything below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Syntax<'t> {
    /// The grammar's name for it, such as `binary_expression`; for a token that has none, the token.
    pub kind: &'t str,
    /// Its part in the node above, such as `condition`.
    pub field: Option<&'t str>,
    /// Its bytes in the text.
    pub range: Range<usize>,
    /// The nodes below, in order, tokens without a name included.
    pub children: Vec<Syntax<'t>>,
}

/// Nodes nested deeper than this are left out, so that the recursion over them is bounded. Code that people write
/// stays below 60.
const DEEPEST: usize = 200;

impl<'t> Syntax<'t> {
    /// The first child that is `field` to this node.
    pub fn child(&self, field: &str) -> Option<&Syntax<'t>> {
        self.children
            .iter()
            .find(|child| child.field == Some(field))
    }

    /// The first child of a kind.
    pub fn child_of_kind(&self, kind: &str) -> Option<&Syntax<'t>> {
        self.children.iter().find(|child| child.kind == kind)
    }

    /// The expression inside of all enclosing parentheses.
    pub fn without_parentheses(&self) -> &Syntax<'t> {
        let mut node = self;
        while let ("parenthesized_expression", Some(inner)) = (node.kind, node.children.get(1)) {
            node = inner;
        }
        node
    }
}

/// The outermost nodes that lie wholly in `range`.
pub(crate) fn of<'t>(tree: &'t Tree, range: &Range<usize>) -> Vec<Syntax<'t>> {
    let mut out = Vec::new();
    outermost(tree.root_node(), range, &mut out, 0);
    out
}

fn outermost<'t>(node: Node<'t>, range: &Range<usize>, out: &mut Vec<Syntax<'t>>, depth: usize) {
    let mut cursor = node.walk();
    let mut more = cursor.goto_first_child();
    while more {
        let child = cursor.node();
        let bytes = child.byte_range();
        if range.start <= bytes.start && bytes.end <= range.end && !bytes.is_empty() {
            out.push(value(child, cursor.field_name(), depth));
        } else if bytes.start < range.end && range.start < bytes.end && depth < DEEPEST {
            outermost(child, range, out, depth + 1);
        }
        more = cursor.goto_next_sibling();
    }
}

fn value<'t>(node: Node<'t>, field: Option<&'t str>, depth: usize) -> Syntax<'t> {
    let mut children = Vec::new();
    let mut cursor = node.walk();
    let mut more = depth < DEEPEST && cursor.goto_first_child();
    while more {
        children.push(value(cursor.node(), cursor.field_name(), depth + 1));
        more = cursor.goto_next_sibling();
    }
    Syntax {
        kind: node.kind(),
        field,
        range: node.byte_range(),
        children,
    }
}
