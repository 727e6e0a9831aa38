//! Whether the reading of a construct can be trusted.
//!
//! A construct is trusted when no error or missing node is in its head or is an ancestor of it, when no
//! ancestor is a misread class, and when the brace scan gives the same end for its body and for the body
//! of every construct around it. Errors inside the balanced bodies of its siblings do not count.

use tree_sitter::Node;

use super::braces::Braces;

/// The second reading, to hold the first against.
pub(super) struct Trust<'t> {
    pub(super) text: &'t [u8],
    pub(super) braces: &'t Braces,
}

impl Trust<'_> {
    /// Why the part of `node` before `end` cannot be trusted.
    pub(super) fn bad_head(&self, node: Node<'_>, end: usize) -> Option<String> {
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

    /// Why a construct with a body cannot be trusted: its head, or where its body ends.
    pub(super) fn bad_body(&self, node: Node<'_>, body: Node<'_>) -> Option<String> {
        if let Some(bad) = self.bad_head(node, body.start_byte()) {
            return Some(bad);
        }
        let scanned = self
            .braces
            .closing(body.start_byte())
            .map(|close| close + 1);
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

    pub(super) fn line(&self, offset: usize) -> usize {
        memchr::memchr_iter(b'\n', &self.text[..offset.min(self.text.len())]).count() + 1
    }
}
