//! The code that an anchor names, before it is known where lines can go: bytes, names and shape.

use std::ops::Range;

use crate::cpp::{Construct, ConstructKind, Parsed, Statement};
use crate::overlay::Position;
use crate::patch::shape::Shape;

use super::miss::{Candidate, Miss};

/// The code that an anchor names, and what is said of it.
pub(super) struct Target<'p> {
    pub(super) construct: &'p Construct,
    pub(super) range: Range<usize>,
    pub(super) is_statement: bool,
    pub(super) what: String,
    pub(super) scope: String,
    pub(super) preprocessor: Vec<String>,
    pub(super) shape: Shape,
}

impl<'p> Target<'p> {
    pub(super) fn whole(parsed: &Parsed, construct: &'p Construct, position: Position) -> Self {
        let shape = match construct.kind {
            ConstructKind::Include => Shape::of_include(parsed, construct),
            ConstructKind::Namespace => Shape::of_namespace(parsed, construct, end_of(position)),
            _ => Shape::of_code(parsed, construct, None),
        };
        Self {
            construct,
            range: construct.range.clone(),
            is_statement: false,
            what: format!("{} `{}`", construct.kind.word(), construct.display()),
            scope: match construct.kind {
                ConstructKind::Include => format!("#include {}", construct.name),
                ConstructKind::Namespace => format!("namespace {}", construct.name),
                _ => construct.display(),
            },
            preprocessor: parsed.preprocessor_at(construct.range.start),
            shape,
        }
    }

    pub(super) fn statement(
        parsed: &Parsed,
        function: &'p Construct,
        statement: &Statement,
    ) -> Result<Self, Miss> {
        let range = statement.range.clone();
        let preprocessor = parsed.preprocessor_at(range.start);
        let found = Self {
            construct: function,
            is_statement: true,
            what: Candidate::statement(parsed, &range).what,
            scope: function.display(),
            shape: Shape::of_code(parsed, function, Some((&range, &preprocessor))),
            preprocessor,
            range,
        };
        let untrusted = |why: &str| {
            let candidate = Candidate::new(parsed, &found.range, found.what.clone());
            Err(Miss::Untrusted {
                candidate,
                why: why.to_owned(),
            })
        };
        if statement.unreadable {
            return untrusted("the parser cannot read all of this statement");
        }
        match previous_token(parsed, found.range.start) {
            Some(b")") | Some(b"else") | Some(b"do") => {
                let candidate = Candidate::new(parsed, &found.range, found.what.clone());
                let why = "it is the body of an `if`, `else` or loop without braces, so a line beside it \
                           would change what is conditional";
                Err(Miss::NotOnOwnLine {
                    candidate,
                    why: why.to_owned(),
                })
            }
            Some(b"{" | b"}" | b";" | b":") => Ok(found),
            Some(directive) if directive.starts_with(b"#") => Ok(found),
            _ => untrusted("the tokens before it do not end a statement"),
        }
    }
}

fn end_of(position: Position) -> &'static str {
    match position {
        Position::Before | Position::Begin => "first",
        Position::After | Position::End => "last",
    }
}

fn previous_token(parsed: &Parsed, offset: usize) -> Option<&[u8]> {
    let tokens = parsed.tokens();
    let index = tokens
        .partition_point(|token| token.range.start < offset)
        .checked_sub(1)?;
    Some(&parsed.text()[tokens[index].range.clone()])
}
