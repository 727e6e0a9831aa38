//! What a marker line says: which edit, and which text of it.

use std::fmt;

use super::BlockError;

/// No marker line is longer, so that clang-format leaves them as they are.
pub const COLUMNS: usize = 80;

pub(super) const BEGIN: &str = "// patchctl:begin ";
pub(super) const END: &str = "// patchctl:end ";
const DIGEST: usize = 12;

/// The sign that begins a comment in the file of a block.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Comment {
    /// `//`
    #[default]
    Slashes,
    /// `#`, in CMake, Python, TOML, YAML and shell.
    Hash,
}

impl Comment {
    /// A marker line, which is written with slashes, with this sign.
    fn line(self, line: String) -> String {
        match self {
            Self::Slashes => line,
            Self::Hash => line.replacen("//", "#", 1),
        }
    }

    /// The sign of a marker line, and the line as it is with slashes.
    pub(super) fn of(line: &str) -> (Self, String) {
        match line.starts_with("# patchctl:") {
            true => (Self::Hash, line.replacen('#', "//", 1)),
            false => (Self::Slashes, line.to_owned()),
        }
    }
}

/// The longest `overlay/hunk.edit` whose marker lines have at most [`COLUMNS`] columns, in bytes.
pub const NAME_LIMIT: usize = COLUMNS - BEGIN.len() - 1 - DIGEST;

/// The columns of the begin line of such an edit, the longest of its marker lines. More than
/// [`COLUMNS`] is refused by [`EditName::new`]; an overlay's loader can say so earlier, with the line.
pub fn begin_columns(overlay: &str, hunk: &str, edit: &str) -> usize {
    let name = overlay.chars().count() + 1 + hunk.chars().count() + 1 + edit.chars().count();
    BEGIN.len() + name + 1 + DIGEST
}

/// `overlay/hunk.edit`, fit for a marker.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EditName {
    whole: String,
    slash: usize,
    dot: usize,
}

impl EditName {
    /// Joins the three ids: ASCII letters, digits, `-` and `_`, not beginning with `-`, and short enough
    /// for [`COLUMNS`].
    pub fn new(overlay: &str, hunk: &str, edit: &str) -> Result<Self, BlockError> {
        for part in [overlay, hunk, edit] {
            if !is_id(part) {
                return Err(BlockError::Name {
                    part: part.to_owned(),
                });
            }
        }
        let whole = format!("{overlay}/{hunk}.{edit}");
        let columns = begin_columns(overlay, hunk, edit);
        if columns > COLUMNS {
            return Err(BlockError::NameTooLong {
                name: whole,
                columns,
            });
        }
        Ok(Self {
            slash: overlay.len(),
            dot: overlay.len() + 1 + hunk.len(),
            whole,
        })
    }

    /// Reads `overlay/hunk.edit`, with the limits of [`EditName::new`].
    pub fn parse(text: &str) -> Result<Self, BlockError> {
        let parts = text
            .split_once('/')
            .and_then(|(overlay, rest)| Some((overlay, rest.split_once('.')?)));
        match parts {
            Some((overlay, (hunk, edit))) => Self::new(overlay, hunk, edit),
            None => Err(BlockError::Name {
                part: text.to_owned(),
            }),
        }
    }

    /// The overlay's id.
    pub fn overlay(&self) -> &str {
        &self.whole[..self.slash]
    }

    /// The hunk's id.
    pub fn hunk(&self) -> &str {
        &self.whole[self.slash + 1..self.dot]
    }

    /// The edit's id.
    pub fn edit(&self) -> &str {
        &self.whole[self.dot + 1..]
    }

    /// All of it.
    pub fn as_str(&self) -> &str {
        &self.whole
    }
}

fn is_id(part: &str) -> bool {
    !part.is_empty()
        && !part.starts_with('-')
        && part
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
}

impl fmt::Display for EditName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.whole)
    }
}

/// The first 12 hex digits of an edit's digest.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Digest12(String);

impl Digest12 {
    /// Takes exactly 12 lowercase hex digits.
    pub fn new(hex: &str) -> Result<Self, BlockError> {
        let fits = hex.len() == DIGEST
            && hex
                .bytes()
                .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if fits {
            Ok(Self(hex.to_owned()))
        } else {
            Err(BlockError::Digest(hex.to_owned()))
        }
    }

    /// The first 12 digits of a longer digest in lowercase hex.
    pub fn first_of(hex: &str) -> Result<Self, BlockError> {
        Self::new(hex.get(..DIGEST).unwrap_or(hex))
    }

    /// The 12 digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Digest12 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What a pair of marker lines says.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Block {
    /// Which edit's text it fences.
    pub edit: EditName,
    /// Of which text.
    pub digest: Digest12,
    /// How its markers begin.
    pub comment: Comment,
}

impl Block {
    /// The begin line, without an ending.
    pub fn begin_line(&self) -> String {
        self.comment
            .line(format!("{BEGIN}{} {}", self.edit, self.digest))
    }

    /// The end line, without an ending.
    pub fn end_line(&self) -> String {
        self.comment.line(format!("{END}{}", self.edit))
    }
}
