//! Which bytes of a tree are ours: written by an earlier `apply`, and not changed since.

use std::collections::HashSet;

use super::TreeRecord;
use crate::markers::{Block, Found, Kind, has_markers, scan, take_off};
use crate::state::{Examined, examine, known};
use crate::{BlobId, FileState, Foreign, Lock, LockedFile, Splice};

/// Lines inside a block that taking it off would lose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LostBlock {
    /// What its markers say.
    pub block: Block,
    /// The 1-based line of its begin line.
    pub line: usize,
    /// The block as it stands, its marker lines included. Bytes that are no UTF-8 are replaced.
    pub text: String,
    /// Set where neither the lock nor the tree's record knows the overlay, so that somebody else wrote the block.
    /// Else a block of ours was changed.
    pub foreign: bool,
}

/// A file's state, upstream's bytes where it can be brought back to them, and what that would lose.
#[derive(Debug)]
pub(super) struct Looked {
    pub state: FileState,
    pub upstream: Option<Vec<u8>>,
    pub lost: Vec<LostBlock>,
}

impl From<Examined> for Looked {
    fn from(examined: Examined) -> Self {
        Self {
            state: examined.state,
            upstream: examined.upstream,
            lost: Vec::new(),
        }
    }
}

/// A file that the lock or the record names and the pin does not.
#[derive(Debug)]
pub(super) enum Unlisted {
    /// Nothing of ours is in it.
    Free,
    /// Blocks that are not ours. They stay.
    Foreign(Vec<Block>),
    /// It has blocks of ours.
    Ours(Looked),
}

/// What was ever written in a tree, as far as its record and the lock tell.
pub(super) struct Ours<'a> {
    lock: &'a Lock,
    record: Option<&'a TreeRecord>,
    overlays: HashSet<&'a str>,
}

impl<'a> Ours<'a> {
    pub(super) fn new(lock: &'a Lock, record: Option<&'a TreeRecord>) -> Self {
        let pins = lock.pins.iter();
        let listed = pins.flat_map(|pin| &pin.overlays);
        let listed = listed.chain(record.iter().flat_map(|record| &record.overlays));
        let files = lock.pins.iter().flat_map(|pin| &pin.files);
        let recorded = record.iter().flat_map(|record| &record.files);
        let splices = files.flat_map(|file| &file.splices);
        let splices = splices.chain(recorded.flat_map(|file| file.inverse.iter().flatten()));
        let named = splices.filter_map(|splice| splice.edit.split_once('/'));
        let listed = listed.map(|overlay| overlay.id.as_str());
        Self {
            lock,
            record,
            overlays: listed.chain(named.map(|(overlay, _)| overlay)).collect(),
        }
    }

    /// Looks at a file of the pin.
    pub(super) fn listed(&self, file: &LockedFile, bytes: &[u8]) -> Looked {
        let blob = BlobId::of(bytes);
        let restored = self.restored(&file.path, bytes);
        let Some((before, upstream)) = restored.filter(|_| blob != file.before) else {
            let mut looked = Looked::from(examine(self.lock, file, bytes));
            if matches!(looked.state, FileState::Stale { .. }) {
                looked.lost = self.lost(&file.path, bytes);
            }
            return looked;
        };
        let state = if before != file.before {
            FileState::Foreign(Foreign {
                expected: file.before.clone(),
                known: known(self.lock, file, &upstream, &before),
                found: before,
                blocks: blocks(bytes),
            })
        } else if blob == file.after {
            FileState::Applied
        } else {
            FileState::Stale {
                blocks: blocks(bytes),
            }
        };
        let upstream = (!matches!(state, FileState::Foreign(_))).then_some(upstream);
        Looked {
            state,
            upstream,
            lost: Vec::new(),
        }
    }

    /// Looks at a file that another pin of the lock names, or the record.
    pub(super) fn unlisted(&self, path: &str, bytes: &[u8]) -> Unlisted {
        if let Some((_, upstream)) = self.restored(path, bytes) {
            return Unlisted::Ours(Looked {
                state: FileState::Stale {
                    blocks: blocks(bytes),
                },
                upstream: Some(upstream),
                lost: Vec::new(),
            });
        }
        let blob = BlobId::of(bytes);
        if self.is_recorded(path, &blob) {
            // As it was written, but the record's splices do not lead back. The markers may.
            let off = take_off(bytes).ok().map(|off| off.bytes);
            return Unlisted::Ours(Looked {
                state: FileState::Applied,
                upstream: off.filter(|off| {
                    let found = BlobId::of(off);
                    self.befores(path).any(|before| *before == found)
                }),
                lost: Vec::new(),
            });
        }
        if !has_markers(bytes) || self.befores(path).any(|before| *before == blob) {
            return Unlisted::Free;
        }
        let off = match take_off(bytes) {
            Ok(off) => off,
            Err(error) => {
                return Unlisted::Ours(Looked {
                    state: FileState::Broken(error),
                    upstream: None,
                    lost: Vec::new(),
                });
            }
        };
        let found = BlobId::of(&off.bytes);
        let lost = self.lost(path, bytes);
        let blocks: Vec<Block> = off.blocks.into_iter().map(|found| found.block).collect();
        // Without a record nothing says which of upstream's files this was.
        let only_ours = lost.is_empty() && self.recorded_before(path).is_none();
        if only_ours || self.befores(path).any(|before| *before == found) {
            return Unlisted::Ours(Looked {
                state: FileState::Stale { blocks },
                upstream: Some(off.bytes),
                lost,
            });
        }
        match self.recorded_before(path) {
            // Something outside of the blocks was changed, too.
            Some(expected) => Unlisted::Ours(Looked {
                state: FileState::Foreign(Foreign {
                    expected: expected.clone(),
                    found,
                    blocks,
                    known: None,
                }),
                upstream: None,
                lost,
            }),
            None => Unlisted::Foreign(blocks),
        }
    }

