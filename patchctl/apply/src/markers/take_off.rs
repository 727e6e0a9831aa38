//! Takes blocks off again, from the file alone.

use super::{Found, Kind, MarkerError, scan};

/// A file without its blocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TakenOff {
    /// Upstream's bytes.
    pub bytes: Vec<u8>,
    /// What was taken off, in the order of the file; empty where there was nothing.
    pub blocks: Vec<Found>,
}

/// Removes every block from `bytes`. For a file that [`insertion`](super::insertion) and
/// [`replacement`](super::replacement) made, the result is upstream's file, byte for byte. Fails on markers that [`scan`] refuses.
pub fn take_off(bytes: &[u8]) -> Result<TakenOff, MarkerError> {
    let blocks = scan(bytes)?;
    let mut kept: Vec<&[u8]> = Vec::new();
    let mut end = bytes.len();
    // A block in a file without a last newline is known by standing last without an ending. Its own
    // ending stands before it, so the block before it may be such a one too: hence from the end.
    for found in blocks.iter().rev() {
        let tail = found.span.end == end;
        if !tail && found.next > end {
            return Err(cut(found));
        }
        let behind = if tail { end } else { found.next };
        kept.push(&bytes[behind..end]);
        let own_ending = if tail { found.ending.as_str().len() } else { 0 };
        match &found.kind {
            Kind::Insertion => {
                end = before(bytes, found, found.span.start, own_ending)?;
            }
            Kind::Replacement { was } => {
                let was_end = before(bytes, found, was.end, own_ending)?;
                if was_end < was.start {
                    return Err(cut(found));
                }
                kept.push(&bytes[was.start..was_end]);
                end = found.span.start;
            }
        }
    }
    kept.push(&bytes[..end]);
    kept.reverse();
    Ok(TakenOff {
        bytes: kept.concat(),
        blocks,
    })
}

/// `at` without the `length` bytes of the block's ending that must stand before it.
fn before(bytes: &[u8], found: &Found, at: usize, length: usize) -> Result<usize, MarkerError> {
    let ending = &found.ending.as_str()[..length];
    if bytes[..at].ends_with(ending.as_bytes()) {
        Ok(at - length)
    } else {
        Err(cut(found))
    }
}

fn cut(found: &Found) -> MarkerError {
    MarkerError::Cut {
        line: found.lines.0,
        edit: found.block.edit.clone(),
    }
}
