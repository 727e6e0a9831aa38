//! Lines of a text: numbers and beginnings, with a byte-order mark left out of the first.

use std::ops::Range;

/// The offsets at which the lines of a text begin.
#[derive(Debug, Clone)]
pub struct Lines {
    /// Byte offsets; the first is behind a byte-order mark.
    starts: Vec<usize>,
    length: usize,
}

impl Lines {
    /// Finds the lines of `text`; only a line feed ends one.
    pub fn of(text: &[u8]) -> Self {
        let first = if text.starts_with(b"\xEF\xBB\xBF") {
            3
        } else {
            0
        };
        let mut starts = vec![first];
        let behind = memchr::memchr_iter(b'\n', text).map(|at| at + 1);
        starts.extend(behind.filter(|&start| start < text.len()));
        Self {
            starts,
            length: text.len(),
        }
    }

    /// The 1-based number of the line that holds the byte at `offset`.
    pub fn number(&self, offset: usize) -> usize {
        self.starts.partition_point(|&start| start <= offset).max(1)
    }

    /// The number of lines; an empty text has one.
    pub fn count(&self) -> usize {
        self.starts.len()
    }

    /// Where the line that holds `offset` begins.
    pub fn start_of(&self, offset: usize) -> usize {
        self.starts[self.number(offset) - 1]
    }

    /// Where the line behind the one that holds `offset` begins; the text's end where there is none.
    pub fn next_start(&self, offset: usize) -> usize {
        self.starts
            .get(self.number(offset))
            .copied()
            .unwrap_or(self.length)
    }

    /// The bytes of the 1-based line `number`, its line feed included; empty past the end.
    pub fn range(&self, number: usize) -> Range<usize> {
        let end = self.starts.get(number).copied().unwrap_or(self.length);
        self.starts
            .get(number - 1)
            .map_or(end..end, |&start| start..end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_numbered_from_one_and_end_with_the_text() {
        let lines = Lines::of(b"a\nbc\r\nd");
        let numbers = [0, 1, 2, 6].map(|at| lines.number(at));
        assert_eq!((lines.count(), numbers), (3, [1, 1, 2, 3]));
        assert_eq!(
            (lines.start_of(4), lines.next_start(2), lines.next_start(6)),
            (2, 6, 7)
        );
        assert_eq!(
            (lines.range(2), lines.range(3), lines.range(9)),
            (2..6, 6..7, 7..7)
        );
    }

    #[test]
    fn the_first_line_begins_behind_a_byte_order_mark() {
        assert_eq!(Lines::of(b"\xEF\xBB\xBFa\nb").range(1), 3..5);
    }

    #[test]
    fn a_last_line_feed_begins_no_line() {
        assert_eq!((Lines::of(b"a\n").count(), Lines::of(b"").count()), (1, 1));
    }
}
