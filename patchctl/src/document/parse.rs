//! From text to the tree, with the bounds that keep a hostile file cheap.

use std::collections::HashMap;

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, ScanError};

use super::scalar;
use super::tree::{Entry, Layout, Mark, Node, Value};

/// The most nodes that a file may have once its aliases are written out.
const MAX_NODES: usize = 20_000;
/// The most bytes of text that its nodes may hold, aliases written out.
const MAX_TEXT: usize = 4 << 20;
/// How deep lists and maps may nest.
const MAX_DEPTH: usize = 32;

/// What keeps a file from being a tree.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum YamlProblem {
    /// The system said so.
    #[error("cannot be read: {0}")]
    Unreadable(String),
    /// Over [`super::MAX_BYTES`].
    #[error("the file has {bytes} bytes, over the limit of {}", super::MAX_BYTES)]
    TooLarge {
        /// Its size.
        bytes: u64,
    },
    /// Bytes that are no UTF-8.
    #[error("the file is not UTF-8 from here on")]
    NotUtf8,
    /// A control character that is no white space.
    #[error("a control character stands here")]
    ControlCharacter,
    /// Nothing but comments and white space.
    #[error("the file is empty, expected a map")]
    Empty,
    /// No YAML.
    #[error("this is no YAML: {0}")]
    Syntax(String),
    /// A tab where YAML wants spaces.
    #[error("a tab in the indentation, expected spaces")]
    Tab,
    /// A second `---`.
    #[error("a second YAML document begins here, expected one")]
    SecondDocument,
    /// The same key twice in one map.
    #[error("the key `{key}` is here twice, first on line {first}")]
    DuplicateKey {
        /// The key.
        key: String,
        /// The line of the first.
        first: u64,
    },
    /// A list or map as a key.
    #[error("a key must be plain text")]
    ComplexKey,
    /// `!tag`
    #[error("tags (`!…`) are not supported")]
    Tag,
    /// An alias inside the node that it names.
    #[error("this alias stands inside what it names")]
    SelfAlias,
    /// Aliases that would write the file out many times over, or a file of many small nodes.
    #[error(
        "the file grows over the limit of {MAX_NODES} values or {MAX_TEXT} bytes of text when its aliases are written out"
    )]
    Grows,
    /// Lists in lists in lists.
    #[error("lists and maps nest deeper than {MAX_DEPTH}")]
    TooDeep,
}

impl super::Problem for YamlProblem {
    fn code(&self) -> &'static str {
        match self {
            Self::Unreadable(_) => "file-unreadable",
            Self::TooLarge { .. } => "file-too-large",
            Self::NotUtf8 | Self::ControlCharacter => "file-not-text",
            Self::Empty => "yaml-empty",
            Self::DuplicateKey { .. } => "yaml-duplicate-key",
            Self::SelfAlias | Self::Grows | Self::TooDeep => "yaml-bomb",
            Self::Syntax(_) | Self::Tab | Self::SecondDocument | Self::ComplexKey | Self::Tag => {
                "yaml-syntax"
            }
        }
    }

    fn help(&self) -> Option<String> {
        let help = match self {
            Self::TooLarge { .. } => "split it, or check that it is the file you mean",
            Self::NotUtf8 => "save it as UTF-8",
            Self::ControlCharacter => {
                "remove it; in a double-quoted text it can be written as an escape"
            }
            Self::Syntax(text) if text.contains("mapping values are not allowed") => {
                "a text that holds `: ` or begins with a sign of YAML's needs quotes"
            }
            Self::Tab => "indent with spaces",
            Self::SecondDocument => {
                "one file is one document: remove the `---`, or make it a file of its own"
            }
            Self::DuplicateKey { .. } => "keep one of them",
            Self::Tag => "remove it; quotes make a number a text",
            Self::SelfAlias | Self::Grows | Self::TooDeep => "write the values out",
            Self::Unreadable(_) | Self::Empty | Self::Syntax(_) | Self::ComplexKey => return None,
        };
        Some(help.to_owned())
    }

    fn is_surroundings(&self) -> bool {
        matches!(self, Self::Unreadable(_))
    }
}

