//! Finds the blocks of a patched file.

use std::ops::Range;

use memchr::{memchr_iter, memmem};

use super::lines::{Line, line_around};
use super::name::{BEGIN, END};
use super::{Block, Comment, Digest12, EditName, Ending, MarkerError};

pub(crate) const WAS: &str = "#if 0 // patchctl:was";
pub(crate) const NOW: &str = "#else // patchctl:now";
pub(crate) const WAS_END: &str = "#endif // patchctl:was";
const WORD: &[u8] = b"patchctl:";

/// A block of a patched file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// What its markers say.
    pub block: Block,
    /// The 1-based lines of its markers, first and last.
    pub lines: (usize, usize),
    /// Its form.
    pub kind: Kind,
    /// From the begin line's first byte to behind the end line's text.
    pub span: Range<usize>,
    /// The ending of its begin line: that of all lines the block adds.
    pub ending: Ending,
    /// Behind the end line's ending; equals `span.end` where it has none.
    pub(super) next: usize,
}

/// The form of a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// Added lines.
    Insertion,
    /// Upstream's lines under `#if 0`, and new ones.
    Replacement {
        /// The bytes between the lines `#if 0` and `#else`: upstream's.
        was: Range<usize>,
    },
}

/// Returns true if the bytes have any of the words of a marker: one search, for looking through a whole tree.
pub fn has_markers(bytes: &[u8]) -> bool {
    reserved(bytes).next().is_some()
}

/// Offsets of the reserved words: `patchctl:` with an ASCII letter behind it.
pub(super) fn reserved(bytes: &[u8]) -> impl Iterator<Item = usize> {
    memmem::find_iter(bytes, WORD).filter(move |at| {
        bytes
            .get(at + WORD.len())
            .is_some_and(u8::is_ascii_alphabetic)
    })
}

/// All blocks, in the order of the file. A file without markers has none. Any marker line that is
/// misspelt, unpaired, nested or out of order is an error.
pub fn scan(bytes: &[u8]) -> Result<Vec<Found>, MarkerError> {
    let mut found = Vec::new();
    let mut open = Open::Nothing;
    let (mut number, mut counted) = (1, 0);
    // A marker line holds one reserved word, so no line comes twice.
    for offset in reserved(bytes) {
        let line = line_around(bytes, offset);
        number += memchr_iter(b'\n', &bytes[counted..line.start]).count();
        counted = line.start;
        let marker = Marker::read(&bytes[line.start..line.text_end], number)?;
        open = open.step(marker, line, number, &mut found)?;
    }
    match open {
        Open::Nothing => Ok(found),
        Open::Block { begun, .. } => Err(MarkerError::NoEnd {
            line: begun.number,
            edit: begun.block.edit,
        }),
    }
}

/// One marker line.
enum Marker {
    Begin(Block),
    End(EditName, Comment),
    Was,
    Now,
    WasEnd,
}

impl Marker {
    fn read(line: &[u8], number: usize) -> Result<Self, MarkerError> {
        let (comment, text) = Comment::of(&String::from_utf8_lossy(line));
        let misspelt = |why: String| MarkerError::Misspelt {
            line: number,
            found: text.chars().take(100).collect(),
            why,
        };
        match &*text {
            WAS => return Ok(Self::Was),
            NOW => return Ok(Self::Now),
            WAS_END => return Ok(Self::WasEnd),
            _ => {}
        }
        if let Some(format) = newer_format(&text) {
            return Err(MarkerError::NewerFormat {
                line: number,
                format,
            });
        }
        if let Some(rest) = text.strip_prefix(BEGIN) {
            let (name, digest) = rest
                .split_once(' ')
                .ok_or_else(|| misspelt("a begin line has a name and a digest".to_owned()))?;
            return Ok(Self::Begin(Block {
                edit: EditName::parse(name).map_err(|error| misspelt(error.to_string()))?,
                digest: Digest12::new(digest).map_err(|error| misspelt(error.to_string()))?,
                comment,
            }));
        }
        if let Some(name) = text.strip_prefix(END) {
            let edit = EditName::parse(name).map_err(|error| misspelt(error.to_string()))?;
            return Ok(Self::End(edit, comment));
        }
        Err(misspelt(format!(
            "expected `{BEGIN}…`, `{END}…`, `{WAS}`, `{NOW}` or `{WAS_END}`, from the first column on"
        )))
    }
}

/// `patchctl:begin2` and its like: the number behind the word, where it is not 1.
fn newer_format(text: &str) -> Option<u32> {
    let word = text.split_once("patchctl:")?.1;
    let word = word.split_ascii_whitespace().next()?;
    let letters = word.trim_end_matches(|c: char| c.is_ascii_digit());
    if !matches!(letters, "begin" | "end" | "was" | "now") {
        return None;
    }
    word[letters.len()..]
        .parse()
        .ok()
        .filter(|format| *format > 1)
}

