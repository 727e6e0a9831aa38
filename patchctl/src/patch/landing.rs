//! Landings: located edits with the text that goes in, markers included.

use camino::Utf8PathBuf;
use patchctl_apply::Splice;
use patchctl_apply::markers::{self, Block, BlockError, Digest12, EditName, Placed};

use crate::overlay::{EditText, edit_digest};

use super::locate::{At, Location};
use super::select::LocatedEdit;

/// An edit, as the landing proof remembers it: another variant or text is another edit.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EditKey {
    /// The overlay's id.
    pub overlay: String,
    /// The hunk's.
    pub hunk: String,
    /// The variant's name.
    pub variant: String,
    /// The edit's id.
    pub edit: String,
    /// The edit's digest, hex.
    pub digest: String,
}

impl EditKey {
    /// `overlay/hunk.edit`, as markers and the lock have it.
    pub fn name(&self) -> String {
        format!("{}/{}.{}", self.overlay, self.hunk, self.edit)
    }

    /// `overlay/hunk`, as the command line has it.
    pub fn hunk_name(&self) -> String {
        format!("{}/{}", self.overlay, self.hunk)
    }
}

/// Where an edit landed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Landing {
    /// Which edit.
    pub key: EditKey,
    /// The file.
    pub file: Utf8PathBuf,
    /// 1-based line of what its anchor names, in upstream's text.
    pub line: usize,
    /// Its scope, for a reader.
    pub scope: String,
    /// The `#if` conditions around it.
    pub preprocessor: Vec<String>,
    /// Fingerprint of what its anchor names, 16 hex digits.
    pub shape: String,
    /// The text that goes in, markers included.
    pub placed: Placed,
}

impl Landing {
    /// The pieces of text that go in, in order of offset.
    pub fn splices(&self) -> &[Splice] {
        match &self.placed {
            Placed::Insertion(splice) => std::slice::from_ref(splice),
            Placed::Replacement(splices) => splices,
        }
    }

    /// Bytes of the upstream lines that it takes the place of (they stay in the file under `#if 0`).
    pub fn replaced(&self) -> Option<std::ops::Range<usize>> {
        match &self.placed {
            Placed::Insertion(_) => None,
            Placed::Replacement([before, after]) => {
                Some(before.offset as usize..after.offset as usize)
            }
        }
    }
}

impl LocatedEdit<'_> {
    /// The edit as the landing proof remembers it.
    pub(super) fn key(&self) -> EditKey {
        EditKey {
            overlay: self.overlay.id.clone(),
            hunk: self.hunk.id.clone(),
            variant: self.variant.name.clone(),
            edit: self.edit.id.clone(),
            digest: edit_digest(&self.overlay.id, &self.hunk.id, self.edit),
        }
    }
}

/// Makes the landing of an edit at `location` of `text`.
///
/// # Errors
/// When a marker cannot be written there. The loader refuses what a marker cannot carry; upstream's own bytes may still
/// clash with markers.
pub(super) fn land(
    edit: &LocatedEdit<'_>,
    location: &Location,
    text: &[u8],
) -> Result<Landing, BlockError> {
    let key = edit.key();
    let block = Block {
        edit: EditName::new(&key.overlay, &key.hunk, &key.edit)?,
        digest: Digest12::first_of(&key.digest)?,
        comment: edit.overlay.reading(&edit.edit.file).dialect.comment(),
    };
    let (EditText::Insert(new) | EditText::Replace(new)) = &edit.edit.text;
    let placed = match &location.at {
        At::Insert(at) => Placed::Insertion(markers::insertion(text, *at, &block, new)?),
        At::Replace(lines) => {
            Placed::Replacement(markers::replacement(text, lines.clone(), &block, new)?)
        }
    };
    Ok(Landing {
        placed,
        key,
        file: edit.edit.file.clone(),
        line: location.line,
        scope: location.scope.clone(),
        preprocessor: location.preprocessor.clone(),
        shape: location.shape.clone(),
    })
}