/// The tree of a text. Duplicate keys are reported all, other problems end the parse.
pub(super) fn parse(text: &str) -> Result<Node, Vec<(Mark, YamlProblem)>> {
    let mut builder = Builder::new(text);
    if let Err(problem) = builder.run(text) {
        builder.problems.push(problem);
    }
    match builder.root {
        Some(root) if builder.problems.is_empty() => Ok(root),
        None if builder.problems.is_empty() => Err(vec![(Mark::START, YamlProblem::Empty)]),
        _ => Err(builder.problems),
    }
}

/// A list or map whose end is not yet there.
struct Open {
    mark: Mark,
    anchor: usize,
    value: Value,
    /// A map's key that has no value yet.
    key: Option<(String, Mark)>,
}

struct Builder<'a> {
    lines: Vec<&'a str>,
    open: Vec<Open>,
    anchors: HashMap<usize, Node>,
    nodes: usize,
    text: usize,
    root: Option<Node>,
    problems: Vec<(Mark, YamlProblem)>,
}

type Step = Result<(), (Mark, YamlProblem)>;

impl<'a> Builder<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            lines: text.lines().collect(),
            open: Vec::new(),
            anchors: HashMap::new(),
            nodes: 0,
            text: 0,
            root: None,
            problems: Vec::new(),
        }
    }

    fn run(&mut self, text: &str) -> Step {
        let mut documents = 0;
        let mut parser = Parser::new_from_str(text);
        while let Some(event) = parser.next_event() {
            let (event, span) = event.map_err(|error| self.syntax(&error))?;
            let mark = place(span.start);
            match event {
                Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => {}
                Event::DocumentStart(_) => {
                    documents += 1;
                    if documents > 1 {
                        return Err((mark, YamlProblem::SecondDocument));
                    }
                }
                Event::Scalar(text, style, anchor, tag) => {
                    no_tag(tag.is_some(), mark)?;
                    self.scalar(&text, style, anchor, mark)?;
                }
                Event::Alias(anchor) => self.alias(anchor, mark)?,
                Event::SequenceStart(anchor, tag) => {
                    no_tag(tag.is_some(), mark)?;
                    self.begin(Value::List(Vec::new()), anchor, mark)?;
                }
                Event::MappingStart(anchor, tag) => {
                    no_tag(tag.is_some(), mark)?;
                    self.begin(Value::Map(Vec::new()), anchor, mark)?;
                }
                Event::SequenceEnd | Event::MappingEnd => self.end(),
            }
        }
        Ok(())
    }

    fn syntax(&self, error: &ScanError) -> (Mark, YamlProblem) {
        let mark = place(*error.marker());
        let line = usize::try_from(mark.line)
            .ok()
            .and_then(|line| self.lines.get(line.checked_sub(1)?));
        let indent = line.map_or("", |line| {
            &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
        });
        match indent.find('\t') {
            Some(at) => {
                let column = at as u64 + 1;
                (Mark { column, ..mark }, YamlProblem::Tab)
            }
            None => (mark, YamlProblem::Syntax(error.info().to_owned())),
        }
    }

    fn scalar(&mut self, text: &str, style: ScalarStyle, anchor: usize, mark: Mark) -> Step {
        if self.awaits_key() {
            self.count(1, text.len(), mark)?;
            return self.take_key(text, mark);
        }
        let value = match style {
            ScalarStyle::Plain => scalar::plain(text),
            _ => Value::Text(text.to_owned()),
        };
        let layout = self.layout(text, style, mark);
        let node = Node {
            mark,
            layout,
            value,
        };
        self.place(node, anchor)
    }

    fn layout(&self, text: &str, style: ScalarStyle, mark: Mark) -> Layout {
        let quote = match style {
            ScalarStyle::Plain => 0,
            ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => 1,
            ScalarStyle::Literal => return self.block(text, mark),
            ScalarStyle::Folded => return Layout::Other,
        };
        let column = mark.column + quote;
        let first = Mark { column, ..mark };
        if self.rest_of_line(first).starts_with(text) {
            Layout::Line(first)
        } else {
            Layout::Other
        }
    }

    /// A literal block begins on the line after its `|`; its indentation is what its first line with
    /// anything on it has more than the text.
    fn block(&self, text: &str, mark: Mark) -> Layout {
        let line = mark.line + 1;
        let full = text.lines().enumerate().find(|(_, line)| !line.is_empty());
        let Some((index, content)) = full else {
            return Layout::Other;
        };
        let start = Mark {
            line: line + index as u64,
            column: 1,
        };
        let indented = self.rest_of_line(start);
        match indented.strip_suffix(content) {
            Some(indent) => Layout::Block(Mark {
                line,
                column: indent.chars().count() as u64 + 1,
            }),
            None => Layout::Other,
        }
    }

    fn alias(&mut self, anchor: usize, mark: Mark) -> Step {
        if self.awaits_key() {
            return Err((mark, YamlProblem::ComplexKey));
        }
        // An anchor is known from its node's end on, so one that is not there is still open.
        let Some(node) = self.anchors.get(&anchor) else {
            return Err((mark, YamlProblem::SelfAlias));
        };
        let node = Node {
            mark,
            layout: Layout::Other,
            value: node.value.clone(),
        };
        self.place(node, 0)
    }

    fn begin(&mut self, value: Value, anchor: usize, mark: Mark) -> Step {
        if self.awaits_key() {
            return Err((mark, YamlProblem::ComplexKey));
        }
        if self.open.len() >= MAX_DEPTH {
            return Err((mark, YamlProblem::TooDeep));
        }
        self.open.push(Open {
            mark,
            anchor,
            value,
            key: None,
        });
        Ok(())
    }

    fn end(&mut self) {
        if let Some(open) = self.open.pop() {
            let node = Node {
                mark: open.mark,
                layout: Layout::Other,
                value: open.value,
            };
            // Its contents were counted when they were placed.
            self.attach(node, open.anchor);
        }
    }

    /// Puts a finished scalar or alias where it belongs, after counting what it adds.
    fn place(&mut self, node: Node, anchor: usize) -> Step {
        let (nodes, text) = weight(&node);
        self.count(nodes, text, node.mark)?;
        self.attach(node, anchor);
        Ok(())
    }

    fn attach(&mut self, node: Node, anchor: usize) {
        if anchor != 0 {
            self.anchors.insert(anchor, node.clone());
        }
        let Some(open) = self.open.last_mut() else {
            self.root = Some(node);
            return;
        };
        match (&mut open.value, open.key.take()) {
            (Value::List(items), _) => items.push(node),
            (Value::Map(entries), Some((key, mark))) => {
                if let Some(first) = entries.iter().find(|entry| entry.key == key) {
                    let first = first.mark.line;
                    self.problems
                        .push((mark, YamlProblem::DuplicateKey { key, first }));
                } else {
                    let value = node;
                    entries.push(Entry { key, mark, value });
                }
            }
            _ => {}
        }
    }

    fn count(&mut self, nodes: usize, text: usize, mark: Mark) -> Step {
        self.nodes += nodes;
        self.text += text;
        if self.nodes > MAX_NODES || self.text > MAX_TEXT {
            return Err((mark, YamlProblem::Grows));
        }
        Ok(())
    }

    fn awaits_key(&self) -> bool {
        self.open
            .last()
            .is_some_and(|open| matches!(open.value, Value::Map(_)) && open.key.is_none())
    }

    fn take_key(&mut self, text: &str, mark: Mark) -> Step {
        if let Some(open) = self.open.last_mut() {
            open.key = Some((text.to_owned(), mark));
        }
        Ok(())
    }

    fn rest_of_line(&self, mark: Mark) -> &'a str {
        let index = |value: u64| usize::try_from(value.saturating_sub(1)).unwrap_or(usize::MAX);
        let line: &'a str = self.lines.get(index(mark.line)).copied().unwrap_or("");
        line.char_indices()
            .nth(index(mark.column))
            .map_or("", |(at, _)| &line[at..])
    }
}

fn no_tag(tagged: bool, mark: Mark) -> Step {
    if tagged {
        return Err((mark, YamlProblem::Tag));
    }
    Ok(())
}

fn place(marker: Marker) -> Mark {
    Mark {
        line: marker.line() as u64,
        column: marker.col() as u64 + 1,
    }
}

/// Nodes and bytes of text below and including a node.
fn weight(node: &Node) -> (usize, usize) {
    let add = |one: (usize, usize), other: (usize, usize)| (one.0 + other.0, one.1 + other.1);
    match &node.value {
        Value::Text(text) | Value::Number(text, _) => (1, text.len()),
        Value::Null | Value::Bool(_) => (1, 0),
        Value::List(items) => items.iter().map(weight).fold((1, 0), add),
        Value::Map(entries) => entries
            .iter()
            .map(|entry| add((1, entry.key.len()), weight(&entry.value)))
            .fold((1, 0), add),
    }
}
