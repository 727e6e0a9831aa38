//! The marker lines that fence inserted code in a patched file, so that it can be taken off again
//! from the file alone.
//!
//! An insertion is
//!
//! ```text
//! // patchctl:begin OVERLAY/HUNK.EDIT DIGEST12
//! (the text)
//! // patchctl:end OVERLAY/HUNK.EDIT
//! ```
//!
//! and a replacement keeps upstream's lines, byte for byte, between the third line and the `#else`:
//!
//! ```text
//! // patchctl:begin OVERLAY/HUNK.EDIT DIGEST12
//! #if 0 // patchctl:was
//! (upstream's lines)
//! #else // patchctl:now
//! (the new text)
//! #endif // patchctl:was
//! // patchctl:end OVERLAY/HUNK.EDIT
//! ```
//!
//! In a file whose comments begin with `#`, the markers of an insertion do so too (`# patchctl:begin …`).
//!
//! **Lines.** Everything here works on bytes. A line ends at a line feed; a carriage return right
//! before it belongs to the ending; any other carriage return is an ordinary byte. A byte-order mark
//! is no part of the first line.
//!
//! **Endings.** All lines that a block adds have one ending: that of the last line before the block's
//! end that has one, else of the first line of the file, else a line feed. The begin line shows it.
//!
//! **End of file.** A block that stands at a line start is whole lines, with an ending after its end
//! line. In a file without a last newline nothing stands at a line start behind the last line; there
//! a block's *ending comes first* and its end line has none, so the file still has no last newline.
//! From the file alone: when the last block's end line is the last of the file and has no ending, the
//! bytes of the block's own ending before its begin line (before its `#else`, for a replacement) go
//! with it, and the same then holds for a block that thereby stands last. An empty file, and one that
//! is only a byte-order mark, count as standing at a line start.
//!
//! **Reserved words.** `patchctl:` followed by an ASCII letter. They stand in marker lines and nowhere
//! else: a text, or an upstream file, that has one is refused, and a line that has one and is not
//! exactly a marker line is an error. A later format of markers writes `patchctl:begin2`.

mod error;
mod lines;
mod name;
mod scan;
mod take_off;
mod write;

pub use error::{BlockError, MarkerError};
pub use lines::Ending;
pub(crate) use lines::line_at;
pub use name::{Block, COLUMNS, Comment, Digest12, EditName, NAME_LIMIT, begin_columns};
pub use scan::{Found, Kind, has_markers, scan};
pub(crate) use scan::{NOW, WAS, WAS_END};
pub use take_off::{TakenOff, take_off};
pub use write::{Placed, arrange, insertion, replacement};
