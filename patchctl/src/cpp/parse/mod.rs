//! A file read both ways.

mod declarator;
mod tree;
mod trust;

use std::cell::RefCell;
use std::ops::{ControlFlow, Range};

use tree_sitter::{InputEdit, ParseOptions, ParseState, Parser, Point, Tree};

use super::blank::blank;
use super::braces::Braces;
use super::construct::{Construct, ConstructKind};
use super::dialect::{Dialect, Reading};
use super::lex::{Lexed, Token, TokenKind, lex_all};
use super::limits::{self, Exceeded, Limit};
use super::lines::Lines;
use super::outline::Outline;
use super::statements::{self, Statement};
use super::syntax::{self, Syntax};

/// A C++ file, read by tree-sitter and by the scan of tokens and braces. Of a text that exceeds a limit nothing is read:
/// it has no tokens and no constructs.
pub struct Parsed {
    text: Vec<u8>,
    reading: Reading,
    exceeded: Option<Exceeded>,
    lexed: Lexed,
    braces: Braces,
    lines: Lines,
    /// Where the tokens begin that the parser does not see, in order.
    hidden: Vec<usize>,
    tree: Option<Tree>,
    constructs: Vec<Construct>,
    outline: Outline,
}

impl Parsed {
    /// Reads `text`.
    pub fn new(text: &[u8], reading: &Reading) -> Self {
        let mut parsed = Self {
            text: text.to_vec(),
            reading: reading.clone(),
            exceeded: None,
            lexed: Lexed::default(),
            braces: Braces::default(),
            lines: Lines::of(b""),
            hidden: Vec::new(),
            tree: None,
            constructs: Vec::new(),
            outline: Outline::default(),
        };
        if let Err(exceeded) = parsed.read() {
            parsed.lexed = Lexed::default();
            parsed.braces = Braces::default();
            parsed.exceeded = Some(exceeded);
        }
        parsed
    }

    fn read(&mut self) -> Result<(), Exceeded> {
        if self.is_text() {
            self.lines = Lines::of(&self.text);
            self.outline = Outline::read(&self.text, &self.lines)?;
            return Ok(());
        }
        self.lexed = lexed(&self.text)?;
        self.lines = Lines::of(&self.text);
        self.braces = Braces::scan(&self.text, &self.lexed);
        let blanked = blank(&self.text, &self.lexed, &self.braces, &self.reading);
        let hidden = self.lexed.tokens.iter().map(|token| token.range.start);
        self.hidden = hidden.filter(|&start| blanked[start] == b' ').collect();
        let tree = parse(&blanked, None)?;
        self.constructs = tree::constructs(&tree, self)
            .map_err(|at| Exceeded::new(Limit::Names, &blanked, at))?;
        self.tree = Some(tree);
        Ok(())
    }

    /// Returns true if the text is read as lines.
    pub fn is_text(&self) -> bool {
        self.reading.dialect == Dialect::Text
    }

    /// The lines around a line, outermost first, each with less indentation than the next.
    pub fn outline(&self, line: &Construct) -> Vec<&str> {
        self.outline.around(line.range.start)
    }

    /// The limit that the text exceeds, for which nothing of it was read.
    pub fn exceeded(&self) -> Option<&Exceeded> {
        self.exceeded.as_ref()
    }

    /// The way in which the text was read.
    pub fn reading(&self) -> &Reading {
        &self.reading
    }

    /// The bytes, as they were given.
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// The lines of the text.
    pub fn lines(&self) -> &Lines {
        &self.lines
    }

    /// Every include, function definition, class, class member and namespace block, in order.
    pub fn constructs(&self) -> &[Construct] {
        match self.is_text() {
            true => &self.outline.lines,
            false => &self.constructs,
        }
    }

    /// The constructs of one kind, in order.
    pub fn of_kind(&self, kind: ConstructKind) -> impl Iterator<Item = &Construct> {
        let constructs = self.constructs().iter();
        constructs.filter(move |construct| construct.kind == kind)
    }

    /// The constructs whose braces enclose `range`, outermost first.
    pub fn around(&self, range: &Range<usize>) -> Vec<&Construct> {
        let encloses = |construct: &&Construct| {
            let body = construct.body.as_ref();
            body.is_some_and(|body| body.start < range.start && range.end < body.end)
        };
        let mut around: Vec<&Construct> = self.constructs.iter().filter(encloses).collect();
        around.sort_by_key(|construct| construct.range.start);
        around
    }

    /// All tokens of the text.
    pub fn tokens(&self) -> &[Token] {
        &self.lexed.tokens
    }

    /// The bytes of a token.
    pub(super) fn bytes(&self, token: &Token) -> &[u8] {
        &self.text[token.range.clone()]
    }

    /// The tokens that lie wholly in `range`.
    pub fn tokens_within(&self, range: &Range<usize>) -> &[Token] {
        let tokens = &self.lexed.tokens;
        let first = tokens.partition_point(|token| token.range.start < range.start);
        let behind = tokens.partition_point(|token| token.range.end <= range.end);
        &tokens[first..behind.max(first)]
    }

