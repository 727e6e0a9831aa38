//! The faults of meaning that an overlay of the right form can have.

use super::model::Position;
use crate::report::Code;
use crate::yaml::{Problem, closest};

/// The columns that a marker may take: clang-format leaves such lines alone, whatever it does to code.
pub const MARKER_COLUMNS: usize = 80;
/// The bytes that the text of one edit may have.
pub const MAX_EDIT_TEXT: usize = 64 << 10;

/// A mistake in an overlay's meaning.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OverlayProblem {
    /// A kind that is planned.
    #[error("overlays of kind `{0}` are not supported by this version yet")]
    KindUnsupported(String),
    /// An id that a marker or an address cannot hold.
    #[error("the {what} `{id}` is not made of `a` to `z`, `0` to `9` and `-`")]
    BadId {
        /// `hunk's id`
        what: &'static str,
        /// The id.
        id: String,
    },
    /// The same id twice.
    #[error("the {what} `{id}` is here twice, first on line {first}")]
    DuplicateId {
        /// `hunk's id`
        what: &'static str,
        /// The id.
        id: String,
        /// The line of the first.
        first: u64,
    },
    /// An overlay in a file of another name.
    #[error("the overlay is named `{id}`, its file `{stem}`")]
    IdIsNotStem {
        /// The overlay's id.
        id: String,
        /// The file's name without `.yaml`.
        stem: String,
    },
    /// Two files with one id.
    #[error("the overlay `{id}` is also in {first}")]
    OverlayTwice {
        /// The id.
        id: String,
        /// The other file.
        first: String,
    },
    /// A marker that clang-format could break.
    #[error(
        "the marker `{marker}` has {columns} columns, over the limit of {MARKER_COLUMNS}",
        columns = .marker.chars().count()
    )]
    MarkerTooLong {
        /// The marker.
        marker: String,
    },
    /// A path that is not one inside the upstream tree.
    #[error("{0}")]
    BadPath(String),
    /// A record of evidence that is no file of this repository.
    #[error("{0}")]
    BadRecord(String),
    /// No `file` anywhere.
    #[error("{0} names no file, and the overlay none for all")]
    NoFile(&'static str),
    /// An empty list that must not be.
    #[error("{what} has no {items}")]
    Nothing {
        /// `the overlay`
        what: &'static str,
        /// `hunks`
        items: &'static str,
    },
    /// Keys of which exactly one must be there.
    #[error("{what} needs exactly one of {keys}, found {}", joined(.found))]
    ExactlyOne {
        /// `an edit`
        what: &'static str,
        /// Those that could be.
        keys: &'static str,
        /// Those that are.
        found: Vec<&'static str>,
    },
    /// Keys of which at least one must be there.
    #[error("{what} has no {keys}")]
    Lacks {
        /// `a statement`
        what: &'static str,
        /// Those that could be.
        keys: &'static str,
    },
    /// A key that says nothing without, or beside, another.
    #[error("`{key}` {why}")]
    Misplaced {
        /// The key.
        key: &'static str,
        /// `needs a function`
        why: &'static str,
        /// The command.
        help: &'static str,
    },
    /// A text that must not be empty.
    #[error("`{0}` is empty")]
    EmptyText(&'static str),
    /// A name that is no C++ name, an include that is no include.
    #[error("`{name}` is not {expected}")]
    BadName {
        /// The value found.
        name: String,
        /// The value expected.
        expected: &'static str,
        /// The command.
        help: Option<String>,
    },
    /// An anchor without a position.
    #[error("the anchor has no `position`")]
    PositionMissing {
        /// The thing that the anchor names.
        anchor: &'static str,
        /// The positions that it can have.
        allowed: &'static [Position],
    },
    /// A position that the construct does not have.
    #[error("{anchor} has no position `{}`", position_word(*.position))]
    PositionMeaningless {
        /// The position.
        position: Position,
        /// The thing that the anchor names.
        anchor: &'static str,
        /// The positions that it can have.
        allowed: &'static [Position],
    },
    /// Tokens that do not lex.
    #[error("these are no C++ tokens: {0}")]
    BadTokens(String),
    /// A regular expression that does not compile.
    #[error("this is no regular expression: {0}")]
    BadRegex(String),
    /// A regular expression that matches everywhere.
    #[error("this regular expression matches the empty text, so it holds everywhere")]
    RegexMatchesNothing,
    /// A text that cannot stand between markers.
    #[error("the text {0}")]
    BadEdit(BadText),
    /// A replacement without its reason.
    #[error("a replacement has no `why`")]
    ReplaceWithoutWhy,
    /// A version requirement that is none.
    #[error("`{found}` is no version requirement: {why}")]
    BadRequirement {
        /// The value found.
        found: String,
        /// The message of the parser.
        why: String,
    },
    /// `after` that names no overlay of the folder.
    #[error("there is no overlay `{id}` to come after")]
    AfterUnknown {
        /// The name.
        id: String,
        /// Those there are.
        known: Vec<String>,
    },
    /// Overlays that each come after the other.
    #[error("the overlays wait for each other: {}", .0.join(" after "))]
    AfterCycle(Vec<String>),
    /// A file that looks like an overlay and is not read.
    #[error("the file ends in `.yml`, so it would not be read")]
    YmlFile,
}

/// The reason for which a text cannot be an edit's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadText {
    /// Nothing in it.
    #[error("is empty")]
    Empty,
    /// The last line is not ended.
    #[error("does not end with a line feed")]
    NoLastLineFeed,
    /// Over [`MAX_EDIT_TEXT`].
    #[error("has {0} bytes, over the limit of {MAX_EDIT_TEXT}")]
    TooLong(usize),
    /// A line that would be taken for a marker.
    #[error("holds `{0}`, which marks patched code")]
    MarkerWord(&'static str),
    /// Characters that are shown as something else than the compiler reads.
    #[error("holds the character U+{0:04X}, which editors do not show")]
    Hidden(u32),
    /// The marker below would become part of the last line.
    #[error("ends with a backslash, which would swallow the marker below it")]
    Continued,
    /// A comment or a literal that goes on over the marker below.
    #[error("is not whole C++ tokens: {0}")]
    NotTokens(String),
    /// `#if` without `#endif` or the other way round.
    #[error("has a `#{0}` without its partner")]
    Unbalanced(String),
    /// `#` in a replacement, which stands inside `#if`.
    #[error("holds a preprocessor line, which a replacement cannot")]
    Directive,
    /// `R"(…)"` in a replacement.
    #[error("holds a raw string, which a replacement cannot")]
    RawString,
}

impl Problem for OverlayProblem {
    fn code(&self) -> Code {
        match self {
            Self::KindUnsupported(_) => Code::OverlayKindUnsupported,
            Self::BadId { .. } => Code::OverlayBadId,
            Self::DuplicateId { .. } | Self::OverlayTwice { .. } => Code::OverlayDuplicateId,
            Self::IdIsNotStem { .. } | Self::YmlFile => Code::OverlayFileName,
            Self::MarkerTooLong { .. } => Code::OverlayMarkerTooLong,
            Self::BadPath(_) | Self::BadRecord(_) => Code::OverlayBadPath,
            Self::NoFile(_) => Code::OverlayNoFile,
            Self::Nothing { .. } => Code::OverlayNothingToDo,
            Self::ExactlyOne { .. } | Self::Lacks { .. } | Self::Misplaced { .. } => {
                Code::OverlayKeysClash
            }
            Self::EmptyText(_) | Self::BadName { .. } => Code::OverlayBadName,
            Self::PositionMissing { .. } | Self::PositionMeaningless { .. } => {
                Code::OverlayBadPosition
            }
            Self::BadTokens(_) => Code::OverlayBadTokens,
            Self::BadRegex(_) | Self::RegexMatchesNothing => Code::OverlayBadRegex,
            Self::BadEdit(_) => Code::OverlayBadText,
            Self::ReplaceWithoutWhy => Code::OverlayReplaceWithoutWhy,
            Self::BadRequirement { .. } => Code::OverlayBadRequirement,
            Self::AfterUnknown { .. } | Self::AfterCycle(_) => Code::OverlayBadOrder,
        }
    }

    fn help(&self) -> Option<String> {
        Some(match self {
            Self::KindUnsupported(_) => "write `kind: hunks`, or leave it out".to_owned(),
            Self::BadId { id, .. } => {
                let fit = fitting_id(id);
                return (!fit.is_empty()).then(|| format!("write `{fit}`"));
            }
            Self::DuplicateId { .. } => "give each its own".to_owned(),
            Self::IdIsNotStem { id, stem } => {
                format!("rename the file to `{id}.yaml`, or write `overlay: {stem}`")
            }
            Self::OverlayTwice { .. } => "give each overlay its own name".to_owned(),
            Self::MarkerTooLong { marker } => format!(
                "shorten the ids of overlay, hunk and edit by {} characters together",
                marker.chars().count().saturating_sub(MARKER_COLUMNS)
            ),
            Self::BadPath(_) => {
                "write it relative to the upstream tree, with `/`: `mlx/backend/metal/device.cpp`".to_owned()
            }
            Self::BadRecord(_) => {
                "write it relative to this repository, with `/`: `docs/measurements.md`".to_owned()
            }
            Self::NoFile(_) => "add `file: …` here or at the overlay's top".to_owned(),
            Self::Nothing { .. } => "add one".to_owned(),
            Self::ExactlyOne { keys, found, .. } if found.is_empty() => format!("add one of {keys}"),
            Self::ExactlyOne { found, .. } => format!("keep one of {}", joined(found)),
            Self::Lacks { keys, .. } => format!("add {keys}"),
            Self::Misplaced { help, .. } => (*help).to_owned(),
            Self::BadName { help, .. } => return help.clone(),
            Self::PositionMissing { anchor, allowed }
            | Self::PositionMeaningless { anchor, allowed, .. } => {
                format!("{anchor} can have {}", position_words(allowed))
            }
            Self::BadEdit(bad) => return bad.help().map(str::to_owned),
            Self::RegexMatchesNothing => "leave out what may be absent, such as a `*` at its end".to_owned(),
            Self::ReplaceWithoutWhy => {
                "add `why: …`: a replacement hides upstream's lines, so it says for what reason; or use `insert`"
                    .to_owned()
            }
            Self::BadRequirement { .. } => "write one such as '>=0.23.0' or '>=0.23.0, <0.32.0'".to_owned(),
            Self::AfterUnknown { id, known } => match closest(id, known.iter().map(String::as_str)) {
                Some(near) => format!("did you mean `{near}`?"),
                None if known.is_empty() => "there is no other overlay; remove it".to_owned(),
                None => format!("there are {}", known.join(", ")),
            },
            Self::AfterCycle(_) => "remove one `after`".to_owned(),
            Self::YmlFile => "rename it to `.yaml`, or move it elsewhere".to_owned(),
            Self::EmptyText(_) | Self::BadTokens(_) | Self::BadRegex(_) => return None,
        })
    }
}

impl BadText {
    fn help(&self) -> Option<&'static str> {
        match self {
            Self::NoLastLineFeed => {
                Some("write the text as a block: `insert: |`, or end it with `\\n`")
            }
            Self::MarkerWord(_) => Some("patchctl writes the markers; remove it"),
            Self::TooLong(_) => Some("put the code in a file of its own and insert an `#include`"),
            Self::Hidden(_) => Some("remove it, or write it as an escape in a C++ literal"),
            Self::Unbalanced(_) => Some("open and close it in one edit"),
            Self::Directive | Self::RawString => {
                Some("move that part into an `insert` before or after")
            }
            Self::Empty | Self::Continued | Self::NotTokens(_) => None,
        }
    }
}

fn joined(keys: &[&str]) -> String {
    if keys.is_empty() {
        return "none".to_owned();
    }
    let keys: Vec<String> = keys.iter().map(|key| format!("`{key}`")).collect();
    keys.join(" and ")
}

/// A position as the YAML has it.
pub(super) fn position_word(position: Position) -> &'static str {
    match position {
        Position::Before => "before",
        Position::After => "after",
        Position::Begin => "begin",
        Position::End => "end",
    }
}

fn position_words(positions: &[Position]) -> String {
    let words: Vec<String> = positions
        .iter()
        .map(|position| format!("`{}`", position_word(*position)))
        .collect();
    words.join(", ")
}

/// The nearest allowed id to what was written.
fn fitting_id(id: &str) -> String {
    id.to_lowercase()
        .split(|c: char| !c.is_ascii_lowercase() && !c.is_ascii_digit())
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join("-")
}
