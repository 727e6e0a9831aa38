//! The tree: YAML's nodes with their places.

use std::fmt;

/// A place in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mark {
    /// 1-based.
    pub line: u64,
    /// 1-based, in characters; a byte-order mark does not count.
    pub column: u64,
}

impl Mark {
    /// The first character of a file.
    pub const START: Self = Self { line: 1, column: 1 };
}

/// A node of the tree.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Where it begins: for a block map or list, its first key or dash; for an alias, the alias.
    pub mark: Mark,
    /// How its text stands in the file, where a position inside the text is a position in the file.
    pub layout: Layout,
    /// What it holds.
    pub value: Value,
}

/// The bytes that a text may have to be shown whole.
const SHORT: usize = 40;

/// How a text stands in its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// Folded, with escapes, or no text: a position inside it is not one in the file.
    Other,
    /// On one line, as it is, from here on.
    Line(Mark),
    /// As a literal block (`|`) whose first line begins here.
    Block(Mark),
}

/// What a node holds, by YAML 1.2's core schema.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// `null`, `~` or nothing.
    Null,
    /// `true`, `false`
    Bool(bool),
    /// A number, as it is written. Whole numbers that fit are also given as such.
    Number(String, Option<i64>),
    /// Everything else that is no collection, and all that is quoted.
    Text(String),
    /// A list.
    List(Vec<Node>),
    /// A map, in the file's order, without duplicate keys.
    Map(Vec<Entry>),
}

/// A key and its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The key's text.
    pub key: String,
    /// Where the key stands.
    pub mark: Mark,
    /// Its value.
    pub value: Node,
}

/// A step from a node to one below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Into a map, by key.
    Key(String),
    /// Into a list, by position from 0.
    Item(usize),
}

impl From<&str> for Step {
    fn from(key: &str) -> Self {
        Self::Key(key.to_owned())
    }
}

impl From<usize> for Step {
    fn from(item: usize) -> Self {
        Self::Item(item)
    }
}

impl Node {
    /// The map's entry of that key; `None` where there is none or this is no map.
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        match &self.value {
            Value::Map(entries) => entries.iter().find(|entry| entry.key == key),
            _ => None,
        }
    }

    /// The map's value of that key; this node itself where there is none, so that an error about a thing
    /// that was left out points at what should hold it.
    pub fn key(&self, key: &str) -> &Node {
        self.entry(key).map_or(self, |entry| &entry.value)
    }

    /// The list's item, from 0; this node itself where there is none.
    pub fn item(&self, index: usize) -> &Node {
        match &self.value {
            Value::List(items) => items.get(index).unwrap_or(self),
            _ => self,
        }
    }

    /// Where the map has that key; this node's own place where it has not.
    pub fn key_mark(&self, key: &str) -> Mark {
        self.entry(key).map_or(self.mark, |entry| entry.mark)
    }

    /// The text, if this is one.
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Where in the file the byte `offset` of this node's text stands; the node's own place where the file
    /// does not hold the text as it is.
    pub fn inside(&self, offset: usize) -> Mark {
        let before = self.text().and_then(|text| text.get(..offset));
        let before = before.unwrap_or("");
        let line = before.matches('\n').count() as u64;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() as u64;
        match self.layout {
            Layout::Line(start) if line == 0 => Mark {
                line: start.line,
                column: start.column + column,
            },
            Layout::Block(start) => Mark {
                line: start.line + line,
                column: start.column + column,
            },
            Layout::Line(_) | Layout::Other => self.mark,
        }
    }

    /// What this is, for messages: `a list`, `the number 3`, `the text` with the text where it is short.
    pub fn kind(&self) -> String {
        match &self.value {
            Value::Null => "nothing".to_owned(),
            Value::Bool(value) => format!("`{value}`"),
            Value::Number(text, _) => format!("the number {text}"),
            Value::Text(text) if text.len() <= SHORT && !text.contains('\n') => {
                format!("the text `{text}`")
            }
            Value::Text(_) => "a text".to_owned(),
            Value::List(_) => "a list".to_owned(),
            Value::Map(_) => "a map".to_owned(),
        }
    }
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}
