//! From text to the tree.

use std::collections::HashMap;

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, ScanError};

use super::problem::{Limits, YamlProblem};
use super::scalar;
use super::tree::{Entry, Layout, Mark, Node, Value};

/// The tree of a file's bytes, and its faults. Of duplicate keys the first counts in the tree, and all are reported; any
/// other fault ends the parse, and then there is no tree.
pub fn parse(bytes: &[u8], limits: Limits) -> (Option<Node>, Vec<(Mark, YamlProblem)>) {
    let text = match text(bytes, limits) {
        Ok(text) => text,
        Err(problem) => return (None, vec![problem]),
    };
    let mut builder = Builder::new(text, limits);
    match builder.run(text) {
        Ok(()) if builder.root.is_none() => {
            builder.problems.push((Mark::START, YamlProblem::Empty));
        }
        Ok(()) => {}
        Err(problem) => {
            builder.root = None;
            builder.problems.push(problem);
        }
    }
    (builder.root, builder.problems)
}

/// The text of a file, without its byte-order mark.
fn text(bytes: &[u8], limits: Limits) -> Result<&str, (Mark, YamlProblem)> {
    let size = bytes.len() as u64;
    if size > limits.bytes {
        let limit = limits.bytes;
        return Err((Mark::START, YamlProblem::TooLarge { bytes: size, limit }));
    }
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err((Mark::START, YamlProblem::NotUtf8));
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let before = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
        (mark_after(&before), YamlProblem::NotUtf8)
    })?;
    match text.find(|c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t')) {
        Some(at) => Err((mark_after(&text[..at]), YamlProblem::ControlCharacter)),
        None => Ok(text),
    }
}

fn mark_after(before: &str) -> Mark {
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    Mark {
        line: before.matches('\n').count() as u64 + 1,
        column: before[line_start..].chars().count() as u64 + 1,
    }
}

/// A list or map whose end is not yet there.
struct Open {
    mark: Mark,
    anchor: usize,
    value: Value,
    /// A map's key that has no value yet.
    key: Option<(String, Mark)>,
    /// The lines of a map's keys so far.
    keys: HashMap<String, u64>,
}

struct Builder<'a> {
    source: Source<'a>,
    limits: Limits,
    open: Vec<Open>,
    anchors: HashMap<usize, Node>,
    nodes: usize,
    text: usize,
    root: Option<Node>,
    problems: Vec<(Mark, YamlProblem)>,
}

type Step = Result<(), (Mark, YamlProblem)>;