    /// The tokens that lie wholly in `range`, as texts.
    pub fn tokens_in(&self, range: &Range<usize>) -> Vec<&[u8]> {
        let tokens = self.tokens_within(range).iter();
        tokens.map(|token| self.bytes(token)).collect()
    }

    /// Where the token sequence `wanted` stands in `range`.
    pub fn find_tokens(&self, range: &Range<usize>, wanted: &[String]) -> Vec<Range<usize>> {
        let fits = |window: &&[Token]| {
            let mut pairs = window.iter().zip(wanted);
            pairs.all(|(token, want)| self.bytes(token) == want.as_bytes())
        };
        let windows = self.tokens_within(range).windows(wanted.len().max(1));
        windows
            .filter(|_| !wanted.is_empty())
            .filter(fits)
            .map(|hit| hit[0].range.start..hit[hit.len() - 1].range.end)
            .collect()
    }

    /// The `#if` conditions around a byte, outermost first.
    pub fn preprocessor_at(&self, offset: usize) -> Vec<String> {
        self.braces.stack(&self.text, offset)
    }

    /// The number of `#if` conditions around a byte.
    pub fn preprocessor_depth_at(&self, offset: usize) -> usize {
        self.braces.depth(offset)
    }

    /// Returns true if a directive or a raw string begins in `range`.
    pub fn has_directive_or_raw_string(&self, range: &Range<usize>) -> bool {
        let is_one = |token: &&Token| match token.kind {
            TokenKind::Directive => true,
            TokenKind::Literal => {
                let mut prefix = self.bytes(token).iter().take_while(|byte| **byte != b'"');
                prefix.any(|byte| *byte == b'R')
            }
            _ => false,
        };
        let mut found = self.lexed.tokens.iter().filter(is_one);
        found.any(|token| range.contains(&token.range.start))
    }

    /// The statements of a function's body, in order: its direct children, or those of nested blocks too.
    pub fn statements(&self, function: &Construct, nested: bool) -> Vec<Statement> {
        let (Some(tree), Some(body)) = (&self.tree, &function.body) else {
            return Vec::new();
        };
        let mut statements = statements::of(tree, body, nested);
        for statement in &mut statements {
            statement.range.start = self.with_hidden_before(statement.range.start);
        }
        statements
    }

    /// Returns true if the parser does not see a token.
    pub(super) fn is_hidden(&self, token: &Token) -> bool {
        self.hidden.binary_search(&token.range.start).is_ok()
    }

    /// The beginning of what stands at `offset`, with the tokens directly before it that the parser does not see. A macro's
    /// call with an empty line behind it is none of these.
    pub(super) fn with_hidden_before(&self, offset: usize) -> usize {
        let tokens = &self.lexed.tokens;
        let before = &tokens[..tokens.partition_point(|token| token.range.start < offset)];
        let mut start = offset;
        for token in before.iter().rev().take_while(|it| self.is_hidden(it)) {
            let between = &self.text[token.range.end..start];
            let mut lines = between.split(|byte| *byte == b'\n');
            let _ends = (lines.next(), lines.next_back());
            if self.bytes(token) == b")" && lines.any(|line| line.trim_ascii().is_empty()) {
                break;
            }
            start = token.range.start;
        }
        start
    }

    /// The end of what ends at `offset`, with the tokens directly behind it that the parser does not see.
    pub(super) fn with_hidden_behind(&self, offset: usize) -> usize {
        let tokens = &self.lexed.tokens;
        let behind = &tokens[tokens.partition_point(|token| token.range.start < offset)..];
        let hidden = behind.iter().take_while(|it| self.is_hidden(it));
        hidden.last().map_or(offset, |last| last.range.end)
    }

