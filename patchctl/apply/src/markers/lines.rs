//! Lines and their endings, in bytes.

use memchr::{memchr, memrchr};

const BOM: &[u8] = b"\xEF\xBB\xBF";

/// The ending of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// A line feed.
    Lf,
    /// A carriage return and a line feed.
    CrLf,
}

impl Ending {
    /// Its bytes.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Lf => "\n",
            Self::CrLf => "\r\n",
        }
    }

    /// The ending that has its line feed at `feed`.
    fn at(bytes: &[u8], feed: usize) -> Self {
        if feed > 0 && bytes[feed - 1] == b'\r' {
            Self::CrLf
        } else {
            Self::Lf
        }
    }
}

/// The offset of the first line: behind a byte-order mark.
pub(crate) fn content_start(bytes: &[u8]) -> usize {
    if bytes.starts_with(BOM) { BOM.len() } else { 0 }
}

/// Returns true if a line starts at `offset`: at the file's start or behind a line feed.
pub(crate) fn is_line_start(bytes: &[u8], offset: usize) -> bool {
    offset == content_start(bytes)
        || (offset > 0 && offset <= bytes.len() && bytes[offset - 1] == b'\n')
}

/// The 1-based number of the line that holds `offset`.
pub(crate) fn line_at(bytes: &[u8], offset: usize) -> usize {
    1 + memchr::memchr_iter(b'\n', &bytes[..offset.min(bytes.len())]).count()
}

/// The ending for lines written at `offset`: the neighbour's before, else the one behind, else a line feed.
pub(crate) fn ending_at(bytes: &[u8], offset: usize) -> Ending {
    memrchr(b'\n', &bytes[..offset])
        .or_else(|| memchr(b'\n', &bytes[offset..]).map(|found| offset + found))
        .map_or(Ending::Lf, |feed| Ending::at(bytes, feed))
}

/// Returns true if the line that ends before `offset` ends in a backslash. White space behind it does not
/// count: gcc and clang join such lines too.
pub(crate) fn continues(bytes: &[u8], offset: usize) -> bool {
    let before = &bytes[..offset];
    let line = before
        .strip_suffix(b"\n")
        .map_or(before, |rest| rest.strip_suffix(b"\r").unwrap_or(rest));
    let line = &line[memrchr(b'\n', line).map_or(0, |feed| feed + 1)..];
    line.trim_ascii_end().last() == Some(&b'\\')
}

/// A line: where it starts (behind a byte-order mark), where its text ends, and where the next starts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line {
    pub start: usize,
    pub text_end: usize,
    pub end: usize,
    /// `None` for a last line without one.
    pub ending: Option<Ending>,
}

/// The line that holds the byte at `offset`.
pub(crate) fn line_around(bytes: &[u8], offset: usize) -> Line {
    let start = memrchr(b'\n', &bytes[..offset]).map_or(content_start(bytes), |feed| feed + 1);
    match memchr(b'\n', &bytes[offset..]) {
        Some(found) => {
            let feed = offset + found;
            let ending = Ending::at(bytes, feed);
            Line {
                start,
                text_end: feed + 1 - ending.as_str().len(),
                end: feed + 1,
                ending: Some(ending),
            }
        }
        None => Line {
            start,
            text_end: bytes.len(),
            end: bytes.len(),
            ending: None,
        },
    }
}
