//! Texts in TOML, YAML and JSON files, by key path.

use std::fmt;
use std::ops::Range;

use camino::Utf8Path;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use toml_edit::{Document, Item};

use super::{bad, line, not_parsed};
use crate::report::{Code, Finding};
use crate::yaml::{Layout, Mark, Node, Value, tree};

/// The value is no text.
fn not_a_text(line: u64, found: &str) -> Box<Finding> {
    let message = format!("the value is {found}, expected a text");
    let help = "put the value in quotes, or name another key";
    bad(line, Code::PlaceBadValue, &message, help)
}

/// The value is not written as it is: escapes, several lines, an alias.
fn not_plain(line: u64) -> Box<Finding> {
    let message = "the value is written with escapes, over several lines or as an alias";
    let help = "write it plainly on one line";
    bad(line, Code::PlaceBadValue, message, help)
}

/// The bytes of the text at `keys`, without its quotes; `None` where there is none.
pub(super) fn in_toml(text: &str, keys: &[String]) -> Result<Option<Range<usize>>, Box<Finding>> {
    let document = Document::parse(text).map_err(|error| {
        let span = error.span();
        let line = span.map_or(1, |span| line(text, span.start.min(text.len())));
        not_parsed(line, &error.message().replace('\n', ", "))
    })?;
    let mut item = document.as_item();
    for key in keys {
        let Some(next) = toml_below(item, key) else {
            return Ok(None);
        };
        item = next;
    }
    let span = item.span().unwrap_or_default();
    let line = line(text, span.start);
    let Some(toml_edit::Value::String(value)) = item.as_value() else {
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
fn toml_below<'a>(item: &'a Item, key: &str) -> Option<&'a Item> {
    if item.is_table_like() {
        return item.get(key);
    }
    item.get(key.parse::<usize>().ok()?)
}

/// The bytes of the text at `keys`, without its quotes; `None` where there is none.
///
/// # Errors
/// The file is no YAML, and what stands there is no text on one line as it is.
pub fn in_yaml(
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
        let Some(next) = yaml_below(node, key) else {
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
    match offset_at(text, start) {
        Some(at) if text[at..].starts_with(value) => Ok(Some(at..at + value.len())),
        _ => Err(not_plain(line)),
    }
}

fn yaml_below<'a>(node: &'a Node, key: &str) -> Option<&'a Node> {
    match &node.value {
        Value::Map(_) => node.entry(key).map(|entry| &entry.value),
        Value::List(items) => items.get(key.parse::<usize>().ok()?),
        _ => None,
    }
}

/// The byte at a place of the text.
fn offset_at(text: &str, mark: Mark) -> Option<usize> {
    let index = |value: u64| usize::try_from(value.checked_sub(1)?).ok();
    let lines = text.split_inclusive('\n').take(index(mark.line)?);
    let start: usize = lines.map(str::len).sum();
    let line = text.get(start..)?;
    let (column, _) = line.char_indices().nth(index(mark.column)?)?;
    Some(start + column)
}

/// The bytes of every text at `keys`, without its quotes. JSON allows a key to be there twice.
pub(super) fn in_json(text: &str, keys: &[String]) -> Result<Vec<Range<usize>>, Box<Finding>> {
    let root: &RawValue = parse(text, text)?;
    let mut level = vec![root];
    for key in keys {
        let mut next = Vec::new();
        for value in level {
            next.extend(json_below(text, value, key)?);
        }
        level = next;
    }
    level
        .into_iter()
        .map(|value| inside(text, value.get()))
        .collect()
}

fn json_below<'a>(
    text: &str,
    value: &'a RawValue,
    key: &str,
) -> Result<Vec<&'a RawValue>, Box<Finding>> {
    match value.get().as_bytes().first() {
        Some(b'{') => {
            let entries: Entries<'a> = parse(text, value.get())?;
            let same = entries.0.into_iter().filter(|(name, _)| name == key);
            Ok(same.map(|(_, value)| value).collect())
        }
        Some(b'[') => {
            let items: Vec<&'a RawValue> = parse(text, value.get())?;
            let index = key.parse::<usize>().ok();
            Ok(index
                .and_then(|index| items.get(index).copied())
                .into_iter()
                .collect())
        }
        _ => Ok(Vec::new()),
    }
}

/// The bytes between the quotes of a text that stands in the file as it is.
fn inside(text: &str, raw: &str) -> Result<Range<usize>, Box<Finding>> {
    let start = offset_of(text, raw);
    let line = line(text, start);
    let Some(inner) = raw.strip_prefix('"').and_then(|raw| raw.strip_suffix('"')) else {
        let found = match raw.as_bytes().first() {
            Some(b'{') => "an object".to_owned(),
            Some(b'[') => "a list".to_owned(),
            _ => format!("`{raw}`"),
        };
        return Err(not_a_text(line, &found));
    };
    if inner.contains('\\') {
        return Err(not_plain(line));
    }
    Ok(start + 1..start + 1 + inner.len())
}

fn parse<'a, T: Deserialize<'a>>(text: &str, raw: &'a str) -> Result<T, Box<Finding>> {
    serde_json::from_str(raw).map_err(|error| {
        let first = line(text, offset_of(text, raw));
        let line = first + (error.line() as u64).saturating_sub(1);
        not_parsed(line, &error.to_string())
    })
}

/// Returns the byte of `text` at which `part`, a piece of it, begins.
fn offset_of(text: &str, part: &str) -> usize {
    (part.as_ptr() as usize)
        .saturating_sub(text.as_ptr() as usize)
        .min(text.len())
}

/// An object's entries in order, the same key as often as it is there.
struct Entries<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Entries<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Entries<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Entries(entries))
            }
        }
        deserializer.deserialize_map(Reader)
    }
}
