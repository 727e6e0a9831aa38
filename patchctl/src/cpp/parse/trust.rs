//! Trust in the reading of a construct.
//!
//! A construct is trusted when no error or missing node is in its head or is an ancestor of it, when no
//! ancestor is a misread class, and when the brace scan puts it inside of the same brace and gives the same
//! end for its body and for the body of every construct around it. Errors inside the balanced bodies of its
//! siblings do not count.

use std::ops::Range;

use tree_sitter::{Node, Tree};

use super::tree::Walk;

impl Walk<'_> {
    /// The reason why the part of `node` before `end` cannot be trusted. `within` is the innermost brace that the parser sees
    /// around it.
    pub(super) fn bad_head(
        &self,
        node: Node<'_>,
        end: usize,
        within: Option<usize>,
    ) -> Option<String> {
        let around = self.parsed.braces.around(node.start_byte());
        if around != within.map(Some) {
            let line = |brace: usize| format!("the brace of line {}", self.line(brace));
            let by_braces = match around {
                None => "outside of all braces".to_owned(),
                Some(None) => "in no one place, since `#if` branches disagree".to_owned(),
                Some(Some(brace)) => format!("inside of {}", line(brace)),
            };
            let by_tree = within.map_or("outside of all braces".to_owned(), |brace| {
                format!("inside of {}", line(brace))
            });
            return Some(format!(
                "the parser puts it {by_tree}, counting braces puts it {by_braces}"
            ));
        }
        let mut cursor = node.walk();
        let mut head = node
            .children(&mut cursor)
            .take_while(|child| child.start_byte() < end);
        let bad = head.find(|child| child.has_error() || child.is_missing())?;
        let at = self.line(bad.start_byte());
        Some(format!(
            "the parser cannot read its first lines (line {at})"
        ))
    }

    /// The reason why a construct with a body cannot be trusted: its head, or the end of its body.
    pub(super) fn bad_body(
        &self,
        node: Node<'_>,
        body: Node<'_>,
        within: Option<usize>,
    ) -> Option<String> {
        if let Some(bad) = self.bad_head(node, body.start_byte(), within) {
            return Some(bad);
        }
        let scanned = self.parsed.braces.closing(body.start_byte());
        let scanned = scanned.map(|close| close + 1);
        if scanned == Some(body.end_byte()) {
            return None;
        }
        let by_tree = self.line(body.end_byte().saturating_sub(1));
        let by_braces = match scanned {
            Some(end) => format!("line {}", self.line(end - 1)),
            None => "no one place, since `#if` branches disagree".to_owned(),
        };
        Some(format!(
            "the parser ends it in line {by_tree}, counting braces ends it in {by_braces}"
        ))
    }

    /// The 1-based line of the byte at `offset`.
    pub(super) fn line(&self, offset: usize) -> usize {
        self.parsed.lines().number(offset)
    }
}

/// The ranges of error and missing nodes, in order.
pub(super) fn unreadable(tree: &Tree) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        if node.is_error() || node.is_missing() {
            out.push(node.byte_range());
        }
        if node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return out;
            }
        }
    }
}
