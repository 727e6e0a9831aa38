//! Finds the value of a place in a file's bytes: once, or it is an error that names the lines.

use std::ops::Range;

use super::model::{PinPlace, Way};
use super::{cmake, json, toml, yaml};

/// A value in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The value, without quotes.
    pub value: String,
    /// Its bytes in the file, without quotes.
    pub range: Range<usize>,
    /// 1-based.
    pub line: u64,
    /// 1-based, in characters.
    pub column: u64,
}

/// The reason for which a value is not found, or cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FindProblem {
    /// The file cannot be read; the words are the reader's.
    #[error("{0}")]
    Unreadable(String),
    /// The file is not UTF-8.
    #[error("the file is not UTF-8")]
    NotText,
    /// The file is not of the kind that the way needs.
    #[error("the file does not parse: {why}")]
    NotParsed {
        /// 1-based.
        line: u64,
        /// The message of the parser.
        why: String,
    },
    /// Nothing is there.
    #[error("there is no {0}")]
    Nowhere(String),
    /// It is there several times.
    #[error("there are {} of {what}, on lines {}", .lines.len(), list(.lines))]
    Several {
        /// The way.
        what: String,
        /// 1-based.
        lines: Vec<u64>,
    },
    /// The value is a reference to another.
    #[error("the value is `{value}`, a reference")]
    Reference {
        /// 1-based.
        line: u64,
        /// The value.
        value: String,
    },
    /// The value is no text.
    #[error("the value is {found}, expected a text")]
    NotAText {
        /// 1-based.
        line: u64,
        /// `a table`
        found: String,
    },
    /// The value is not written as it is: escapes, several lines, an alias.
    #[error("the value is written with escapes, over several lines or as an alias")]
    NotPlain {
        /// 1-based.
        line: u64,
    },
    /// The value is not of the place's form.
    #[error("the value is `{value}`, expected {expected}")]
    WrongForm {
        /// 1-based.
        line: u64,
        /// The value.
        value: String,
        /// `a tag such as …`
        expected: &'static str,
    },
}

fn list(lines: &[u64]) -> String {
    lines
        .iter()
        .map(u64::to_string)
        .collect::<Vec<_>>()
        .join(", ")
}

impl FindProblem {
    /// The line of the file that it is about.
    pub fn line(&self) -> Option<u64> {
        match self {
            Self::NotParsed { line, .. }
            | Self::Reference { line, .. }
            | Self::NotAText { line, .. }
            | Self::NotPlain { line }
            | Self::WrongForm { line, .. } => Some(*line),
            Self::Several { lines, .. } => lines.first().copied(),
            Self::Unreadable(_) | Self::NotText | Self::Nowhere(_) => None,
        }
    }

    /// The advice.
    pub fn help(&self) -> String {
        match self {
            Self::Unreadable(_) => "check the path in patchctl.yaml".to_owned(),
            Self::NotText => "save it as UTF-8".to_owned(),
            Self::NotParsed { .. } => {
                "mend the file, or name the place by `regex` in patchctl.yaml".to_owned()
            }
            Self::Nowhere(_) => "correct the place in patchctl.yaml, or the file".to_owned(),
            Self::Several { .. } => {
                "name the place so that it is one: by `regex` with what stands around it".to_owned()
            }
            Self::Reference { value, .. } => match cmake::variable(value) {
                Some(name) => format!("name the variable: `cmake-variable: {name}`"),
                None => "name the place that holds the value itself".to_owned(),
            },
            Self::NotAText { .. } => "put the value in quotes, or name another key".to_owned(),
            Self::NotPlain { .. } => "write it plainly on one line".to_owned(),
            Self::WrongForm { .. } => {
                "correct the value, or `form` in patchctl.yaml: `release`, `tag` or `commit`"
                    .to_owned()
            }
        }
    }
}

/// Finds the place's value in the file's bytes. What it gives is of the place's form.
///
/// # Errors
/// It is not there, several times there, not a plain text, or not of the form.
pub fn find(place: &PinPlace, bytes: &[u8]) -> Result<Found, FindProblem> {
    let text = std::str::from_utf8(bytes).map_err(|_| FindProblem::NotText)?;
    // The parsers know no byte-order mark.
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mark = text.len() - body.len();
    let ranges = match &place.way {
        Way::CmakeTag(name) => cmake::tags(body, name)?,
        Way::CmakeVariable(name) => cmake::variables(body, name)?,
        Way::Toml(keys) => toml::find(body, keys)?.into_iter().collect(),
        Way::Yaml(keys) => yaml::find(&place.file, body, keys)?.into_iter().collect(),
        Way::Json(keys) => json::find(body, keys)?,
        Way::Regex(regex) => regex
            .captures_iter(body)
            .filter_map(|captures| captures.get(1))
            .map(|group| group.range())
            .collect(),
    };
    let range = match ranges.as_slice() {
        [one] => one.clone(),
        [] => return Err(FindProblem::Nowhere(place.way.to_string())),
        several => {
            let lines = several
                .iter()
                .map(|range| line(body, range.start))
                .collect();
            let what = place.way.to_string();
            return Err(FindProblem::Several { what, lines });
        }
    };
    let value = body[range.clone()].to_owned();
    let line = line(body, range.start);
    if value.contains('$') {
        return Err(FindProblem::Reference { line, value });
    }
    if !place.form.fits(&value) {
        let expected = place.form.expected();
        return Err(FindProblem::WrongForm {
            line,
            value,
            expected,
        });
    }
    let start = body[..range.start].rfind('\n').map_or(0, |at| at + 1);
    Ok(Found {
        value,
        line,
        column: body[start..range.start].chars().count() as u64 + 1,
        range: range.start + mark..range.end + mark,
    })
}

/// The 1-based line of a byte.
pub(super) fn line(text: &str, at: usize) -> u64 {
    text.as_bytes()[..at]
        .iter()
        .filter(|byte| **byte == b'\n')
        .count() as u64
        + 1
}
