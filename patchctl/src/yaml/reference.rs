//! A file's form as a page for readers, made from its JSON Schema: a table of keys for each kind of map.

use std::fmt::Write;

use serde_json::{Map, Value as Json};

/// schemars' definition of a version, which has nothing to tell.
const VERSION: &str = "SemVer";

/// The page. `title` is its heading, `intro` what stands below that.
pub fn reference(schema: &Json, title: &str, intro: &str) -> String {
    let mut out = format!("# {title}\n\n{intro}\n");
    let empty = Map::new();
    let definitions = schema["definitions"].as_object().unwrap_or(&empty);
    let name = text(schema, "title");
    section(&mut out, name, schema);
    for name in in_order(schema, definitions) {
        if let Some(definition) = definitions.get(&name).filter(|_| name != VERSION) {
            section(&mut out, &name, definition);
        }
    }
    out
}

/// The definitions that are referred to, each where a reader first meets it.
fn in_order(schema: &Json, definitions: &Map<String, Json>) -> Vec<String> {
    let mut known = Vec::new();
    collect(schema, &mut known);
    let mut next = 0;
    while let Some(name) = known.get(next).cloned() {
        next += 1;
        if let Some(definition) = definitions.get(&name) {
            collect(definition, &mut known);
        }
    }
    known
}

fn collect(schema: &Json, known: &mut Vec<String>) {
    match schema {
        Json::Object(map) => {
            for (key, value) in map {
                if let Some(name) = value.as_str().filter(|_| key == "$ref").and_then(named) {
                    if !known.contains(&name) {
                        known.push(name);
                    }
                } else if key != "definitions" {
                    collect(value, known);
                }
            }
        }
        Json::Array(items) => items.iter().for_each(|item| collect(item, known)),
        _ => {}
    }
}

fn named(reference: &str) -> Option<String> {
    reference.strip_prefix("#/definitions/").map(str::to_owned)
}

fn section(out: &mut String, name: &str, schema: &Json) {
    let _ = write!(out, "\n## {name}\n\n{}\n", text(schema, "description"));
    if let Some(properties) = schema["properties"].as_object() {
        out.push_str("\n| key | value | | meaning |\n| --- | --- | --- | --- |\n");
        for (key, value) in properties {
            let needed = schema["required"].as_array().into_iter().flatten();
            let needed = if needed.into_iter().any(|it| it == key.as_str()) {
                "needed"
            } else {
                ""
            };
            let meaning = cell(text(value, "description"));
            let _ = writeln!(out, "| `{key}` | {} | {needed} | {meaning} |", kind(value));
        }
    } else if let Some(choices) = schema["oneOf"].as_array().or(schema["anyOf"].as_array()) {
        out.push_str("\n| value | meaning |\n| --- | --- |\n");
        for choice in choices {
            let meaning = cell(text(choice, "description"));
            let _ = writeln!(out, "| {} | {meaning} |", kind(choice));
        }
    }
}

/// Returns the kind of value that may stand there, in words.
fn kind(schema: &Json) -> String {
    if let Some(word) = schema["const"].as_str() {
        return format!("`{word}`");
    }
    if let Some(name) = schema["$ref"].as_str().and_then(named) {
        if name == VERSION {
            return "version".to_owned();
        }
        return format!("[{name}](#{})", name.to_lowercase());
    }
    if let Some([only]) = schema["allOf"].as_array().map(Vec::as_slice) {
        return kind(only);
    }
    match schema["type"].as_str() {
        Some("array") => format!("list of {}", kind(&schema["items"])),
        Some("object") => match schema["properties"].as_object() {
            Some(keys) => {
                let keys = keys
                    .iter()
                    .map(|(key, value)| format!("`{key}`: {}", kind(value)));
                keys.collect::<Vec<_>>().join(", ")
            }
            None => format!("map of {}", kind(&schema["additionalProperties"])),
        },
        Some("integer" | "number") => "number".to_owned(),
        Some("boolean") => "`true` or `false`".to_owned(),
        _ => "text".to_owned(),
    }
}

fn text<'a>(schema: &'a Json, key: &str) -> &'a str {
    schema[key].as_str().unwrap_or_default()
}

/// Text for a cell of a table.
fn cell(text: &str) -> String {
    text.replace('\n', " ").replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_page_has_a_table_for_each_map() {
        let schema = json!({
            "title": "a thing", "description": "What it is.",
            "properties": {
                "name": { "type": "string", "description": "Its\nname | more." },
                "parts": { "type": "array", "items": { "$ref": "#/definitions/part" }, "description": "Parts." },
                "by": { "type": "object", "additionalProperties": { "type": "integer" }, "description": "Roles." },
            },
            "required": ["name"],
            "definitions": {
                "unused": { "description": "Never met." },
                "side": { "description": "Which.", "oneOf": [{ "const": "left", "description": "Here." }] },
                "part": { "description": "A part.", "properties": {
                    "side": { "allOf": [{ "$ref": "#/definitions/side" }], "description": "Side." },
                    "on": { "type": "boolean", "description": "On." },
                } },
            },
        });
        assert_eq!(
            reference(&schema, "Things", "Made."),
            "# Things\n\nMade.\n\n## a thing\n\nWhat it is.\n\n\
             | key | value | | meaning |\n| --- | --- | --- | --- |\n\
             | `name` | text | needed | Its name \\| more. |\n\
             | `parts` | list of [part](#part) |  | Parts. |\n\
             | `by` | map of number |  | Roles. |\n\
             \n## part\n\nA part.\n\n\
             | key | value | | meaning |\n| --- | --- | --- | --- |\n\
             | `side` | [side](#side) |  | Side. |\n\
             | `on` | `true` or `false` |  | On. |\n\
             \n## side\n\nWhich.\n\n\
             | value | meaning |\n| --- | --- |\n| `left` | Here. |\n"
        );
    }
}
