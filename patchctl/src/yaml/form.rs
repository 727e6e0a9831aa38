//! The one way in and out of a YAML file of a known form.

use camino::Utf8Path;
use patchctl_apply::yaml::{Entry, FormError, Limits, Node, Step, Value, to_yaml};
use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, Transform};
use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;

use super::check::{Difference, check};
use super::faults::{Cursor, Faults, NO_HELP, Problems};
use crate::report::Code;

/// A file's form, key for key: its JSON Schema is what a file is checked against.
pub(crate) trait Form: JsonSchema + DeserializeOwned {
    /// The newest `schema` that is read.
    const SCHEMA: i64 = 1;
    /// Lists at the file's top whose items are looked at even where other items are wrong.
    const LISTS: &'static [&'static str] = &[];
    /// True for files that patchctl itself writes: versions up to 0.1.0 left some texts that look like numbers without
    /// quotes (`4e27`), so a number is read as its text where the form wants a text.
    const WRITTEN: bool = false;

    /// Returns true, with the problem noted, for a file whose keys this version cannot check.
    fn is_refused(_root: Cursor<'_>) -> bool {
        false
    }
}

/// Reads a file of form `F`. `meaning` makes the value of it and notes what is wrong with it; it is called only where the
/// file has its form, or has it but for items of [`Form::LISTS`].
///
/// # Errors
/// Every fault of the file, in its order: what keeps it from being YAML, else each difference from the form, and what
/// `meaning` noted.
pub(crate) fn read<F: Form, T>(
    file: &Utf8Path,
    bytes: &[u8],
    meaning: impl FnOnce(F, Cursor<'_>) -> Option<T>,
) -> Result<T, Faults> {
    let (mut root, problems) = parse(file, bytes)?;
    let cursor = Cursor::new(&root, &problems);
    let mut value = None;
    if !is_newer(cursor.key("schema"), F::SCHEMA) && !F::is_refused(cursor) {
        let differences = check(cursor, &schema_of::<F>(), F::WRITTEN);
        let is_looked_at = problems.is_empty() || !F::LISTS.is_empty();
        if is_looked_at && keep_sound_items(&mut root, differences, F::LISTS) {
            value = match F::deserialize(&root) {
                Ok(form) => meaning(form, Cursor::new(&root, &problems)),
                // Only the type's own reading sees it: a version that is none.
                Err(FormError { mark, what }) => {
                    let message = format!("this cannot be read: {what}");
                    let mark = mark.unwrap_or(root.mark);
                    problems.note(mark, Code::YamlWrongType, message, NO_HELP);
                    None
                }
            };
        }
    }
    match value {
        Some(value) if problems.is_empty() => Ok(value),
        _ => Err(problems.into()),
    }
}

/// The tree of a file of any form.
///
/// # Errors
/// Every fault that keeps it from being one YAML document without duplicate keys.
pub(crate) fn tree(file: &Utf8Path, bytes: &[u8]) -> Result<Node, Faults> {
    let (root, problems) = parse(file, bytes)?;
    match problems.is_empty() {
        true => Ok(root),
        false => Err(problems.into()),
    }
}

/// A file of form `F` as text: the comment lines `head`, then the form.
pub(crate) fn text<F: Form + Serialize>(head: &str, form: &F) -> String {
    // Forms have texts as keys, so none fails.
    format!("{head}{}", to_yaml(form).unwrap_or_default())
}

/// The comment lines and empty lines that a file begins with, with line feeds.
pub(crate) fn head(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let lines = text.split_inclusive('\n');
    let head: String = lines
        .take_while(|line| line.trim().is_empty() || line.starts_with('#'))
        .collect();
    head.replace("\r\n", "\n")
}

/// The tree and its duplicate keys, which do not end the reading.
fn parse<'a>(file: &'a Utf8Path, bytes: &'a [u8]) -> Result<(Node, Problems<'a>), Faults> {
    let (root, found) = patchctl_apply::yaml::parse(bytes, Limits::FORM);
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let problems = Problems::new(file, text);
    for (mark, problem) in found {
        problems.note_yaml(mark, &problem);
    }
    match root {
        Some(root) => Ok((root, problems)),
        None => Err(problems.into()),
    }
}

