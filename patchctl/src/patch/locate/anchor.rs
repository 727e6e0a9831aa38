//! The one construct or statement that an anchor names, and the place of whole lines that follows from it.

use std::ops::Range;

use camino::Utf8Path;

use crate::cpp::{Construct, ConstructKind, Parsed, same_conditions};
use crate::overlay::{Anchor, EditText, Position, Scope};
use crate::patch::shape::shape;
use crate::report::Code;

use super::miss::{Candidate, Miss, SHOWN, conditions};
use super::scope::{constructs, describe};
use super::statement::one_statement;

/// Where an edit goes, on upstream's untouched text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    /// The insertion point or replaced lines, in bytes of the text.
    pub at: At,
    /// 1-based line of the code that the anchor names.
    pub line: usize,
    /// Scope, for a reader: `mlx::core::metal::CommandEncoder::needs_commit() const`.
    pub scope: String,
    /// The `#if` conditions around it.
    pub preprocessor: Vec<String>,
    /// Fingerprint of the code that the anchor names, 16 hex digits.
    pub shape: String,
}

/// An insertion point or a range of whole lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum At {
    /// Byte offset of a line's beginning, or of the text's end.
    Insert(usize),
    /// Bytes of whole lines, the last line's ending included.
    Replace(Range<usize>),
}

/// Locates `anchor` in `parsed`, the text of `file`, for the given text.
///
/// # Errors
/// [`Miss`] when there is not exactly one trusted place of whole lines under the expected conditions.
pub fn locate(
    parsed: &Parsed,
    file: &Utf8Path,
    anchor: &Anchor,
    text: &EditText,
) -> Result<Location, Miss> {
    let construct = construct(parsed, file, anchor)?;
    let statement = one_statement(parsed, file, construct, anchor)?;
    let target = match &statement {
        Some(range) => Candidate::statement(parsed, range),
        None => Candidate::construct(construct),
    };
    let preprocessor = parsed.preprocessor_at(target.range.start);
    if !same_conditions(&preprocessor, &anchor.preprocessor) {
        return Err(other_conditions(parsed, anchor, vec![target]));
    }
    let line = parsed.lines().number(target.range.start);
    let position = anchor.position;
    let inside = statement.as_ref().map(|range| (range, &*preprocessor));
    let shape = shape(parsed, construct, is_last(position), inside);
    let at = match text {
        EditText::Insert(_) => At::Insert(insertion_point(parsed, construct, target, position)?),
        EditText::Replace(_) => At::Replace(whole_lines(parsed, statement.is_some(), target)?),
    };
    Ok(Location {
        at,
        line,
        scope: match construct.kind {
            ConstructKind::Include => format!("#include {}", construct.name),
            ConstructKind::Namespace => format!("namespace {}", construct.name),
            ConstructKind::Line => {
                let mut lines = parsed.outline(construct);
                lines.push(&construct.name);
                lines.join(" > ")
            }
            _ => construct.display(),
        },
        preprocessor,
        shape,
    })
}

/// Returns true if a position means the last of a namespace's blocks.
fn is_last(position: Position) -> bool {
    matches!(position, Position::After | Position::End)
}

/// The one construct that the anchor's scope names.
fn construct<'p>(
    parsed: &'p Parsed,
    file: &Utf8Path,
    anchor: &Anchor,
) -> Result<&'p Construct, Miss> {
    let mut found = constructs(parsed, &anchor.scope);
    if let (Scope::Namespace(_), [first, .., last]) = (&anchor.scope, found.as_slice()) {
        found = vec![if is_last(anchor.position) {
            last
        } else {
            first
        }];
    }
    let candidates = || {
        let shown = found.iter().take(SHOWN);
        shown.map(|it| Candidate::construct(it)).collect()
    };
    let expected = &anchor.preprocessor;
    let fits = |construct: &&&Construct| {
        let stack = parsed.preprocessor_at(construct.range.start);
        let around = match anchor.statement.is_some() || anchor.expression.is_some() {
            true => &expected[..stack.len().min(expected.len())],
            false => expected,
        };
        same_conditions(around, &stack)
    };
    // Conditions that are named select among several; without any, a second definition is an error.
    let chosen: Vec<&Construct> = match (found.len(), expected.is_empty()) {
        (0 | 1, _) | (_, true) => found.clone(),
        (_, false) => found.iter().filter(fits).copied().collect(),
    };
    let unread = || Miss::unread(parsed, file, &anchor.scope);
    let wanted = describe(&anchor.scope);
    match chosen.as_slice() {
        [] if found.is_empty() => Err(unread().unwrap_or_else(|| Miss {
            code: Code::AnchorNotFound,
            message: format!("{wanted} is not in {file}{}", unfit(parsed, &anchor.scope)),
            candidates: Vec::new(),
        })),
        [] => Err(other_conditions(parsed, anchor, candidates())),
        [one] => match &one.distrust {
            Some(why) => Err(Miss::untrusted(Candidate::construct(one), why)),
            // A second one that the parser cannot read makes the first no less one of two.
            None if matches!(anchor.scope, Scope::Function { .. } | Scope::Class { .. }) => {
                unread().map_or(Ok(*one), Err)
            }
            None => Ok(*one),
        },
        _ => Err(Miss {
            code: Code::AnchorAmbiguous,
            message: format!("{wanted} is in {file} {} times", found.len()),
            candidates: candidates(),
        }),
    }
}

