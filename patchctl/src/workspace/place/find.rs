//! Finds the value of a place in a file's bytes: once, or it is an error that names the lines.

use std::ops::Range;

use camino::Utf8Path;

use super::model::{PinPlace, Way};
use super::{bad, cmake, keyed, line};
use crate::report::{Code, Finding};
use crate::yaml::read_below;

/// A value in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PinValue {
    /// The value, without quotes.
    pub value: String,
    /// Its bytes in the file, without quotes.
    pub range: Range<usize>,
    /// 1-based.
    pub line: u64,
    /// 1-based, in characters.
    pub column: u64,
}

/// Finds the place's value in the file's bytes. What it gives is of the place's form.
///
/// # Errors
/// It is not there, several times there, not a plain text, or not of the form.
pub fn find(place: &PinPlace, bytes: &[u8]) -> Result<PinValue, Box<Finding>> {
    let not_text = |_| {
        let message = "the file is not UTF-8";
        bad(None, Code::PlaceNotParsed, message, "save it as UTF-8")
    };
    let found = std::str::from_utf8(bytes).map_err(not_text);
    found
        .and_then(|text| find_in(place, text))
        .map_err(|fault| (*fault).file(&*place.file).into())
}

/// The bytes of a place's file below `root`.
pub(super) fn read(root: &Utf8Path, file: &Utf8Path) -> Result<Vec<u8>, Box<Finding>> {
    read_below(root, file).map_err(|problem| {
        let help = "check the path in patchctl.yaml";
        let fault = Finding::new(Code::FileUnreadable, problem.to_string());
        fault.file(file).help(help).into()
    })
}

fn find_in(place: &PinPlace, text: &str) -> Result<PinValue, Box<Finding>> {
    // The parsers know no byte-order mark.
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mark = text.len() - body.len();
    let ranges = match &place.way {
        Way::CmakeTag(name) => cmake::tags(body, name)?,
        Way::CmakeVariable(name) => cmake::variables(body, name)?,
        Way::Toml(keys) => keyed::in_toml(body, keys)?.into_iter().collect(),
        Way::Yaml(keys) => keyed::in_yaml(&place.file, body, keys)?
            .into_iter()
            .collect(),
        Way::Json(keys) => keyed::in_json(body, keys)?,
        Way::Regex(regex) => regex
            .captures_iter(body)
            .filter_map(|captures| captures.get(1))
            .map(|group| group.range())
            .collect(),
    };
    let range = match ranges.as_slice() {
        [one] => one.clone(),
        [] => {
            let help = "correct the place in patchctl.yaml, or the file";
            let message = format!("there is no {}", place.way);
            return Err(bad(None, Code::PlaceNotThere, &message, help));
        }
        [first, ..] => {
            let lines = ranges.iter().map(|it| line(body, it.start).to_string());
            let lines = lines.collect::<Vec<_>>().join(", ");
            let (count, way) = (ranges.len(), &place.way);
            let message = format!("there are {count} of {way}, on lines {lines}");
            let help = "name the place so that it is one: by `regex` with what stands around it";
            let first = line(body, first.start);
            return Err(bad(first, Code::PlaceAmbiguous, &message, help));
        }
    };
    let value = body[range.clone()].to_owned();
    let line = line(body, range.start);
    if value.contains('$') {
        let help = match cmake::variable(&value) {
            Some(name) => format!("name the variable: `cmake-variable: {name}`"),
            None => "name the place that holds the value itself".to_owned(),
        };
        let message = format!("the value is `{value}`, a reference");
        return Err(bad(line, Code::PlaceBadValue, &message, &help));
    }
    if !place.form.fits(&value) {
        let message = format!("the value is `{value}`, expected {}", place.form.expected());
        let help = "correct the value, or `form` in patchctl.yaml: `release`, `tag` or `commit`";
        return Err(bad(line, Code::PlaceBadValue, &message, help));
    }
    let start = body[..range.start].rfind('\n').map_or(0, |at| at + 1);
    Ok(PinValue {
        value,
        line,
        column: body[start..range.start].chars().count() as u64 + 1,
        range: range.start + mark..range.end + mark,
    })
}