/// Returns true, with the fault noted, if the file's `schema` is newer than `known`.
fn is_newer(schema: Cursor<'_>, known: i64) -> bool {
    match schema.node.value {
        Value::Number(_, Some(found)) if found > known => {
            let message = format!("the file has schema {found}, this version reads up to {known}");
            schema.fault(Code::SchemaUnsupported, message, "use a newer patchctl");
            true
        }
        _ => false,
    }
}

/// Leaves out what differs from the form, where that is an unknown key of the root or inside an item of the root's
/// lists named in `lists`. Returns true if the tree then has its form.
fn keep_sound_items(root: &mut Node, differences: Vec<Difference>, lists: &[&str]) -> bool {
    let mut keys: Vec<String> = Vec::new();
    let mut items: Vec<(String, usize)> = Vec::new();
    for Difference { path, code } in differences {
        match path.as_slice() {
            [Step::Key(key), Step::Item(item), ..] if lists.contains(&key.as_str()) => {
                items.push((key.clone(), *item));
            }
            [Step::Key(key)] if code == Code::YamlUnknownKey => {
                keys.push(key.clone());
            }
            _ => return false,
        }
    }
    let Value::Map(entries) = &mut root.value else {
        return false;
    };
    entries.retain(|entry| !keys.contains(&entry.key));
    for Entry { key, value, .. } in entries {
        if let Value::List(list) = &mut value.value {
            let mut next = 0;
            list.retain(|_| {
                next += 1;
                !items.contains(&(key.clone(), next - 1))
            });
        }
    }
    true
}

/// The JSON Schema (draft 7, which editors know best) of a form. An optional key is one that may be left
/// out; `null` is no value for it.
pub fn schema_of<T: JsonSchema>() -> Json {
    let mut generator = SchemaSettings::draft07().into_generator();
    let mut schema = generator.root_schema_for::<T>();
    RecursiveTransform(without_null as fn(&mut Schema)).transform(&mut schema);
    schema.to_value()
}

fn without_null(schema: &mut Schema) {
    let Some(map) = schema.as_object_mut() else {
        return;
    };
    if let Some(Json::Array(types)) = map.get_mut("type") {
        types.retain(|one| one != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            map.insert("type".to_owned(), only);
        }
    }
    if let Some(Json::Array(choices)) = map.get_mut("anyOf") {
        choices.retain(|choice| choice["type"] != "null");
        if let [only] = choices.as_slice() {
            let only = only.clone();
            map.remove("anyOf");
            map.insert("allOf".to_owned(), Json::Array(vec![only]));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The keywords that the check knows, and those that only editors read.
    const KEYWORDS: [&str; 19] = [
        "$ref",
        "$schema",
        "additionalProperties",
        "allOf",
        "anyOf",
        "const",
        "default",
        "definitions",
        "description",
        "enum",
        "format",
        "items",
        "maximum",
        "minimum",
        "oneOf",
        "pattern",
        "properties",
        "required",
        "title",
    ];

    fn keywords(schema: &Json, found: &mut Vec<String>) {
        let Json::Object(map) = schema else { return };
        for (key, value) in map {
            if key != "type" {
                found.push(key.clone());
            }
            match (key.as_str(), value) {
                ("properties" | "definitions", Json::Object(named)) => {
                    named.values().for_each(|one| keywords(one, found));
                }
                ("enum" | "required" | "const" | "default", _) => {}
                (_, Json::Array(list)) => list.iter().for_each(|one| keywords(one, found)),
                (_, other) => keywords(other, found),
            }
        }
    }

    #[test]
    fn schemas_use_only_known_keywords() {
        let mut found = Vec::new();
        keywords(&crate::overlay::schema(), &mut found);
        assert!(found.len() > 100);
        for keyword in found {
            assert!(KEYWORDS.contains(&keyword.as_str()), "{keyword}");
        }
    }
}
