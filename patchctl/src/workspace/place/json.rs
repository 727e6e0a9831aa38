//! Texts in JSON files, by key path.

use std::fmt;
use std::ops::Range;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::find::{line, not_a_text, not_parsed, not_plain};
use crate::report::Finding;

/// The bytes of every text at `keys`, without its quotes. JSON allows a key to be there twice.
pub(super) fn find(text: &str, keys: &[String]) -> Result<Vec<Range<usize>>, Box<Finding>> {
    let root: &RawValue = parse(text, text)?;
    let mut level = vec![root];
    for key in keys {
        let mut next = Vec::new();
        for value in level {
            next.extend(below(text, value, key)?);
        }
        level = next;
    }
    level
        .into_iter()
        .map(|value| inside(text, value.get()))
        .collect()
}

fn below<'a>(
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
    let start = offset(text, raw);
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
        let first = line(text, offset(text, raw));
        let line = first + (error.line() as u64).saturating_sub(1);
        not_parsed(line, &error.to_string())
    })
}

/// Where `part`, a piece of `text`, begins in it.
fn offset(text: &str, part: &str) -> usize {
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