    /// Upstream's bytes and their blob, where the record says that exactly `bytes` were written at `path`.
    pub(super) fn restored(&self, path: &str, bytes: &[u8]) -> Option<(BlobId, Vec<u8>)> {
        let mut files = self.record?.of_path(path);
        files.find_map(|file| Some((file.before.clone(), file.restore(bytes)?)))
    }

    /// Returns true if the record says that `blob` was written at `path`.
    pub(super) fn is_recorded(&self, path: &str, blob: &BlobId) -> bool {
        self.record
            .is_some_and(|record| record.of_path(path).any(|file| file.after == *blob))
    }

    /// Upstream's blob of a file that the record names.
    pub(super) fn recorded_before(&self, path: &str) -> Option<&BlobId> {
        let mut files = self.record?.of_path(path);
        files.next().map(|file| &file.before)
    }

    /// Every blob of upstream that the record or the lock knows at `path`.
    pub(super) fn befores(&self, path: &str) -> impl Iterator<Item = &BlobId> {
        let recorded = self.record.into_iter().flat_map(move |record| {
            let files = record.files.iter();
            files.filter(move |file| file.path == path)
        });
        let locked = self.locked_files();
        recorded.map(|file| &file.before).chain(
            locked
                .filter(move |file| file.path == path)
                .map(|file| &file.before),
        )
    }

    fn locked_files(&self) -> impl Iterator<Item = &'a LockedFile> {
        self.lock.pins.iter().flat_map(|pin| &pin.files)
    }

    /// The blocks of `bytes` that may hold what somebody else wrote.
    ///
    /// A block with exactly a locked text is ours. One with the marker of a locked text and other lines was
    /// changed. Of the rest, those in a file of the record were changed too, since the file is not what was written;
    /// elsewhere an older lock may have written those of an overlay that the lock knows.
    fn lost(&self, path: &str, bytes: &[u8]) -> Vec<LostBlock> {
        let recorded = self.recorded_before(path).is_some();
        let mut lost = Vec::new();
        for found in scan(bytes).unwrap_or_default() {
            let texts = self.locked_texts(&found.block);
            let exact = texts.iter().any(|text| is_text(bytes, &found, text));
            let known = self.overlays.contains(found.block.edit.overlay());
            let older = texts.is_empty() && !recorded && known;
            if !exact && !older {
                lost.push(LostBlock {
                    line: found.lines.0,
                    text: String::from_utf8_lossy(&bytes[found.span.clone()]).into_owned(),
                    foreign: !known,
                    block: found.block,
                });
            }
        }
        lost
    }

    /// The splices with the marker of `block`, those of each file of each pin together.
    fn locked_texts(&self, block: &Block) -> Vec<Vec<&'a Splice>> {
        let begin = block.begin_line();
        let mut texts = Vec::new();
        for file in self.locked_files() {
            let edit = block.edit.as_str();
            let splices: Vec<&Splice> = file.splices.iter().filter(|it| it.edit == edit).collect();
            let marked = splices.first().is_some_and(|first| {
                let text = first.text.trim_start_matches(['\r', '\n']);
                text.lines().next() == Some(begin.as_str())
            });
            if marked {
                texts.push(splices);
            }
        }
        texts
    }
}

/// Returns true if the block has the text of `splices`, its line ends aside.
fn is_text(bytes: &[u8], found: &Found, splices: &[&Splice]) -> bool {
    let parts = match &found.kind {
        Kind::Insertion => vec![found.span.clone()],
        Kind::Replacement { was } => {
            vec![found.span.start..was.start, was.end..found.span.end]
        }
    };
    parts.len() == splices.len()
        && parts.into_iter().zip(splices).all(|(part, splice)| {
            let there = bytes[part].trim_ascii();
            there == splice.text.as_bytes().trim_ascii()
        })
}

fn blocks(bytes: &[u8]) -> Vec<Block> {
    let found = scan(bytes).unwrap_or_default();
    found.into_iter().map(|found| found.block).collect()
}
