//! Checks a tree against the JSON Schema of its form, and reports every difference.
//!
//! Only the keywords that the schemas of this crate use are known; a test holds that no other is in them.

use patchctl_apply::yaml::{Mark, Node, Step, Value};
use serde_json::Value as Json;

use super::faults::{Cursor, Problems, closest};
use crate::report::{Code, Text};

/// The way to a node that differs from its form, and the code of the fault.
#[derive(Debug)]
pub(super) struct Difference {
    pub(super) path: Vec<Step>,
    pub(super) code: Code,
}

/// Notes every difference between a node and `schema`. With `numbers_are_texts`, a number is no difference where a text is
/// wanted.
pub(super) fn check(at: Cursor<'_>, schema: &Json, numbers_are_texts: bool) -> Vec<Difference> {
    let mut checker = Checker {
        root: schema,
        problems: at.problems,
        numbers_are_texts,
        path: Vec::new(),
        found: Vec::new(),
    };
    checker.node(at.node, schema);
    checker.found
}

struct Checker<'a> {
    root: &'a Json,
    problems: &'a Problems<'a>,
    numbers_are_texts: bool,
    path: Vec<Step>,
    found: Vec<Difference>,
}

impl<'a> Checker<'a> {
    fn node(&mut self, node: &Node, schema: &'a Json) {
        let schema = self.resolved(schema);
        if let Some(choices) = choices(schema) {
            return self.choice(node, choices);
        }
        match schema["type"].as_str() {
            Some("object") => match &node.value {
                Value::Map(_) => self.map(node, schema),
                _ => self.wrong(node, &a_map(schema)),
            },
            Some("array") => match &node.value {
                Value::List(items) => {
                    for (index, item) in items.iter().enumerate() {
                        self.path.push(index.into());
                        self.node(item, &schema["items"]);
                        self.path.pop();
                    }
                }
                _ => self.wrong(node, "a list"),
            },
            Some("string") => match &node.value {
                Value::Text(text) => self.text(node, text, schema),
                Value::Number(text, _) if self.numbers_are_texts => self.text(node, text, schema),
                _ => self.wrong(node, "a text"),
            },
            Some("boolean") if !matches!(node.value, Value::Bool(_)) => {
                self.wrong(node, "`true` or `false`");
            }
            Some("integer") => {
                let least = schema["minimum"].as_i64().unwrap_or(i64::MIN);
                let most = schema["maximum"].as_i64().unwrap_or(i64::MAX);
                match node.value {
                    Value::Number(_, Some(whole)) if (least..=most).contains(&whole) => {}
                    _ if least == most => self.wrong(node, &least.to_string()),
                    Value::Number(_, Some(_)) if most == i64::MAX => {
                        self.wrong(node, &format!("a whole number of at least {least}"));
                    }
                    Value::Number(_, Some(_)) => {
                        self.wrong(node, &format!("a whole number from {least} to {most}"));
                    }
                    _ => self.wrong(node, "a whole number"),
                }
            }
            _ => {}
        }
    }

