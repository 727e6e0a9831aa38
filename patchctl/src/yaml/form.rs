//! A file of a known form: read, checked against its schema, and given as a value with its tree.

use crate::report::Code;
use camino::{Utf8Path, Utf8PathBuf};
use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, Transform};
use schemars::{JsonSchema, Schema};
use serde::de::DeserializeOwned;
use serde_json::Value as Json;
use serde_path_to_error::Segment;

use super::check::{Difference, FormProblem, check};
use super::error::{Fault, Faults, Problem};
use super::problem::YamlProblem;
use super::tree::{Entry, Mark, Node, Step, Value};
use super::{bytes, parse};

/// A file that is a YAML tree, with what is wrong with it so far.
#[derive(Debug)]
pub struct Document {
    /// The name given.
    pub file: Utf8PathBuf,
    /// Its tree.
    pub root: Node,
    text: String,
    faults: Vec<Fault>,
    bad: Vec<Difference>,
}

impl Document {
    /// The tree of a file's bytes. Duplicate keys are noted and do not end the reading.
    ///
    /// # Errors
    /// What keeps the bytes from being one YAML document: size, encoding, syntax, bombs.
    pub fn parse(file: &Utf8Path, bytes: &[u8]) -> Result<Self, Faults> {
        let text = bytes::text(bytes)
            .map_err(|(mark, problem)| Faults(vec![Fault::new(file, Some(mark), &problem)]))?;
        let (root, problems) = parse::parse(text);
        let fault = |(mark, problem): &(Mark, YamlProblem)| {
            Fault::new(file, Some(*mark), problem).with_excerpt_of(text)
        };
        let faults: Vec<Fault> = problems.iter().map(fault).collect();
        match root {
            Some(root) => Ok(Self {
                file: file.to_owned(),
                root,
                text: text.to_owned(),
                faults,
                bad: Vec::new(),
            }),
            None => Err(Faults(faults)),
        }
    }

    /// Whether this version can read the file: its `schema` is no newer than `known`. A newer one is noted,
    /// and then nothing else is worth saying.
    pub fn is_readable(&mut self, known: i64) -> bool {
        let newer = match self.root.entry("schema").map(|entry| &entry.value) {
            Some(Node {
                mark,
                value: Value::Number(_, Some(found)),
                ..
            }) if *found > known => Some((*mark, *found)),
            _ => None,
        };
        let Some((mark, found)) = newer else {
            return true;
        };
        self.fault(mark, &Newer { found, known });
        false
    }

    /// Notes a problem at `mark`.
    pub(crate) fn fault(&mut self, mark: Mark, problem: &dyn Problem) {
        let fault = Fault::new(&self.file, Some(mark), problem).with_excerpt_of(&self.text);
        self.faults.push(fault);
    }

    /// Checks the tree against the form of `T`, and notes every difference.
    pub fn check<T: JsonSchema>(&mut self) {
        for difference in check(&self.root, &schema_of::<T>()) {
            self.fault(difference.mark, &difference.problem);
            self.bad.push(difference);
        }
    }

    /// Whether nothing is wrong so far.
    pub fn is_sound(&self) -> bool {
        self.faults.is_empty()
    }

    /// Leaves out what [`Document::check`] found fault with, where that is an unknown key of the root or
    /// inside an item of the root's lists named in `lists`, so that the rest can still be looked at. Gives
    /// whether the tree then has its form.
    pub fn keep_sound_items(&mut self, lists: &[&str]) -> bool {
        let mut keys: Vec<String> = Vec::new();
        let mut items: Vec<(String, usize)> = Vec::new();
        for Difference { path, problem, .. } in std::mem::take(&mut self.bad) {
            match path.as_slice() {
                [Step::Key(key), Step::Item(item), ..] if lists.contains(&key.as_str()) => {
                    items.push((key.clone(), *item));
                }
                [Step::Key(key)] if matches!(problem, FormProblem::UnknownKey { .. }) => {
                    keys.push(key.clone());
                }
                _ => return false,
            }
        }
        let Value::Map(entries) = &mut self.root.value else {
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

    /// The tree as a `T`. A difference that only the type's own reading sees (a version that is none) is
    /// noted at its node.
    pub fn value<T: DeserializeOwned>(&mut self) -> Option<T> {
        match serde_path_to_error::deserialize(self.root.to_json()) {
            Ok(value) => Some(value),
            Err(error) => {
                let mark = self.mark_of(error.path());
                let problem = NotOfTheForm(error.into_inner().to_string());
                self.fault(mark, &problem);
                None
            }
        }
    }

    fn mark_of(&self, path: &serde_path_to_error::Path) -> Mark {
        let mut node = &self.root;
        for segment in path {
            node = match segment {
                Segment::Seq { index } => node.item(*index),
                Segment::Map { key } => node.key(key),
                Segment::Enum { .. } | Segment::Unknown => node,
            };
        }
        node.mark
    }

    /// `value`, if nothing is wrong, else everything that is, in the order of the file.
    ///
    /// # Errors
    /// All faults noted.
    pub fn finish<T>(self, value: Option<T>) -> Result<T, Faults> {
        let mut faults = self.faults;
        faults.sort_by_key(|fault| fault.mark);
        faults.dedup();
        match value {
            Some(value) if faults.is_empty() => Ok(value),
            _ => Err(Faults(faults)),
        }
    }
}

/// A file of a later version.
#[derive(Debug, thiserror::Error)]
#[error("the file has schema {found}, this version reads up to {known}")]
struct Newer {
    found: i64,
    known: i64,
}

impl Problem for Newer {
    fn code(&self) -> Code {
        Code::SchemaUnsupported
    }

    fn help(&self) -> Option<String> {
        Some("use a newer patchctl".to_owned())
    }
}

/// Serde's own words for a difference; see [`Document::value`].
#[derive(Debug, thiserror::Error)]
#[error("this cannot be read: {0}")]
struct NotOfTheForm(String);

impl Problem for NotOfTheForm {
    fn code(&self) -> Code {
        Code::YamlWrongType
    }

    fn help(&self) -> Option<String> {
        None
    }
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

    /// What the check knows of, and what only editors read.
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
    fn the_schemas_use_only_keywords_that_the_check_knows() {
        let mut found = Vec::new();
        keywords(&crate::overlay::schema(), &mut found);
        assert!(found.len() > 100);
        for keyword in found {
            assert!(KEYWORDS.contains(&keyword.as_str()), "{keyword}");
        }
    }
}
