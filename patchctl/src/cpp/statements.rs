//! The statements of a function.

use std::ops::Range;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tree_sitter::{Node, Tree};

/// Kinds of statement, by what a reader calls them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "statement-kind")]
pub enum StatementKind {
    /// A declaration of locals.
    Declaration,
    /// `if`
    If,
    /// `for`, both forms
    For,
    /// `while` and `do`
    While,
    /// `return`
    Return,
    /// An expression with a semicolon.
    Expression,
    /// `switch`
    Switch,
    /// `try`
    Try,
    /// `{ … }`
    Block,
}

impl StatementKind {
    /// The word for it, as overlays have it.
    pub fn word(self) -> String {
        format!("{self:?}").to_lowercase()
    }
}

/// A statement and its place in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// Its kind; `None` for kinds that an anchor cannot name.
    pub kind: Option<StatementKind>,
    /// Its bytes, the semicolon included.
    pub range: Range<usize>,
    /// An error or missing node is, or is in, this statement, or it stands in one.
    pub unreadable: bool,
}

/// The statements of the body at `body`, in order: direct children, or those of nested blocks too (lambdas aside).
pub(crate) fn of(tree: &Tree, body: &Range<usize>, nested: bool) -> Vec<Statement> {
    let node = tree
        .root_node()
        .descendant_for_byte_range(body.start, body.end);
    let mut out = Vec::new();
    let mut stack = Vec::new();
    if let Some(node) = node.filter(|node| node.byte_range() == *body) {
        push_children(node, false, &mut stack);
    }
    while let Some((node, unreadable)) = stack.pop() {
        let kind = kind_of(node.kind());
        let is_statement = kind.is_some() || is_unnamed(node.kind());
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
            push_children(node, unreadable || node.is_error(), &mut stack);
        }
    }
    out
}

/// Pushes the children that can be statements, the first one last.
fn push_children<'t>(node: Node<'t>, unreadable: bool, stack: &mut Vec<(Node<'t>, bool)>) {
    let first = stack.len();
    let mut cursor = node.walk();
    let mut more = cursor.goto_first_child();
    while more {
        // What stands between a loop's or a condition's parentheses is no statement of its own.
        let in_parentheses = matches!(
            cursor.field_name(),
            Some("initializer" | "condition" | "update" | "declarator")
        );
        if cursor.node().is_named() && !in_parentheses {
            stack.push((cursor.node(), unreadable));
        }
        more = cursor.goto_next_sibling();
    }
    stack[first..].reverse();
}

/// Returns true for statements that have no word: only their tokens name them.
fn is_unnamed(kind: &str) -> bool {
    let declares = [
        "alias_declaration",
        "static_assert_declaration",
        "type_definition",
        "using_declaration",
    ];
    kind.ends_with("_statement") || declares.contains(&kind)
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