/// The begin line of an open block.
struct Begun {
    block: Block,
    number: usize,
    start: usize,
    ending: Ending,
}

/// What has been read of a block, and where the next line starts.
enum Open {
    Nothing,
    Block {
        begun: Begun,
        part: Part,
        next: usize,
    },
}

#[derive(Clone, Copy)]
enum Part {
    Text,
    Was { start: usize },
    Now { was: (usize, usize) },
    Done { was: (usize, usize) },
}

impl Open {
    fn step(
        self,
        marker: Marker,
        line: Line,
        number: usize,
        found: &mut Vec<Found>,
    ) -> Result<Self, MarkerError> {
        let out_of_order = |name, expected| {
            Err(MarkerError::OutOfOrder {
                line: number,
                found: name,
                expected,
            })
        };
        let (begun, part, next) = match (self, marker) {
            (Self::Nothing, Marker::Begin(block)) => {
                let Some(ending) = line.ending else {
                    return Err(MarkerError::NoEnd {
                        line: number,
                        edit: block.edit,
                    });
                };
                return Ok(Self::Block {
                    begun: Begun {
                        block,
                        number,
                        start: line.start,
                        ending,
                    },
                    part: Part::Text,
                    next: line.end,
                });
            }
            (Self::Nothing, Marker::End(edit, _)) => {
                return Err(MarkerError::NoBegin { line: number, edit });
            }
            (Self::Nothing, Marker::Was) => return out_of_order(WAS, "a begin line before it"),
            (Self::Nothing, Marker::Now) => return out_of_order(NOW, "a begin line before it"),
            (Self::Nothing, Marker::WasEnd) => {
                return out_of_order(WAS_END, "a begin line before it");
            }
            (Self::Block { begun, .. }, Marker::Begin(inner)) => {
                return Err(MarkerError::Nested {
                    line: number,
                    inner: inner.edit,
                    outer_line: begun.number,
                    outer: begun.block.edit,
                });
            }
            (Self::Block { begun, part, next }, marker) => match (part, marker) {
                (_, Marker::End(ended, _)) if ended != begun.block.edit => {
                    return Err(MarkerError::OtherEnd {
                        line: number,
                        begun: begun.block.edit,
                        begun_line: begun.number,
                        ended,
                    });
                }
                (_, Marker::End(_, comment)) if comment != begun.block.comment => {
                    return Err(MarkerError::Misspelt {
                        line: number,
                        found: begun.block.end_line(),
                        why: "its begin line has another sign of a comment".to_owned(),
                    });
                }
                (Part::Text, Marker::End(..)) => {
                    found.push(begun.ended(line, number, Kind::Insertion));
                    return Ok(Self::Nothing);
                }
                (Part::Done { was }, Marker::End(..)) if next == line.start => {
                    let kind = Kind::Replacement { was: was.0..was.1 };
                    found.push(begun.ended(line, number, kind));
                    return Ok(Self::Nothing);
                }
                (Part::Text, Marker::Was) if next == line.start => {
                    (begun, Part::Was { start: line.end }, line.end)
                }
                (Part::Was { start }, Marker::Now) => {
                    let was = (start, line.start);
                    (begun, Part::Now { was }, line.end)
                }
                (Part::Now { was }, Marker::WasEnd) => (begun, Part::Done { was }, line.end),
                (part, marker) => return out_of_order(marker.name(), part.expects()),
            },
        };
        Ok(Self::Block { begun, part, next })
    }
}

impl Begun {
    fn ended(self, line: Line, number: usize, kind: Kind) -> Found {
        Found {
            block: self.block,
            lines: (self.number, number),
            kind,
            span: self.start..line.text_end,
            ending: self.ending,
            next: line.end,
        }
    }
}

impl Marker {
    fn name(&self) -> &'static str {
        match self {
            Self::Begin(_) => BEGIN.trim_ascii_end(),
            Self::End(..) => END.trim_ascii_end(),
            Self::Was => WAS,
            Self::Now => NOW,
            Self::WasEnd => WAS_END,
        }
    }
}

impl Part {
    fn expects(self) -> &'static str {
        match self {
            Self::Text => "the end line, or `#if 0 // patchctl:was` right behind the begin line",
            Self::Was { .. } => "`#else // patchctl:now`",
            Self::Now { .. } => "`#endif // patchctl:was`",
            Self::Done { .. } => "the end line right behind `#endif // patchctl:was`",
        }
    }
}
