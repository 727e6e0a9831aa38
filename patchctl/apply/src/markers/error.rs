//! What can be wrong with markers: in a file that has them, and with a block that is to be written.

use super::EditName;

/// The reason for which a file's markers cannot be read. Lines are 1-based.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MarkerError {
    /// A block was begun and not ended.
    #[error("line {line}: the block {edit} begins here and has no end")]
    NoEnd {
        /// The begin line.
        line: usize,
        /// The block.
        edit: EditName,
    },
    /// An end without a begin.
    #[error("line {line}: the block {edit} ends here and has no begin")]
    NoBegin {
        /// The end line.
        line: usize,
        /// The block.
        edit: EditName,
    },
    /// A block begins inside another.
    #[error(
        "line {line}: the block {inner} begins inside {outer}, which begins at line {outer_line}"
    )]
    Nested {
        /// The inner begin line.
        line: usize,
        /// The inner block.
        inner: EditName,
        /// The outer begin line.
        outer_line: usize,
        /// The outer block.
        outer: EditName,
    },
    /// A block's end names another block.
    #[error(
        "line {line}: expected the end of {begun} (begun at line {begun_line}), found the end of {ended}"
    )]
    OtherEnd {
        /// The end line.
        line: usize,
        /// The block that is open.
        begun: EditName,
        /// Its begin line.
        begun_line: usize,
        /// The block that the line names.
        ended: EditName,
    },
    /// A marker line of a replacement stands where it cannot.
    #[error("line {line}: `{found}` is out of order, expected {expected}")]
    OutOfOrder {
        /// The line.
        line: usize,
        /// The marker line as it should stand elsewhere.
        found: &'static str,
        /// What can stand here.
        expected: &'static str,
    },
    /// A line with a reserved word that is no marker line.
    #[error("line {line}: `{found}` is no marker line ({why})")]
    Misspelt {
        /// The line.
        line: usize,
        /// Its text, at most 100 characters.
        found: String,
        /// The fault.
        why: String,
    },
    /// A marker of a format that this version does not know.
    #[error(
        "line {line}: the markers are of format {format}, this version reads format 1: a newer patchctl wrote them and can take them off"
    )]
    NewerFormat {
        /// The line.
        line: usize,
        /// The format's number.
        format: u32,
    },
    /// The last block has no line ending behind it, and before it not the one that would belong to it.
    #[error(
        "line {line}: the block {edit} ends the file without a newline, and there is no line before it that could have: the file was cut or edited"
    )]
    Cut {
        /// The begin line.
        line: usize,
        /// The block.
        edit: EditName,
    },
}

impl MarkerError {
    /// The 1-based line that it is about.
    pub fn line(&self) -> usize {
        match self {
            Self::NoEnd { line, .. }
            | Self::NoBegin { line, .. }
            | Self::Nested { line, .. }
            | Self::OtherEnd { line, .. }
            | Self::OutOfOrder { line, .. }
            | Self::Misspelt { line, .. }
            | Self::NewerFormat { line, .. }
            | Self::Cut { line, .. } => *line,
        }
    }
}

/// The reason for which a block cannot be written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BlockError {
    /// A part of an edit's name has a character that a marker cannot carry.
    #[error(
        "`{part}` cannot stand in a marker: expected ASCII letters, digits, `-` and `_`, not beginning with `-`"
    )]
    Name {
        /// The part.
        part: String,
    },
    /// An edit's name makes the begin line too long.
    #[error("`{name}` makes a marker line of {columns} columns, at most 80 are allowed: shorten the ids by {}", columns.saturating_sub(super::COLUMNS))]
    NameTooLong {
        /// `overlay/hunk.edit`.
        name: String,
        /// What the begin line would have.
        columns: usize,
    },
    /// A digest that is not 12 lowercase hex digits.
    #[error("`{0}` is no digest: expected 12 lowercase hex digits")]
    Digest(String),
    /// The text of an insertion has no lines.
    #[error("the text to insert is empty")]
    Empty,
    /// The text's last line has no line feed.
    #[error("line {line} of the text, the last, has no line feed: end it with one")]
    NoLastNewline {
        /// 1-based.
        line: usize,
    },
    /// A carriage return that belongs to no line ending, or a NUL.
    #[error("line {line} of the text has a {what}, which cannot stand in a block")]
    Character {
        /// 1-based.
        line: usize,
        /// Its name.
        what: &'static str,
    },
    /// The text has the words of a marker.
    #[error(
        "line {line} of the text has `patchctl:` and a letter behind it, the words of a marker: write it otherwise"
    )]
    Reserved {
        /// 1-based.
        line: usize,
    },
    /// The text's last line ends in a backslash, which would join the next line to it.
    #[error(
        "line {line} of the text, the last, ends in a backslash, which would swallow the line behind it"
    )]
    Continues {
        /// 1-based.
        line: usize,
    },
    /// The file has markers already.
    #[error(
        "the upstream text has the words of a marker at line {line}: take the overlays off first"
    )]
    UpstreamMarked {
        /// 1-based.
        line: usize,
    },
    /// A place that is no line start.
    #[error("byte {offset} is no line start of the upstream text (line {line})")]
    NotALineStart {
        /// The offset asked for.
        offset: usize,
        /// 1-based.
        line: usize,
    },
    /// The line before the place ends in a backslash, so the place is inside of a line for a compiler.
    #[error("upstream's line {line} ends in a backslash, so what stands behind it is a part of it")]
    AfterBackslash {
        /// 1-based.
        line: usize,
    },
    /// A replacement of nothing.
    #[error("the range {start}..{end} holds none of the upstream text's lines")]
    EmptyRange {
        /// Its first byte.
        start: usize,
        /// Behind its last byte.
        end: usize,
    },
    /// A line to replace is a directive, which has a meaning inside `#if 0` too.
    #[error(
        "upstream's line {line} is a preprocessor directive, which a replacement cannot keep under `#if 0`"
    )]
    Directive {
        /// 1-based.
        line: usize,
    },
    /// Two edits whose places overlap.
    #[error("{inner} lies inside the lines that {outer} replaces")]
    Overlap {
        /// The replacement, `overlay/hunk.edit`.
        outer: String,
        /// The other edit.
        inner: String,
    },
}
