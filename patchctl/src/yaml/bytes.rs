//! From bytes to text: what is refused before any parser sees it.

use std::io::Read;

use camino::Utf8Path;

use super::problem::YamlProblem;
use super::tree::Mark;

/// The largest file that is read, in bytes: 1 MiB. An overlay of a few hunks has a few kilobytes.
pub const MAX_BYTES: u64 = 1 << 20;

/// Reads a file of at most [`MAX_BYTES`], refusing a larger one by its size, before reading it.
///
/// # Errors
/// The file is missing, unreadable, no regular file, or too large.
pub fn read_limited(path: &Utf8Path) -> Result<Vec<u8>, YamlProblem> {
    let unreadable = |error: std::io::Error| YamlProblem::Unreadable(error.to_string());
    // Asked by name first: opening a named pipe would wait for a writer.
    let kind = std::fs::metadata(path).map_err(unreadable)?;
    if !kind.is_file() {
        return Err(YamlProblem::Unreadable(
            "it is not a regular file".to_owned(),
        ));
    }
    if kind.len() > MAX_BYTES {
        return Err(YamlProblem::TooLarge { bytes: kind.len() });
    }
    let mut bytes = Vec::new();
    std::fs::File::open(path)
        .map_err(unreadable)?
        .take(MAX_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(unreadable)?;
    Ok(bytes)
}

/// The text of a file, without its byte-order mark.
pub(super) fn text(bytes: &[u8]) -> Result<&str, (Mark, YamlProblem)> {
    if bytes.len() as u64 > MAX_BYTES {
        let bytes = bytes.len() as u64;
        return Err((Mark::START, YamlProblem::TooLarge { bytes }));
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