impl<'a> Builder<'a> {
    fn new(text: &'a str, limits: Limits) -> Self {
        Self {
            source: Source::new(text),
            limits,
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
                    self.scalar(&text, style, anchor, span.start)?;
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
                Event::SequenceEnd | Event::MappingEnd => self.end()?,
            }
        }
        Ok(())
    }

    fn syntax(&self, error: &ScanError) -> (Mark, YamlProblem) {
        let mark = place(*error.marker());
        if error.info().contains("recursion limit") {
            return (mark, YamlProblem::TooDeep(self.limits));
        }
        self.tab(mark.line)
            .or_else(|| {
                // A tab that ends a plain text stands on the next line.
                let is_tab = error.info().contains("found a tab");
                is_tab.then(|| self.tab(mark.line + 1)).flatten()
            })
            .unwrap_or_else(|| (mark, YamlProblem::Syntax(error.info().to_owned())))
    }

    /// The tab in a line's indentation.
    fn tab(&self, line: u64) -> Option<(Mark, YamlProblem)> {
        let index = usize::try_from(line).ok()?.checked_sub(1)?;
        let text = self.source.text.lines().nth(index)?;
        let column = text
            .find(|c| c != ' ')
            .filter(|at| text[*at..].starts_with('\t'))? as u64
            + 1;
        Some((Mark { line, column }, YamlProblem::Tab))
    }

    fn scalar(&mut self, text: &str, style: ScalarStyle, anchor: usize, marker: Marker) -> Step {
        let mark = place(marker);
        if self.awaits_key() {
            self.count((1, text.len()), mark)?;
            return self.take_key(text, mark);
        }
        let value = match style {
            ScalarStyle::Plain => scalar::plain(text),
            _ => Value::Text(text.to_owned()),
        };
        let layout = self.layout(text, style, anchor != 0, marker);
        let node = Node {
            mark,
            layout,
            value,
        };
        self.place(node, anchor)
    }

    fn layout(&mut self, text: &str, style: ScalarStyle, anchored: bool, marker: Marker) -> Layout {
        let mut mark = place(marker);
        let mut rest = self.source.from(marker.index());
        if anchored {
            // The mark is then at the `&name`.
            let name = rest.find(char::is_whitespace).unwrap_or(rest.len());
            let content = rest[name..].trim_start_matches([' ', '\t']);
            let skipped = &rest[..rest.len() - content.len()];
            mark.column += skipped.chars().count() as u64;
            rest = content;
        }
        let quote = match style {
            ScalarStyle::Plain => 0,
            ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => 1,
            ScalarStyle::Literal if anchored => return anchored_block(text, rest, mark),
            ScalarStyle::Literal => return block(text, mark),
            ScalarStyle::Folded => return Layout::Other,
        };
        let verbatim = rest.get(quote..).is_some_and(|rest| rest.starts_with(text));
        if verbatim && !text.contains('\n') {
            let column = mark.column + quote as u64;
            Layout::Line(Mark { column, ..mark })
        } else {
            Layout::Other
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
        if self.open.len() >= self.limits.depth {
            return Err((mark, YamlProblem::TooDeep(self.limits)));
        }
        self.count((1, 0), mark)?;
        self.open.push(Open {
            mark,
            anchor,
            value,
            key: None,
            keys: HashMap::new(),
        });
        Ok(())
    }

    fn end(&mut self) -> Step {
        let Some(open) = self.open.pop() else {
            return Ok(());
        };
        let node = Node {
            mark: open.mark,
            layout: Layout::Other,
            value: open.value,
        };
        // It was counted when it began, its contents when they were placed.
        self.attach(node, open.anchor)
    }

    /// Puts a finished scalar or alias where it belongs, after counting what it adds.
    fn place(&mut self, node: Node, anchor: usize) -> Step {
        self.count(weight(&node), node.mark)?;
        self.attach(node, anchor)
    }

    fn attach(&mut self, node: Node, anchor: usize) -> Step {
        if anchor != 0 {
            self.count(weight(&node), node.mark)?;
            self.anchors.insert(anchor, node.clone());
        }
        let Some(open) = self.open.last_mut() else {
            self.root = Some(node);
            return Ok(());
        };
        match (&mut open.value, open.key.take()) {
            (Value::List(items), _) => items.push(node),
            (Value::Map(entries), Some((key, mark))) => {
                if let Some(&first) = open.keys.get(&key) {
                    let problem = YamlProblem::DuplicateKey { key, first };
                    self.problems.push((mark, problem));
                    return Ok(());
                }
                open.keys.insert(key.clone(), mark.line);
                let value = node;
                entries.push(Entry { key, mark, value });
            }
            _ => {}
        }
        Ok(())
    }

    fn count(&mut self, (nodes, text): (usize, usize), mark: Mark) -> Step {
        self.nodes += nodes;
        self.text += text;
        if self.nodes > self.limits.values || self.text > self.limits.text {
            return Err((mark, YamlProblem::Grows(self.limits)));
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
}

/// The layout of a literal block. Its mark is at its first line that is not empty, behind the indentation.
fn block(text: &str, mark: Mark) -> Layout {
    let empty = text.len() - text.trim_start_matches('\n').len();
    let line = mark.line.saturating_sub(empty as u64);
    Layout::Block(Mark { line, ..mark })
}

/// The layout of a literal block with an anchor, whose `|` is at `rest` and `mark`.
fn anchored_block(text: &str, rest: &str, mark: Mark) -> Layout {
    let content = text.trim_start_matches('\n');
    let empty = text.len() - content.len();
    let first = content.lines().next().unwrap_or_default();
    let written = rest.lines().nth(1 + empty).unwrap_or_default();
    match written.strip_suffix(first) {
        Some(indent) if rest.starts_with('|') && !first.is_empty() => Layout::Block(Mark {
            line: mark.line + 1,
            column: indent.chars().count() as u64 + 1,
        }),
        _ => Layout::Other,
    }
}

/// The text, read from places that come in order. A marker counts characters, a slice bytes.
struct Source<'a> {
    text: &'a str,
    characters: usize,
    bytes: usize,
}

impl<'a> Source<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            text,
            characters: 0,
            bytes: 0,
        }
    }

    /// The text from the character at `index` on.
    fn from(&mut self, index: usize) -> &'a str {
        if index < self.characters {
            *self = Self::new(self.text);
        }
        let rest = &self.text[self.bytes..];
        let ahead = rest.char_indices().nth(index - self.characters);
        self.bytes += ahead.map_or(rest.len(), |(at, _)| at);
        self.characters = index;
        &self.text[self.bytes..]
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