    /// The outermost nodes of tree-sitter's tree that lie wholly in `range`, each with everything below it.
    pub fn syntax(&self, range: &Range<usize>) -> Vec<Syntax<'_>> {
        let tree = self.tree.as_ref();
        tree.map(|tree| syntax::of(tree, range)).unwrap_or_default()
    }

    /// Where the comment lines begin that stand directly above the line of `offset`; that line's own start
    /// where there are none.
    pub fn with_comment_above(&self, offset: usize) -> usize {
        let mut start = self.lines.start_of(offset);
        loop {
            let Some(above) = self.comment_that_fills_up_to(start) else {
                return start;
            };
            start = above;
        }
    }

    /// The start of the line on which a comment begins that ends on the line before `line_start`, when
    /// these lines hold nothing else.
    fn comment_that_fills_up_to(&self, line_start: usize) -> Option<usize> {
        let before = &self.text[..line_start];
        let end = before.trim_ascii_end().len();
        let blank_between = before[end..].iter().filter(|&&byte| byte == b'\n').count() != 1;
        let comments = &self.lexed.comments;
        let index = comments.partition_point(|comment| comment.end < end);
        let comment = comments.get(index).filter(|comment| comment.end == end)?;
        let start = self.lines.start_of(comment.start);
        let alone = self.text[start..comment.start].trim_ascii().is_empty();
        (alone && !blank_between).then_some(start)
    }

    /// Returns true if nothing but white space stands between the line's start and `offset`.
    pub fn is_first_on_line(&self, offset: usize) -> bool {
        self.text[self.lines.start_of(offset)..offset]
            .trim_ascii()
            .is_empty()
    }

    /// Returns true if nothing but white space and comments stands between `offset` and the line's end, and no
    /// comment goes on past it.
    pub fn is_last_on_line(&self, offset: usize) -> bool {
        let next = self
            .lines
            .next_start(offset.saturating_sub(1).max(self.lines.range(1).start));
        let mut at = offset;
        let comments = &self.lexed.comments;
        let first = comments.partition_point(|comment| comment.start < offset);
        for comment in comments[first..]
            .iter()
            .take_while(|comment| comment.start < next)
        {
            if !self.text[at..comment.start].trim_ascii().is_empty() || comment.end > next {
                return false;
            }
            at = comment.end;
        }
        self.text[at.min(next)..next].trim_ascii().is_empty()
    }

    /// The nodes that tree-sitter cannot read in this text with `insertions` (byte offset in it, text; in
    /// order) made, in order. Where neither text has such nodes, what is far from the insertions is not read again, which
    /// makes this several times faster than a new [`Parsed`].
    ///
    /// # Errors
    /// When the text with the insertions exceeds a limit.
    pub fn unreadable_nodes_with(
        &self,
        insertions: &[(usize, impl AsRef<str>)],
    ) -> Result<Vec<Range<usize>>, Exceeded> {
        if self.is_text() {
            return Ok(Vec::new());
        }
        let mut text = Vec::with_capacity(self.text.len());
        // Behind an error, a tree that is reused gives other nodes than a new one: the parser may recover elsewhere.
        let mut old = self
            .tree
            .clone()
            .filter(|tree| !tree.root_node().has_error());
        let mut from = 0;
        for (offset, insertion) in insertions {
            text.extend_from_slice(&self.text[from..*offset]);
            let start = text.len();
            text.extend_from_slice(insertion.as_ref().as_bytes());
            if let Some(old) = &mut old {
                old.edit(&InputEdit {
                    start_byte: start,
                    old_end_byte: start,
                    new_end_byte: text.len(),
                    start_position: point(&text[..start]),
                    old_end_position: point(&text[..start]),
                    new_end_position: point(&text),
                });
            }
            from = *offset;
        }
        text.extend_from_slice(&self.text[from..]);
        let lexed = lexed(&text)?;
        let blanked = blank(&text, &lexed, &Braces::scan(&text, &lexed), &self.reading);
        let nodes = trust::unreadable(&parse(&blanked, old.as_ref())?);
        match old {
            Some(_) if !nodes.is_empty() => Ok(trust::unreadable(&parse(&blanked, None)?)),
            _ => Ok(nodes),
        }
    }

    /// The nodes that tree-sitter could not read, in order.
    pub fn unreadable_nodes(&self) -> Vec<Range<usize>> {
        self.tree
            .as_ref()
            .map(trust::unreadable)
            .unwrap_or_default()
    }
}

/// The tokens of a text that is within the limits.
fn lexed(text: &[u8]) -> Result<Lexed, Exceeded> {
    if text.len() > limits::TEXT {
        return Err(Exceeded::new(Limit::Text, b"", 0));
    }
    let lexed = lex_all(text);
    match limits::check(text, &lexed) {
        Some(exceeded) => Err(exceeded),
        None => Ok(lexed),
    }
}

thread_local! {
    /// A parser keeps its memory from one text to the next.
    static PARSER: RefCell<Parser> = RefCell::new(Parser::new());
}

/// Parses a text, from an old tree where there is one. Only the count of steps ends a parse early: the linked grammar
/// has the version that the library wants.
fn parse(text: &[u8], old: Option<&Tree>) -> Result<Tree, Exceeded> {
    let (mut calls, mut at) = (0, 0);
    let mut count = |state: &ParseState| {
        calls += 1;
        at = state.current_byte_offset();
        match calls > limits::STEPS / limits::STEPS_A_CALL {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    };
    let tree = PARSER.with_borrow_mut(|parser| {
        parser.reset();
        parser
            .set_language(&tree_sitter_cpp::LANGUAGE.into())
            .ok()?;
        let options = ParseOptions::new().progress_callback(&mut count);
        let mut rest = |from: usize, _| text.get(from..).unwrap_or_default();
        parser.parse_with_options(&mut rest, old, Some(options))
    });
    tree.ok_or_else(|| Exceeded::new(Limit::Steps, text, at))
}

/// Where a text ends, in tree-sitter's rows and columns (bytes), both from 0.
fn point(text: &[u8]) -> Point {
    let line = memchr::memrchr(b'\n', text).map_or(0, |feed| feed + 1);
    Point::new(memchr::memchr_iter(b'\n', text).count(), text.len() - line)
}
