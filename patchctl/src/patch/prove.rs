//! The landing proof: a located edit is accepted when a person has reviewed its shape, or when
//! the second locator puts it at the same byte; a second locator that puts it elsewhere is never ignored.

use std::collections::HashMap;

use patchctl_apply::Splice;

use super::landing::{EditKey, Landing};
use super::merge_locator::{merge, offsets};
use super::texts::Texts;
use crate::cpp::Parsed;

/// A revision on which edits were accepted, with its bytes: where a merge can start from.
#[derive(Clone, Default)]
pub struct Base {
    /// The revision, for a reader.
    pub described: String,
    /// Its files.
    pub texts: Texts,
    /// The accepted edits, and what went in.
    pub accepted: HashMap<EditKey, Vec<Splice>>,
}

/// The proof of an edit's landing, or its absence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Its shape stands in `reviewed.yaml`, and no merge contradicts.
    Reviewed,
    /// The lock holds this landing on these very bytes: it was accepted when the pin was locked.
    Locked,
    /// A merge from this revision puts it at the same byte.
    Merged(String),
    /// Nobody has reviewed this shape, and no merge proves it.
    UnknownShape {
        /// The reason why no merge proves it.
        why: String,
    },
    /// The merge puts it elsewhere.
    Disagree {
        /// The revision merged from.
        base: String,
        /// Byte offset where the merge puts it.
        elsewhere: usize,
    },
}

impl Verdict {
    /// Returns true if the edit may be written.
    pub fn is_accepted(&self) -> bool {
        matches!(self, Self::Reviewed | Self::Locked | Self::Merged(_))
    }
}

/// Judges one landing. `known` is the verdict that was recorded before: reviewed, locked or none. `bases` come nearest first;
/// the first that has this edit in the same variant counts.
pub fn judge(landing: &Landing, text: &Parsed, known: Option<Verdict>, bases: &[&Base]) -> Verdict {
    if known == Some(Verdict::Locked) {
        // It was judged when it was locked, and these are the same bytes.
        return Verdict::Locked;
    }
    let base = bases.iter().find_map(|base| {
        let from = base.texts.get(&landing.file)?;
        Some((base, from, base.accepted.get(&landing.key)?))
    });
    let Some((base, from, pieces)) = base else {
        let why = "no accepted revision with this edit in this variant is at hand";
        return known.unwrap_or(Verdict::UnknownShape {
            why: why.to_owned(),
        });
    };
    let mine = offsets(landing.splices());
    let described = &base.described;
    let why = match merge(from.parsed.text(), pieces, text.text()) {
        Ok(Some(theirs)) if theirs == mine => {
            return known.unwrap_or_else(|| Verdict::Merged(described.clone()));
        }
        Ok(Some(theirs)) => {
            return Verdict::Disagree {
                base: described.clone(),
                elsewhere: theirs.first().copied().unwrap_or_default(),
            };
        }
        Ok(None) => {
            format!("a three-way merge from {described} conflicts, which proves nothing")
        }
        Err(error) => format!(
            "no three-way merge from {described} could be made: {}",
            error.message()
        ),
    };
    known.unwrap_or(Verdict::UnknownShape { why })
}
