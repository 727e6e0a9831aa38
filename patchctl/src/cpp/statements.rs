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
    for child in node.named_children(&mut cursor) {
        let kind = kind_of(child.kind());
        let transparent = child.kind().starts_with("preproc_");
        let is_statement = kind.is_some() || child.kind().ends_with("_statement");
        if is_statement && node.kind() != "else_clause" || kind == Some(StatementKind::Block) {
            let bad = unreadable || child.has_error() || child.is_missing();
            out.push(Statement {
                kind,
                range: child.byte_range(),
                unreadable: bad,
            });
        }
        let open = matches!(
            child.kind(),
            "else_clause" | "catch_clause" | "for_range_loop"
        );
        if transparent || (nested && (is_statement || open)) || child.is_error() {
            collect(child, nested, unreadable || child.is_error(), out);
        }
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
