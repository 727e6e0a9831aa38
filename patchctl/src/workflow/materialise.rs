//! `patchctl apply --materialise`: a pin's whole tree from a source, with the overlays applied.

use std::io::ErrorKind;

use camino::{Utf8Path, Utf8PathBuf};
use patchctl_apply::LockedPin;
use patchctl_apply::tree::{Mode, Options, TreeReport};
use sha2::{Digest, Sha256};

use super::locked::{Locked, PinnedFiles};
use super::{Context, WorkflowError};
use crate::report::{Code, OrError, Step};

/// A patched tree that was made, or was there already.
pub(super) struct Materialised {
    /// Where it came from.
    pub step: Step,
    /// Its files.
    pub files: TreeReport,
}

/// The folder of the cache that holds a pin's patched tree: named after the revision and the overlays'
/// digests, so that another pin or another overlay never meets what an earlier one left.
pub(super) fn cached_tree(context: &Context, pin: &LockedPin) -> Utf8PathBuf {
    let mut overlays = Sha256::new();
    for overlay in &pin.overlays {
        overlays.update(format!("{} {}\n", overlay.id, overlay.digest));
    }
    let overlays: String = overlays
        .finalize()
        .iter()
        .take(6)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let revision: String = pin.revision.chars().take(12).collect();
    context
        .cache
        .join("trees")
        .join(format!("{revision}-{overlays}"))
}

/// Makes the patched tree of `pin` at `into`, which must be empty or absent. It comes there in one piece: a
/// run that is killed leaves nothing at that place.
///
/// # Errors
/// When `into` holds something, no source has the revision, or the tree cannot be written.
pub(super) fn materialise(
    context: &Context,
    locked: &Locked,
    pin: &LockedPin,
    into: &Utf8Path,
) -> Result<Materialised, WorkflowError> {
    if !is_empty_or_absent(into)? {
        return Err(WorkflowError::usage(format!("{into} is not empty")).help(format!(
                "name a folder that is empty or not there; to patch the tree that is there: patchctl apply {into}"
            )));
    }
    let source = PinnedFiles::new(locked, context, pin);
    let found = source.found()?;
    let parent = match into.parent() {
        Some(parent) if !parent.as_str().is_empty() => parent,
        _ => Utf8Path::new("."),
    };
    let cannot_write = || format!("cannot write a tree at {into}");
    fs_err::create_dir_all(parent).or_error(Code::Io, cannot_write)?;
    let staging = tempfile::Builder::new()
        .prefix(".patchctl-")
        .tempdir_in(parent)
        .or_error(Code::Io, cannot_write)?;
    let staged = Utf8Path::from_path(staging.path())
        .ok_or(std::io::Error::from(ErrorKind::InvalidFilename))
        .or_error(Code::Io, cannot_write)?
        .join("tree");
    found.source.materialise(&found.revision, &staged)?;
    let files = patchctl_apply::tree::run(
        &locked.lock,
        pin,
        staged.as_std_path(),
        Mode::Apply,
        Options::default(),
    )?;
    // On every platform a rename wants its target out of the way; only an empty folder can be there.
    if into.exists() {
        fs_err::remove_dir(into).or_error(Code::Io, cannot_write)?;
    }
    fs_err::rename(&staged, into).or_error(Code::Io, cannot_write)?;
    let commit: String = found.revision.commit.chars().take(12).collect();
    Ok(Materialised {
        step: Step {
            name: "materialised".to_owned(),
            what: format!(
                "{} ({commit}) from {} in {into}",
                found.revision.described,
                found.source.name()
            ),
        },
        files,
    })
}

fn is_empty_or_absent(folder: &Utf8Path) -> Result<bool, WorkflowError> {
    match folder.read_dir_utf8() {
        Ok(mut entries) => Ok(entries.next().is_none()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(true),
        Err(source) => {
            Err(WorkflowError::new(Code::Io, format!("cannot look into {folder}")).because(&source))
        }
    }
}
