//! How the YAML files of this module are read and written.

use camino::Utf8Path;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::problem::Problems;
use crate::yaml::{Document, Fault, Faults, Node, read_limited};

/// The version of the forms of `patchctl.yaml`, `pins.yaml` and `reviewed.yaml`.
const SCHEMA: i64 = 1;

/// Reads a file of form `R`; `meaning` makes the value and notes what is wrong with it.
pub(super) fn parse<R: JsonSchema + DeserializeOwned, T>(
    file: &Utf8Path,
    bytes: &[u8],
    meaning: impl FnOnce(R, &Node, &mut Problems) -> Option<T>,
) -> Result<T, Faults> {
    let mut document = Document::parse(file, bytes)?;
    if !document.is_readable(SCHEMA) {
        return document.finish(None);
    }
    document.check::<R>();
    let mut value = None;
    if document.is_sound()
        && let Some(raw) = document.value::<R>()
    {
        let mut problems = Problems::new();
        value = meaning(raw, &document.root, &mut problems);
        for (mark, problem) in problems {
            document.fault(mark, &problem);
        }
    }
    document.finish(value)
}

/// The bytes of `file`, relative to `root`; `None` where there is no such file.
pub(super) fn read(root: &Utf8Path, file: &Utf8Path) -> Result<Option<Vec<u8>>, Faults> {
    let path = root.join(file);
    // A link to nothing is a file that cannot be read, not one that is not there.
    if std::fs::symlink_metadata(&path)
        .is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound)
    {
        return Ok(None);
    }
    read_limited(&path)
        .map(Some)
        .map_err(|problem| Faults(vec![Fault::new(file, None, &problem)]))
}

/// The comment lines and empty lines that a file begins with.
pub(super) fn head(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let lines = text.split_inclusive('\n');
    let head: String = lines
        .take_while(|line| line.trim().is_empty() || line.starts_with('#'))
        .collect();
    head.replace("\r\n", "\n")
}

/// A file of form `R` behind `head`, as text with line feeds.
pub(super) fn text<R: Serialize>(head: &str, raw: &R) -> String {
    // Texts, numbers, lists and maps with text keys are all that the forms have: none can fail.
    let body = serde_yaml::to_string(raw).unwrap_or_default();
    format!("{head}{body}")
}