    /// One of several forms: that of the node's type which has the node's first key, or its text.
    fn choice(&mut self, node: &Node, choices: &'a [Json]) {
        let choices: Vec<&'a Json> = choices.iter().map(|choice| self.resolved(choice)).collect();
        let texts: Vec<&str> = choices.iter().flat_map(|choice| allowed(choice)).collect();
        let fits = |choice: &&&'a Json| match &node.value {
            Value::Map(entries) => {
                choice["type"] == "object"
                    && entries
                        .iter()
                        .any(|entry| choice["properties"].get(&entry.key).is_some())
            }
            Value::List(_) => choice["type"] == "array",
            // Any text, where the choice names none.
            Value::Text(_) => choice["type"] == "string" && allowed(choice).next().is_none(),
            _ => false,
        };
        match &node.value {
            Value::Text(text) if texts.contains(&text.as_str()) => {}
            Value::Text(text) if texts.len() == choices.len() => {
                self.not_one_of(node, text, &texts)
            }
            _ => match choices.iter().find(fits) {
                Some(choice) => self.node(node, choice),
                None => {
                    let forms: Vec<String> = choices.iter().map(|form| self.named(form)).collect();
                    self.wrong(node, &forms.join(" or "));
                }
            },
        }
    }

    fn map(&mut self, node: &Node, schema: &'a Json) {
        let Value::Map(entries) = &node.value else {
            return;
        };
        for entry in entries {
            self.path.push(entry.key.as_str().into());
            let any = &schema["additionalProperties"];
            match schema["properties"].get(&entry.key) {
                Some(property) => self.node(&entry.value, property),
                None if any.is_object() => self.node(&entry.value, any),
                None => {
                    let message = format!("unknown key `{}` in {}", entry.key, title(schema));
                    let help = self.unknown_key_help(&entry.key, schema);
                    self.push(entry.mark, Code::YamlUnknownKey, message, help);
                }
            }
            self.path.pop();
        }
        for key in schema["required"].as_array().into_iter().flatten() {
            let Some(key) = key.as_str() else { continue };
            if node.entry(key).is_none() {
                let message = format!("{} has no `{key}`", title(schema));
                let help = schema["properties"][key]["description"].as_str();
                let help = help.map(|help| format!("add `{key}: …`: {}", first_sentence(help)));
                self.push(node.mark, Code::YamlMissingKey, message, help);
            }
        }
    }

    fn unknown_key_help(&self, key: &str, schema: &'a Json) -> String {
        let known: Vec<&str> = properties(schema).collect();
        if key == "<<" {
            return "merge keys are not supported: write the keys out".to_owned();
        }
        if let Some(near) = closest(key, known.iter().copied()) {
            return format!("did you mean `{near}`?");
        }
        let elsewhere = self.root["definitions"]
            .as_object()
            .into_iter()
            .flat_map(serde_json::Map::values)
            .find(|other| other["properties"].get(key).is_some());
        let known = quoted(known.iter().copied());
        match elsewhere {
            Some(other) => format!("`{key}` is a key of {}; known here: {known}", title(other)),
            None => format!("known here: {known}"),
        }
    }

    fn text(&mut self, node: &Node, text: &str, schema: &'a Json) {
        let allowed: Vec<&str> = allowed(schema).collect();
        if !allowed.is_empty() && !allowed.contains(&text) {
            self.not_one_of(node, text, &allowed);
        }
    }

    fn not_one_of(&mut self, node: &Node, found: &str, allowed: &[&str]) {
        let message = format!(
            "`{found}` is not one of {}",
            quoted(allowed.iter().copied())
        );
        let near = closest(found, allowed.iter().copied());
        let help = near.map(|near| format!("did you mean `{near}`?"));
        self.push(node.mark, Code::YamlUnknownValue, message, help);
    }

    fn wrong(&mut self, node: &Node, expected: &str) {
        let help = match &node.value {
            Value::Null => Some("give it a value, or leave the key out".to_owned()),
            Value::Number(text, _) if expected == "a text" => {
                Some(format!("put it in quotes: '{text}'"))
            }
            Value::Bool(value) if expected == "a text" => {
                Some(format!("put it in quotes: '{value}'"))
            }
            Value::List(_) if expected.starts_with("a map") => {
                Some("remove the `-` or the brackets".to_owned())
            }
            Value::Map(_) | Value::Text(_) if expected == "a list" => {
                Some("write it as a list: `[ … ]`, or a `- ` before each".to_owned())
            }
            _ => None,
        };
        let message = format!("expected {expected}, found {}", node.kind());
        self.push(node.mark, Code::YamlWrongType, message, help);
    }

    fn push(&mut self, mark: Mark, code: Code, message: String, help: impl Text) {
        self.problems.note(mark, code, message, help);
        let path = self.path.clone();
        self.found.push(Difference { path, code });
    }

    fn resolved(&self, schema: &'a Json) -> &'a Json {
        let mut schema = schema;
        loop {
            let reference = schema["$ref"]
                .as_str()
                .or_else(|| match schema["allOf"].as_array() {
                    Some(all) => all.first().and_then(|one| one["$ref"].as_str()),
                    None => None,
                });
            let target = reference
                .and_then(|reference| reference.strip_prefix('#'))
                .and_then(|pointer| self.root.pointer(pointer));
            match target {
                Some(target) => schema = target,
                None => return schema,
            }
        }
    }

    fn named(&self, schema: &Json) -> String {
        let texts = quoted(allowed(schema));
        match schema["type"].as_str() {
            Some("object") => a_map(schema),
            Some("string") if !texts.is_empty() => texts,
            Some("string") => "a text".to_owned(),
            Some("array") => "a list".to_owned(),
            _ => "something else".to_owned(),
        }
    }
}

fn a_map(schema: &Json) -> String {
    let keys = quoted(properties(schema));
    if keys.is_empty() {
        return "a map".to_owned();
    }
    format!("a map ({keys})")
}

fn choices(schema: &Json) -> Option<&Vec<Json>> {
    schema["oneOf"].as_array().or(schema["anyOf"].as_array())
}

/// The texts that a schema allows, where it names them.
fn allowed(schema: &Json) -> impl Iterator<Item = &str> {
    let named = schema["enum"].as_array().into_iter().flatten();
    named.chain(schema.get("const")).filter_map(Json::as_str)
}

fn properties(schema: &Json) -> impl Iterator<Item = &str> {
    schema["properties"]
        .as_object()
        .into_iter()
        .flat_map(serde_json::Map::keys)
        .map(String::as_str)
}

/// Returns the name of a map in messages. The forms give each a title with its article: `a hunk`.
fn title(schema: &Json) -> &str {
    schema["title"].as_str().unwrap_or("this map")
}

fn first_sentence(text: &str) -> String {
    let text = text.replace('\n', " ");
    text.split_once(". ")
        .map_or(text.as_str(), |(first, _)| first)
        .trim_end_matches('.')
        .to_owned()
}

fn quoted<'a>(words: impl Iterator<Item = &'a str>) -> String {
    words
        .map(|word| format!("`{word}`"))
        .collect::<Vec<_>>()
        .join(", ")
}