/// The reason why no such thing can be in a file: with a grammar it has no lines, without one nothing else.
fn unfit(parsed: &Parsed, scope: &Scope) -> &'static str {
    match (parsed.is_text(), matches!(scope, Scope::Line { .. })) {
        (true, false) => ", which is read as lines: name one, `line: …`",
        (false, true) => ", which is read as C++: name a construct, or set `dialect: text`",
        _ => "",
    }
}

/// The miss where code stands under other `#if` conditions than the anchor expects.
fn other_conditions(parsed: &Parsed, anchor: &Anchor, candidates: Vec<Candidate>) -> Miss {
    let is: Vec<String> = candidates.iter().map(|it| it.under(parsed)).collect();
    let expected = match anchor.preprocessor.as_slice() {
        [] => "no `#if` around it".to_owned(),
        stack => conditions(stack),
    };
    Miss {
        code: Code::PreprocessorMismatch,
        message: format!("the anchor expects {expected}; there is {}", is.join("; ")),
        candidates,
    }
}

/// The byte offset at which whole lines go in.
fn insertion_point(
    parsed: &Parsed,
    construct: &Construct,
    target: Candidate,
    position: Position,
) -> Result<usize, Miss> {
    let lines = parsed.lines();
    let Range { start, end } = target.range;
    let body = construct.body.clone().unwrap_or(start..end);
    let (own_line, offset, why) = match position {
        Position::Before => (
            parsed.is_first_on_line(start),
            match construct.kind {
                ConstructKind::Include | ConstructKind::Line => lines.start_of(start),
                _ => parsed.with_comment_above(start),
            },
            "other code stands before it on its line",
        ),
        Position::After => (
            parsed.is_last_on_line(end),
            lines.next_start(end - 1),
            "other code follows it on its line",
        ),
        Position::Begin => (
            parsed.is_last_on_line(body.start + 1),
            lines.next_start(body.start),
            "other code follows its opening brace",
        ),
        Position::End => (
            parsed.is_first_on_line(body.end - 1),
            lines.start_of(body.end - 1),
            "other code stands before its closing brace",
        ),
    };
    match own_line {
        true => Ok(offset),
        false => Err(Miss::not_on_own_line(target, why)),
    }
}

/// The whole lines of a statement that is to be replaced.
fn whole_lines(
    parsed: &Parsed,
    is_statement: bool,
    target: Candidate,
) -> Result<Range<usize>, Miss> {
    let Range { start, end } = target.range;
    let lines = parsed.lines();
    let range = lines.start_of(start)..lines.next_start(end - 1);
    let why = if !is_statement {
        "only whole statements can be replaced"
    } else if !parsed.is_first_on_line(start) || !parsed.is_last_on_line(end) {
        "its lines hold other code too"
    } else if parsed.has_directive_or_raw_string(&range) {
        "a directive or a raw string in it would not survive under `#if 0`"
    } else if !parsed.text()[range.clone()].ends_with(b"\n") {
        "it ends the file without a line feed"
    } else {
        return Ok(range);
    };
    let message = format!("{} cannot be replaced: {why}", target.what);
    Err(Miss::one(Code::ReplaceRefused, message, target))
}
