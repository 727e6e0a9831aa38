//! Texts in YAML files, by key path.

use std::ops::Range;

use camino::Utf8Path;

use super::find::{not_a_text, not_parsed, not_plain};
use crate::report::Finding;
use crate::yaml::{Layout, Mark, Node, Value, tree};

/// The bytes of the text at `keys`, without its quotes; `None` where there is none.
pub(super) fn find(
    file: &Utf8Path,
    text: &str,
    keys: &[String],
) -> Result<Option<Range<usize>>, Box<Finding>> {
    // A place among duplicate keys would be a guess.
    let root = tree(file, text.as_bytes()).map_err(|faults| {
        let first = faults.0.first();
        let line = first.and_then(|fault| fault.line).unwrap_or(1);
        not_parsed(line, first.map(|fault| &*fault.message).unwrap_or_default())
    })?;
    let mut node = &root;
    for key in keys {
        let Some(next) = below(node, key) else {
            return Ok(None);
        };
        node = next;
    }
    let line = node.mark.line;
    let Some(value) = node.text() else {
        return Err(not_a_text(line, &node.kind()));
    };
    let Layout::Line(start) = node.layout else {
        return Err(not_plain(line));
    };
    match offset(text, start) {
        Some(at) if text[at..].starts_with(value) => Ok(Some(at..at + value.len())),
        _ => Err(not_plain(line)),
    }
}

fn below<'a>(node: &'a Node, key: &str) -> Option<&'a Node> {
    match &node.value {
        Value::Map(_) => node.entry(key).map(|entry| &entry.value),
        Value::List(items) => items.get(key.parse::<usize>().ok()?),
        _ => None,
    }
}

/// The byte at a place of the text.
fn offset(text: &str, mark: Mark) -> Option<usize> {
    let index = |value: u64| usize::try_from(value.checked_sub(1)?).ok();
    let lines = text.split_inclusive('\n').take(index(mark.line)?);
    let start: usize = lines.map(str::len).sum();
    let line = text.get(start..)?;
    let (column, _) = line.char_indices().nth(index(mark.column)?)?;
    Some(start + column)
}
