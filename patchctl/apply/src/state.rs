//! The state of one file of a tree, decided by its bytes.

use crate::markers::{Block, MarkerError, take_off};
use crate::{BlobId, Lock, LockedFile};

/// What a file is, measured against one pin of the lock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileState {
    /// Upstream's bytes.
    Clean,
    /// The lock's patched bytes.
    Applied,
    /// It has blocks, and they are not exactly the lock's: of another text, of an overlay that is not in the
    /// lock, or twice. Taken off, it is upstream's file.
    Stale {
        /// What its markers say.
        blocks: Vec<Block>,
    },
    /// It has markers that do not pair, so nothing can be taken off.
    Broken(MarkerError),
    /// Without its blocks it is not upstream's file.
    Foreign(Foreign),
    /// There is no such file.
    Missing,
}

/// A file that is neither upstream's nor upstream's with blocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Foreign {
    /// The lock's blob of upstream's file.
    pub expected: BlobId,
    /// The file's blob, its blocks taken off.
    pub found: BlobId,
    /// What its markers say; empty where it has none.
    pub blocks: Vec<Block>,
    /// What it is, where that is known.
    pub known: Option<Known>,
}

/// What a foreign file turns out to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Known {
    /// Upstream's file of other pins of the lock, by release.
    OfPins(Vec<String>),
    /// Upstream's file of this pin, with line ends converted (git's `core.autocrlf` does that).
    LineEnds,
}

impl FileState {
    /// One word for lists: `clean`, `applied`, `stale`, `broken`, `foreign`, `missing`.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Clean => "clean",
            Self::Applied => "applied",
            Self::Stale { .. } => "stale",
            Self::Broken(_) => "broken",
            Self::Foreign(_) => "foreign",
            Self::Missing => "missing",
        }
    }
}

/// A file's state, and upstream's bytes where it can be brought back to them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Examined {
    /// The state.
    pub state: FileState,
    /// Upstream's bytes, for `Clean` and `Stale`, and for `Applied` where the blocks come off.
    pub upstream: Option<Vec<u8>>,
}

/// Looks at `bytes`, which stand where `file` of one of the pins of `lock` belongs.
pub fn examine(lock: &Lock, file: &LockedFile, bytes: &[u8]) -> Examined {
    let blob = BlobId::of(bytes);
    let only = |state| Examined {
        state,
        upstream: None,
    };
    // Before the markers are read: what upstream's file says is no concern of ours.
    if blob == file.before {
        return Examined {
            state: if file.before == file.after {
                FileState::Applied
            } else {
                FileState::Clean
            },
            upstream: Some(bytes.to_vec()),
        };
    }
    let applied = blob == file.after;
    let off = match take_off(bytes) {
        Ok(off) => off,
        Err(_) if applied => return only(FileState::Applied),
        Err(error) => return only(FileState::Broken(error)),
    };
    let found = BlobId::of(&off.bytes);
    let blocks: Vec<Block> = off.blocks.into_iter().map(|found| found.block).collect();
    let state = match (applied, found == file.before) {
        (true, false) => return only(FileState::Applied),
        (false, false) => {
            return only(FileState::Foreign(Foreign {
                expected: file.before.clone(),
                known: known(lock, file, &off.bytes, &found),
                found,
                blocks,
            }));
        }
        (true, true) => FileState::Applied,
        (false, true) => FileState::Stale { blocks },
    };
    Examined {
        state,
        upstream: Some(off.bytes),
    }
}

pub(crate) fn known(
    lock: &Lock,
    file: &LockedFile,
    upstream: &[u8],
    blob: &BlobId,
) -> Option<Known> {
    let of_pins: Vec<String> = lock
        .pins
        .iter()
        .filter(|pin| {
            pin.files
                .iter()
                .any(|other| other.path == file.path && other.before == *blob)
        })
        .map(|pin| pin.release.clone())
        .collect();
    if !of_pins.is_empty() {
        return Some(Known::OfPins(of_pins));
    }
    let converted = [b"\n".as_slice(), b"\r\n"]
        .iter()
        .any(|ending| BlobId::of(&with_endings(upstream, ending)) == file.before);
    converted.then_some(Known::LineEnds)
}

/// `bytes` with every line ended by `ending`, but for a last line that has none.
fn with_endings(bytes: &[u8], ending: &[u8]) -> Vec<u8> {
    let mut converted = Vec::with_capacity(bytes.len() + bytes.len() / 32);
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        match line.strip_suffix(b"\n") {
            Some(text) => {
                converted.extend_from_slice(text.strip_suffix(b"\r").unwrap_or(text));
                converted.extend_from_slice(ending);
            }
            None => converted.extend_from_slice(line),
        }
    }
    converted
}
