//! The content of a snapshot: the place at which each edit of an overlay landed in one revision, and the lines that it
//! adds or removes.

use camino::Utf8PathBuf;
use patchctl_apply::Splice;
use sha2::{Digest, Sha256};

use crate::overlay::Overlay;
use crate::patch::{EditKey, Landing, PatchedFile};
use crate::report::visible;

/// Hex digits of a snapshot's digest.
const DIGITS: usize = 24;

/// The diff that an overlay makes in one revision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// The overlay's name.
    pub overlay: String,
    /// The release, or the commit as git describes it.
    pub release: String,
    /// The commit, 40 hex digits.
    pub commit: String,
    /// The edits, in the overlay's order.
    pub parts: Vec<Part>,
}

/// One edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// The hunk's id.
    pub hunk: String,
    /// The edit's id.
    pub edit: String,
    /// The place of the edit; none where upstream has the code that it would insert (`unless`).
    pub place: Option<Location>,
}

/// The place at which an edit landed, and its lines there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    /// The variant's name.
    pub variant: String,
    /// Upstream's file.
    pub file: Utf8PathBuf,
    /// The scope, for a reader.
    pub scope: String,
    /// The `#if` conditions around it, outermost first.
    pub preprocessor: Vec<String>,
    /// 1-based line of upstream's text above which it goes in.
    pub line: u64,
    /// Fingerprint of what its anchor names.
    pub shape: String,
    /// The edit's digest, SHA-256.
    pub digest: String,
    /// The lines, in order.
    pub lines: Vec<Line>,
    /// True if upstream's file ends behind them.
    pub end_of_file: bool,
}

/// A line of the diff as it is shown: with its end visible, and without what could move a cursor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    /// Goes in.
    Added(String),
    /// Upstream's, and no longer compiled.
    Removed(String),
}

impl Snapshot {
    /// The snapshot of an overlay whose edits landed as `landings` say and gave `files`; those of other overlays
    /// are left alone.
    pub fn of(
        overlay: &Overlay,
        (release, commit): (&str, &str),
        landings: &[&Landing],
        files: &[PatchedFile],
    ) -> Self {
        let mut parts = Vec::new();
        for hunk in &overlay.hunks {
            let mine = |it: &&&Landing| it.key.overlay == overlay.id && it.key.hunk == hunk.id;
            let landed: Vec<&Landing> = landings.iter().filter(mine).copied().collect();
            let variant = landed.first().map(|it| it.key.variant.as_str());
            let variants = hunk.variants.iter();
            // Where nothing of a hunk landed, any of its variants names the edits.
            let variant = variants
                .clone()
                .find(|it| variant.is_none_or(|name| it.name == name));
            for edit in variant.iter().flat_map(|variant| &variant.edits) {
                let landing = landed.iter().find(|it| it.key.edit == edit.id);
                parts.push(Part {
                    hunk: hunk.id.clone(),
                    edit: edit.id.clone(),
                    place: landing.map(|landing| Location::of(landing, files)),
                });
            }
        }
        Self {
            overlay: overlay.id.clone(),
            release: release.to_owned(),
            commit: commit.to_owned(),
            parts,
        }
    }

    /// Digest of all but the release, the commit and the line numbers: where two snapshots have the same, the
    /// overlay does the same thing at the same code.
    pub fn digest(&self) -> String {
        let mut digits = patchctl_apply::hex(&Sha256::digest(self.without_numbers()));
        digits.truncate(DIGITS);
        digits
    }

    /// The upstream lines that the overlay takes away, with their file and edit.
    pub fn removed(&self) -> impl Iterator<Item = (&Part, &str)> {
        self.parts.iter().flat_map(|part| {
            let lines = part.place.iter().flat_map(|place| &place.lines);
            lines.filter_map(move |line| match line {
                Line::Removed(text) => Some((part, text.as_str())),
                Line::Added(_) => None,
            })
        })
    }

    /// The part of an edit, `hunk.edit`.
    pub fn part(&self, name: &str) -> Option<&Part> {
        self.parts.iter().find(|part| part.name() == name)
    }
}

impl Part {
    /// `hunk.edit`.
    pub fn name(&self) -> String {
        format!("{}.{}", self.hunk, self.edit)
    }

    /// The edit as the landing proof knows it; none where it is not needed.
    pub fn key(&self, overlay: &str) -> Option<EditKey> {
        let place = self.place.as_ref()?;
        Some(EditKey {
            overlay: overlay.to_owned(),
            hunk: self.hunk.clone(),
            variant: place.variant.clone(),
            edit: self.edit.clone(),
            digest: place.digest.clone(),
        })
    }
}

impl Location {
    fn of(landing: &Landing, files: &[PatchedFile]) -> Self {
        let name = landing.key.name();
        let (lines, line, end_of_file) = files
            .iter()
            .find(|file| file.path == landing.file)
            .map(|file| lines_of(&name, file))
            .unwrap_or_default();
        Self {
            variant: landing.key.variant.clone(),
            file: landing.file.clone(),
            scope: one_line(&landing.scope),
            preprocessor: landing.preprocessor.iter().map(|it| one_line(it)).collect(),
            line,
            shape: landing.shape.clone(),
            digest: landing.key.digest.clone(),
            lines,
            end_of_file,
        }
    }
}

/// The lines of the edit `name` in a patched file, the upstream line above which they go in, and whether the file
/// ends behind them.
fn lines_of(name: &str, file: &PatchedFile) -> (Vec<Line>, u64, bool) {
    let mut lines = Vec::new();
    let mut first = None;
    let mut moved = 0;
    // Where the edit's last piece ends in the patched bytes: what lies up to its next one is upstream's.
    let mut behind = None;
    for splice in &file.splices {
        let start = splice.offset as usize + moved;
        let end = start + splice.text.len();
        moved += splice.text.len();
        if splice.edit != name {
            continue;
        }
        if let Some(behind) = behind {
            let removed = file.bytes.get(behind..start).unwrap_or_default();
            lines.extend(shown(&String::from_utf8_lossy(removed)).map(Line::Removed));
        }
        lines.extend(added(splice));
        first.get_or_insert(splice.line);
        behind = Some(end);
    }
    let end_of_file = behind == Some(file.bytes.len());
    (lines, first.unwrap_or_default(), end_of_file)
}

/// The lines of a splice, as a snapshot shows them.
pub(super) fn added(splice: &Splice) -> impl Iterator<Item = Line> {
    shown(&splice.text)
        .map(Line::Added)
        .collect::<Vec<_>>()
        .into_iter()
}

/// Each line with its end made visible.
fn shown(text: &str) -> impl Iterator<Item = String> {
    text.split_inclusive('\n').map(|line| {
        let (line, end) = match line.strip_suffix('\n') {
            None => (line, ""),
            Some(line) => match line.strip_suffix('\r') {
                Some(line) => (line, "␍␊"),
                None => (line, "␊"),
            },
        };
        format!("{}{end}", visible(line).replace('\n', "\\n"))
    })
}

/// Words of upstream on one line.
fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    visible(&words.join(" ")).into_owned()
}
