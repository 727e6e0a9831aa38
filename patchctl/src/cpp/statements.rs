//! The statements of a function.

use std::ops::Range;

use tree_sitter::{Node, Tree};

use crate::overlay::StatementKind;

/// A statement, its place and what can be said against its reading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// What it is; `None` for kinds that an anchor cannot name.
    pub kind: Option<StatementKind>,
    /// Its bytes, the semicolon included.
    pub range: Range<usize>,
    /// An error or missing node is, or is in, this statement, or it stands in one.
    pub unreadable: bool,
}

/// The statements of the body at `body`: direct children, or those of nested blocks too (lambdas aside).
pub(crate) fn of(tree: &Tree, body: &Range<usize>, nested: bool) -> Vec<Statement> {
    let node = tree
        .root_node()
        .descendant_for_byte_range(body.start, body.end);
    let mut out = Vec::new();
    if let Some(node) = node.filter(|node| node.byte_range() == *body) {
        collect(node, nested, false, &mut out);
    }
    out
}

fn collect(node: Node<'_>, nested: bool, unreadable: bool, out: &mut Vec<Statement>) {
    let mut cursor = node.walk();
    let mut more = cursor.goto_first_child();
    while more {
        let child = cursor.node();
        // What stands between a loop's or a condition's parentheses is no statement of its own.
        let in_parentheses = matches!(
            cursor.field_name(),
            Some("initializer" | "condition" | "update" | "declarator")
        );
        if child.is_named() && !in_parentheses {
            statement(child, nested, unreadable, out);
        }
        more = cursor.goto_next_sibling();
    }
}

fn statement(node: Node<'_>, nested: bool, unreadable: bool, out: &mut Vec<Statement>) {
    let kind = kind_of(node.kind());
    let is_statement = kind.is_some() || node.kind().ends_with("_statement");
    if is_statement {
        out.push(Statement {
            kind,
            range: node.byte_range(),
            unreadable: unreadable || node.has_error() || node.is_missing(),
        });
    }
    let transparent = node.kind().starts_with("preproc_") || node.is_error();
    let clause = matches!(node.kind(), "else_clause" | "catch_clause");
    if transparent || (nested && (is_statement || clause)) {
        collect(node, nested, unreadable || node.is_error(), out);
    }
}

fn kind_of(kind: &str) -> Option<StatementKind> {
    Some(match kind {
        "declaration" => StatementKind::Declaration,
        "if_statement" => StatementKind::If,
        "for_statement" | "for_range_loop" => StatementKind::For,
        "while_statement" | "do_statement" => StatementKind::While,
        "return_statement" => StatementKind::Return,
        "expression_statement" => StatementKind::Expression,
        "switch_statement" => StatementKind::Switch,
        "try_statement" => StatementKind::Try,
        "compound_statement" => StatementKind::Block,
        _ => return None,
    })
}
