//! Carrying overlays onto a revision: every hunk of every overlay is looked at, even after a failure;
//! then the edits of each file go in together, from the untouched text.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};
use patchctl_apply::markers::{self, Block, BlockError, Digest12, EditName, Placed};
use patchctl_apply::{BlobId, Splice};

use crate::overlay::{EditText, Hunk, Overlay, edit_digest};

use super::commute;
use super::locate::At;
use super::order::{self, OrderProblem};
use super::select::{HunkProblem, LocatedEdit, has_landed, select};
use super::texts::Texts;

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
    /// What goes in, markers included.
    pub placed: Placed,
}

impl Landing {
    /// What goes in, in order of offset.
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

/// A file before and after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatchedFile {
    /// Its path.
    pub path: Utf8PathBuf,
    /// Upstream's blob.
    pub before: BlobId,
    /// The patched one.
    pub after: BlobId,
    /// The patched bytes.
    pub bytes: Vec<u8>,
    /// What leads from one to the other, in order of offset.
    pub splices: Vec<Splice>,
}

/// Why overlays cannot be carried; each is one or more findings.
#[derive(Debug, Clone)]
pub enum Problem<'o> {
    /// A hunk has no places.
    Hunk(&'o Overlay, &'o Hunk, HunkProblem<'o>),
    /// Upstream has taken the overlay in.
    Landed(&'o Overlay, String),
    /// Edits touch each other.
    Order(OrderProblem),
}

/// Overlays on a revision.
#[derive(Debug, Clone, Default)]
pub struct Carried<'o> {
    /// Where the edits landed, in the order of overlays, hunks and edits.
    pub landings: Vec<Landing>,
    /// Edits that upstream makes needless here (`unless`), as `overlay/hunk.edit`.
    pub needless: Vec<String>,
    /// The files that change; empty where there are problems.
    pub files: Vec<PatchedFile>,
    /// What stands in the way.
    pub problems: Vec<Problem<'o>>,
}

/// Carries `overlays`, in the order in which they are applied, onto the revision whose files are `texts`.
pub fn carry<'o>(overlays: &[&'o Overlay], texts: &Texts) -> Carried<'o> {
    let mut carried = Carried::default();
    let mut located: Vec<LocatedEdit<'o>> = Vec::new();
    for overlay in overlays.iter().copied() {
        if let Some(why) = has_landed(overlay, texts) {
            carried.problems.push(Problem::Landed(overlay, why));
            continue;
        }
        for hunk in &overlay.hunks {
            match select(overlay, hunk, texts) {
                Ok(edits) => located.extend(edits),
                Err(problem) => carried.problems.push(Problem::Hunk(overlay, hunk, problem)),
            }
        }
    }
    for edit in &located {
        if let Some(why) = already_there(edit, texts) {
            carried.problems.push(Problem::Landed(edit.overlay, why));
        }
        match land(edit, texts) {
            Ok(Some(landing)) => carried.landings.push(landing),
            Ok(None) => carried.needless.push(name_of(edit)),
            Err(problem) => carried.problems.push(problem),
        }
    }
    let order = order::check(overlays, &carried.landings);
    carried
        .problems
        .extend(order.into_iter().map(Problem::Order));
    if overlays.len() > 1 && carried.problems.is_empty() {
        let clashes = commute::check(overlays, texts);
        carried
            .problems
            .extend(clashes.into_iter().map(Problem::Order));
    }
    if carried.problems.is_empty() {
        match write(&carried.landings, texts) {
            Ok(files) => carried.files = files,
            Err(why) => carried
                .problems
                .push(Problem::Order(OrderProblem::Overlap { why })),
        }
    }
    carried
}

fn name_of(edit: &LocatedEdit<'_>) -> String {
    format!("{}/{}.{}", edit.overlay.id, edit.hunk.id, edit.edit.id)
}

/// Whether upstream already holds the code that an edit would insert: the change has landed elsewhere.
fn already_there(edit: &LocatedEdit<'_>, texts: &Texts) -> Option<String> {
    /// Fewer tokens than this (a brace, a `return`) may stand anywhere by chance.
    const TELLING: usize = 12;
    edit.place.as_ref()?;
    let EditText::Insert(text) = &edit.edit.text else {
        return None;
    };
    let tokens = crate::cpp::pattern(text).ok()?;
    let parsed = texts.parsed(&edit.edit.file)?;
    if tokens.len() < TELLING {
        return None;
    }
    let hits = parsed.find_tokens(&(0..parsed.text().len()), &tokens);
    let line = parsed.lines().number(hits.first()?.start);
    let file = &edit.edit.file;
    Some(format!(
        "the code of {} stands in {file}:{line} already",
        name_of(edit)
    ))
}

fn land<'o>(edit: &LocatedEdit<'o>, texts: &Texts) -> Result<Option<Landing>, Problem<'o>> {
    let (Some(place), Some(text)) = (&edit.place, texts.get(&edit.edit.file)) else {
        return Ok(None);
    };
    let digest = edit_digest(&edit.overlay.id, &edit.hunk.id, edit.edit);
    let key = EditKey {
        overlay: edit.overlay.id.clone(),
        hunk: edit.hunk.id.clone(),
        variant: edit.variant.name.clone(),
        edit: edit.edit.id.clone(),
        digest,
    };
    let file = edit.edit.file.clone();
    let placed = placed(&key, text.parsed.text(), &place.at, &edit.edit.text);
    // The loader refuses what a marker cannot carry; upstream's own bytes may still clash with markers.
    let placed = placed.map_err(|error| {
        let why = error.to_string();
        let problem = HunkProblem::Unwritable {
            edit: edit.edit,
            line: place.line,
            why,
        };
        Problem::Hunk(edit.overlay, edit.hunk, problem)
    })?;
    Ok(Some(Landing {
        key,
        file,
        line: place.line,
        scope: place.scope.clone(),
        preprocessor: place.preprocessor.clone(),
        shape: place.shape.0.clone(),
        placed,
    }))
}

fn placed(key: &EditKey, text: &[u8], at: &At, new: &EditText) -> Result<Placed, BlockError> {
    let block = Block {
        edit: EditName::new(&key.overlay, &key.hunk, &key.edit)?,
        digest: Digest12::first_of(&key.digest)?,
    };
    let (EditText::Insert(new) | EditText::Replace(new)) = new;
    match at {
        At::Insert(offset) => markers::insertion(text, *offset, &block, new).map(Placed::Insertion),
        At::Replace(range) => {
            markers::replacement(text, range.clone(), &block, new).map(Placed::Replacement)
        }
    }
}

/// Puts the edits of each file in. [`order::check`] has found no two that touch each other unordered, and the
/// landings come in the order in which overlays are applied.
fn write(landings: &[Landing], texts: &Texts) -> Result<Vec<PatchedFile>, String> {
    let mut by_file: BTreeMap<&Utf8Path, Vec<&Landing>> = BTreeMap::new();
    for landing in landings {
        by_file.entry(&landing.file).or_default().push(landing);
    }
    let mut files = Vec::new();
    for (path, landings) in by_file {
        let Some(text) = texts.get(path) else {
            continue;
        };
        let placed = landings
            .iter()
            .map(|landing| landing.placed.clone())
            .collect();
        let splices = markers::arrange(placed).map_err(|error| error.to_string())?;
        let bytes = patchctl_apply::splice(path.as_str(), text.parsed.text(), &splices)
            .map_err(|error| error.to_string())?;
        files.push(PatchedFile {
            path: path.to_owned(),
            before: text.id.clone(),
            after: BlobId::of(&bytes),
            bytes,
            splices,
        });
    }
    Ok(files)
}
