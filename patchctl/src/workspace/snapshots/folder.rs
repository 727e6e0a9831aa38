//! The files of a snapshot folder: `OVERLAY@RELEASE.snap`, and `.snap.new` beside it while it waits for a person.

use std::io::ErrorKind;

use camino::{Utf8Path, Utf8PathBuf};
use patchctl_apply::LockedPin;

use super::front::Front;
use super::snapshot::Snapshot;
use crate::report::{Code, Error, OrError};
use crate::workspace::record::Record;
use crate::yaml::{names_below, read_below};

const ACCEPTED: &str = ".snap";
const PENDING: &str = ".snap.new";

/// Tells an accepted snapshot from one that waits for a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// `.snap`
    Accepted,
    /// `.snap.new`
    Pending,
}

/// A snapshot file. The folder may hold others: only those are ours that name an overlay of the repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filed {
    /// Relative to the root.
    pub path: Utf8PathBuf,
    /// By its name.
    pub state: State,
    /// By its name.
    pub overlay: String,
    /// By its name: a release, with what a file name cannot hold replaced.
    pub release: String,
    /// Its content, or the reason for which it is no snapshot.
    pub content: Result<(Front, Snapshot), String>,
}

impl Record for (Front, Snapshot) {
    fn to_text(&self) -> Result<String, String> {
        Ok(self.0.to_text() + &self.1.to_text())
    }

    fn read_back(_: &Utf8Path, bytes: &[u8]) -> Result<Self, String> {
        let file = String::from_utf8_lossy(bytes);
        let (front, text) = Front::split(&file).map_err(|error| error.to_string())?;
        let snapshot = Snapshot::parse(&text).map_err(|error| error.to_string())?;
        Ok((front, snapshot))
    }
}

impl Filed {
    /// The front matter and the snapshot, where the file is sound.
    pub fn sound(&self) -> Option<(&Front, &Snapshot)> {
        self.content
            .as_ref()
            .ok()
            .map(|(front, snapshot)| (front, snapshot))
    }

    /// Returns true if it was accepted and no bump has taken the review in yet.
    pub fn awaits_bump(&self) -> bool {
        self.state == State::Accepted && self.sound().is_some_and(|(front, _)| !front.is_settled())
    }

    /// Returns true if it is the snapshot of this overlay at this release.
    pub fn is_of(&self, overlay: &str, release: &str) -> bool {
        self.overlay == overlay && self.release == in_a_file_name(release)
    }

    /// Returns true if it is the snapshot of an overlay of this pin.
    pub fn is_of_pin(&self, pin: &LockedPin) -> bool {
        let mut overlays = pin.overlays.iter();
        overlays.any(|overlay| self.is_of(&overlay.id, &pin.release))
    }
}

/// The name of a snapshot's file.
pub fn file_name(overlay: &str, release: &str, state: State) -> String {
    let end = match state {
        State::Accepted => ACCEPTED,
        State::Pending => PENDING,
    };
    format!("{overlay}@{}{end}", in_a_file_name(release))
}

/// A tag may have a slash in it, and a commit is described by its tag.
fn in_a_file_name(release: &str) -> String {
    let allowed = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '+' | '_');
    release.replace(|c: char| !allowed(c), "_")
}

/// The snapshots in `folder`, relative to `root`, by name. Files that say to be of another source than `overlays`'
/// files are somebody else's. A folder that is not there holds none.
///
/// # Errors
/// When the folder cannot be listed.
pub fn filed(root: &Utf8Path, folder: &Utf8Path, overlays: &Utf8Path) -> Result<Vec<Filed>, Error> {
    let failed = || format!("cannot read the folder {folder}");
    let names = match names_below(root, folder) {
        Ok(names) => names,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        failed_to_list => failed_to_list.or_error(Code::Io, failed)?,
    };
    let mut found = Vec::new();
    for name in names {
        let (stem, state) = match (name.strip_suffix(PENDING), name.strip_suffix(ACCEPTED)) {
            (Some(stem), _) => (stem, State::Pending),
            (None, Some(stem)) => (stem, State::Accepted),
            (None, None) => continue,
        };
        let Some((overlay, release)) = stem.split_once('@') else {
            continue;
        };
        let path = folder.join(&name);
        let text = read(root, &path);
        let source = overlays.join(format!("{overlay}.yaml"));
        // Somebody else's test may have such a name; what names no source is ours where the overlay is.
        let is_ours = match text.as_ref().map(|text| Front::split(text)) {
            Ok(Ok((front, _))) => front.source == source,
            Ok(Err(_)) | Err(_) => root.join(&source).exists(),
        };
        if !is_ours {
            continue;
        }
        let content = text.and_then(|text| content(&text, overlay, release));
        found.push(Filed {
            path,
            state,
            overlay: overlay.to_owned(),
            release: release.to_owned(),
            content,
        });
    }
    found.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(found)
}

fn read(root: &Utf8Path, path: &Utf8Path) -> Result<String, String> {
    let bytes = read_below(root, path).map_err(|error| format!("it cannot be read: {error}"))?;
    String::from_utf8(bytes).map_err(|_| "it cannot be read: it is not UTF-8".to_owned())
}

fn content(file: &str, overlay: &str, release: &str) -> Result<(Front, Snapshot), String> {
    let (front, text) = Front::split(file)?;
    let snapshot = Snapshot::parse(&text)?;
    if snapshot.overlay != overlay || in_a_file_name(&snapshot.release) != release {
        return Err(format!(
            "its text is of {} on {}",
            snapshot.overlay, snapshot.release
        ));
    }
    if front.expression != format!("{} on {}", snapshot.overlay, snapshot.release) {
        return Err(format!("its heading is of {}", front.expression));
    }
    Ok((front, snapshot))
}
