//! Texts in TOML files, by key path.

use std::ops::Range;

use toml_edit::{Document, Item, Value};

use super::find::{line, not_a_text, not_parsed, not_plain};
use crate::report::Finding;

/// The bytes of the text at `keys`, without its quotes; `None` where there is none.
pub(super) fn find(text: &str, keys: &[String]) -> Result<Option<Range<usize>>, Box<Finding>> {
    let document = Document::parse(text).map_err(|error| {
        let span = error.span();
        let line = span.map_or(1, |span| line(text, span.start.min(text.len())));
        not_parsed(line, &error.message().replace('\n', ", "))
    })?;
    let mut item = document.as_item();
    for key in keys {
        let Some(next) = below(item, key) else {
            return Ok(None);
        };
        item = next;
    }
    let span = item.span().unwrap_or_default();
    let line = line(text, span.start);
    let Some(Value::String(value)) = item.as_value() else {
        return Err(not_a_text(line, &format!("a {}", item.type_name())));
    };
    let quoted = &text[span.clone()];
    let quotes = match quoted {
        _ if quoted.starts_with("\"\"\"") || quoted.starts_with("'''") => 3,
        _ => 1,
    };
    let inside = span.start + quotes..span.end.saturating_sub(quotes);
    match text.get(inside.clone()) {
        Some(plain) if plain == value.value() => Ok(Some(inside)),
        _ => Err(not_plain(line)),
    }
}

/// The item of a table's key, or of a list's position.
fn below<'a>(item: &'a Item, key: &str) -> Option<&'a Item> {
    if item.is_table_like() {
        return item.get(key);
    }
    item.get(key.parse::<usize>().ok()?)
}
