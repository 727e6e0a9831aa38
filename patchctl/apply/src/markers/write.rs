//! Writes blocks, as the splices that the lock holds: pure insertions, upstream's bytes stay.

use std::ops::Range;

use super::lines::{content_start, continues, ending_at, is_line_start, line_at};
use super::scan::{NOW, WAS, WAS_END, reserved};
use super::{Block, BlockError, Ending};
use crate::Splice;

/// The splice that inserts `text` as a block of whole lines at `offset` of `upstream`.
///
/// `offset` is a line start or the end of the file; 0 means the first line, behind a byte-order mark.
/// `text` is one or more lines, each ended by a line feed (or CRLF); the block's lines get the
/// neighbour's ending, see [the module](crate::markers).
///
/// Fails on a place inside of a line (also of one that a backslash continues), on a text that cannot
/// be fenced, and on an upstream text that has markers.
pub fn insertion(
    upstream: &[u8],
    offset: usize,
    block: &Block,
    text: &str,
) -> Result<Splice, BlockError> {
    let place = Place::at(upstream, offset)?;
    let lines = lines_of(text)?;
    if lines.is_empty() {
        return Err(BlockError::Empty);
    }
    unmarked(upstream)?;
    let (begin, end) = (block.begin_line(), block.end_line());
    let all: Vec<&str> = [begin.as_str()]
        .into_iter()
        .chain(lines)
        .chain([end.as_str()])
        .collect();
    Ok(place.splice(block, place.whole(&all)))
}

/// The two splices that replace the lines in `range` of `upstream` by `new_text`: upstream's lines stay
/// in the file, byte for byte, under `#if 0`.
///
/// `range` is whole lines, and may end at the end of a file without a last newline. `new_text` is as for
/// [`insertion`], and may be empty. Fails as [`insertion`] does, and on a line in the range that is a
/// preprocessor directive or is continued by a backslash out of the range.
pub fn replacement(
    upstream: &[u8],
    range: Range<usize>,
    block: &Block,
    new_text: &str,
) -> Result<[Splice; 2], BlockError> {
    let before = Place::at(upstream, range.start)?;
    let after = Place::at(upstream, range.end)?;
    if before.offset >= after.offset {
        return Err(BlockError::EmptyRange {
            start: range.start,
            end: range.end,
        });
    }
    let lines = lines_of(new_text)?;
    unmarked(upstream)?;
    let mut start = before.offset;
    for line in upstream[before.offset..after.offset].split_inclusive(|byte| *byte == b'\n') {
        let text = line.trim_ascii_start();
        if text.starts_with(b"#") || text.starts_with(b"%:") {
            return Err(BlockError::Directive {
                line: line_at(upstream, start),
            });
        }
        start += line.len();
    }
    // One ending for both parts, so that the begin line shows what the end of the block has.
    let before = Place {
        ending: after.ending,
        ..before
    };
    let (begin, end) = (block.begin_line(), block.end_line());
    let rest: Vec<&str> = [NOW]
        .into_iter()
        .chain(lines)
        .chain([WAS_END, end.as_str()])
        .collect();
    Ok([
        before.splice(block, before.whole(&[begin.as_str(), WAS])),
        after.splice(block, after.whole(&rest)),
    ])
}

/// An edit's splices in one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Placed {
    /// From [`insertion`].
    Insertion(Splice),
    /// From [`replacement`].
    Replacement([Splice; 2]),
}

impl Placed {
    fn first(&self) -> &Splice {
        match self {
            Self::Insertion(splice) | Self::Replacement([splice, _]) => splice,
        }
    }
}

/// Puts the edits of one file into the order that the lock wants. Those at one offset keep the order in
/// which they are given; an insertion at the first line of a replacement stands before it, one behind its
/// last line after it. Fails where an edit lies inside of lines that another replaces.
pub fn arrange(mut edits: Vec<Placed>) -> Result<Vec<Splice>, BlockError> {
    edits.sort_by_key(|edit| (edit.first().offset, matches!(edit, Placed::Replacement(_))));
    let mut splices = Vec::with_capacity(edits.len());
    let mut last: Option<Splice> = None;
    for edit in edits {
        if let Some(last) = &last
            && edit.first().offset < last.offset
        {
            return Err(BlockError::Overlap {
                outer: last.edit.clone(),
                inner: edit.first().edit.clone(),
            });
        }
        match edit {
            Placed::Insertion(splice) => splices.push(splice),
            Placed::Replacement([before, after]) => {
                last = Some(after.clone());
                splices.extend([before, after]);
            }
        }
    }
    Ok(splices)
}

/// A place where lines can go.
struct Place {
    offset: usize,
    /// 1-based line of upstream's text above which the place is.
    line: usize,
    ending: Ending,
    /// Behind a last line that has no newline: the ending comes first.
    tail: bool,
}

impl Place {
    fn at(upstream: &[u8], offset: usize) -> Result<Self, BlockError> {
        let offset = match offset {
            0 => content_start(upstream),
            given => given,
        };
        let starts = is_line_start(upstream, offset);
        if !starts && offset != upstream.len() {
            return Err(BlockError::NotALineStart {
                offset,
                line: line_at(upstream, offset),
            });
        }
        if continues(upstream, offset) {
            return Err(BlockError::AfterBackslash {
                line: line_at(upstream, offset) - usize::from(starts),
            });
        }
        Ok(Self {
            offset,
            line: line_at(upstream, offset) + usize::from(!starts),
            ending: ending_at(upstream, offset),
            tail: !starts,
        })
    }

    fn whole(&self, lines: &[&str]) -> String {
        let ending = self.ending.as_str();
        lines
            .iter()
            .flat_map(|line| match self.tail {
                true => [ending, line],
                false => [*line, ending],
            })
            .collect()
    }

    fn splice(&self, block: &Block, text: String) -> Splice {
        Splice {
            edit: block.edit.to_string(),
            line: self.line as u64,
            offset: self.offset as u64,
            length: 0,
            text,
        }
    }
}

/// The lines of an edit's text, checked.
fn lines_of(text: &str) -> Result<Vec<&str>, BlockError> {
    let mut lines = Vec::new();
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let number = index + 1;
        let Some(line) = line.strip_suffix('\n') else {
            return Err(BlockError::NoLastNewline { line: number });
        };
        let line = line.strip_suffix('\r').unwrap_or(line);
        for (character, what) in [('\r', "lone carriage return"), ('\0', "NUL")] {
            if line.contains(character) {
                return Err(BlockError::Character { line: number, what });
            }
        }
        if reserved(line.as_bytes()).next().is_some() {
            return Err(BlockError::Reserved { line: number });
        }
        lines.push(line);
    }
    if lines
        .last()
        .is_some_and(|last| last.trim_end().ends_with('\\'))
    {
        return Err(BlockError::Continues { line: lines.len() });
    }
    Ok(lines)
}

fn unmarked(upstream: &[u8]) -> Result<(), BlockError> {
    match reserved(upstream).next() {
        None => Ok(()),
        Some(offset) => Err(BlockError::UpstreamMarked {
            line: line_at(upstream, offset),
        }),
    }
}
