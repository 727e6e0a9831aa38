//! `patchctl apply --materialise`: a pin's whole tree from a source, with the overlays applied.

use camino::{Utf8Path, Utf8PathBuf};
use patchctl_apply::LockedPin;
use patchctl_apply::tree::{Mode, Options, TreeReport};

use super::locked::{Locked, PinnedFiles};
use super::{Context, WorkflowError};
use crate::report::{Code, OrError, Step};
use crate::store::{folder, sha256_hex};
use crate::upstream::Found;

/// The kind of the cache's entries that are patched trees.
const TREES: &str = "trees";

/// A patched tree that was made.
pub(super) struct Materialised {
    /// The step that names its source.
    pub step: Step,
    /// Its files.
    pub files: TreeReport,
}

/// The name of a pin's patched tree: the revision and a digest of all that the lock says of it, so that another pin, another
/// overlay or another lock never meets what an earlier one left.
pub(super) fn tree_key(pin: &LockedPin) -> String {
    let mut made_of = format!(
        "{} {}\n",
        pin.revision,
        pin.tree.as_deref().unwrap_or_default()
    );
    for overlay in &pin.overlays {
        made_of.push_str(&format!("{} {}\n", overlay.id, overlay.digest));
    }
    for file in &pin.files {
        made_of.push_str(&format!("{} {}\n", file.path, file.after.as_str()));
    }
    let revision: String = pin.revision.chars().take(12).collect();
    format!("{revision}-{}", &sha256_hex(made_of.as_bytes())[..12])
}

/// The cache's patched tree of `pin`, which is made where it is missing or damaged; then with what was made.
///
/// # Errors
/// When no source has the revision, or the tree cannot be written.
pub(super) fn cached_tree(
    context: &Context,
    locked: &Locked,
    pin: &LockedPin,
) -> Result<(Utf8PathBuf, Option<Materialised>), WorkflowError> {
    let mut made = None;
    let key = tree_key(pin);
    let store = context.store();
    let path = store.entry(TREES, &key, |into| {
        let source = PinnedFiles::new(locked, context, pin);
        let found = source.found()?;
        made = Some((found.clone(), patched_tree(locked, pin, found, into)?));
        Ok::<_, WorkflowError>(())
    })?;
    let made = made.map(|(found, files)| Materialised {
        step: step(&found, &path),
        files,
    });
    Ok((path, made))
}

/// Makes the patched tree of `pin` at `into`, which must be empty or absent. It comes there in one piece: a
/// run that is killed leaves nothing at that place.
///
/// # Errors
/// When `into` holds something else, no source has the revision, or the tree cannot be written.
pub(super) fn materialise(
    context: &Context,
    locked: &Locked,
    pin: &LockedPin,
    into: &Utf8Path,
) -> Result<Materialised, WorkflowError> {
    let failed = || format!("cannot look into {into}");
    if !folder::is_empty_or_absent(into).or_error(Code::Io, failed)? {
        return Err(not_empty(into));
    }
    let source = PinnedFiles::new(locked, context, pin);
    let found = source.found()?;
    let store = context.store();
    let made = store.folder_at(into, |staged| patched_tree(locked, pin, found, staged))?;
    let files = match made {
        Some(files) => files,
        // Another process was quicker. What it made must be what this one would have made.
        None => {
            let mut files = None;
            let own = store.kept(TREES, None, |staged| {
                files = Some(patched_tree(locked, pin, found, staged)?);
                Ok::<_, WorkflowError>(())
            })?;
            match files {
                Some(files) if folder::tree_id(&own.path) == folder::tree_id(into) => files,
                _ => return Err(not_empty(into)),
            }
        }
    };
    Ok(Materialised {
        step: step(found, into),
        files,
    })
}

/// Writes the patched tree at `into`, which is absent.
pub(super) fn patched_tree(
    locked: &Locked,
    pin: &LockedPin,
    found: &Found,
    into: &Utf8Path,
) -> Result<TreeReport, WorkflowError> {
    found.source.materialise(&found.revision, into)?;
    Ok(patchctl_apply::tree::run(
        &locked.lock,
        pin,
        into.as_std_path(),
        Mode::Apply,
        Options::default(),
    )?)
}

fn not_empty(into: &Utf8Path) -> WorkflowError {
    WorkflowError::usage(format!("{into} is not empty")).help(format!(
        "name a folder that is empty or not there; to patch the tree that is there: patchctl apply {into}"
    ))
}

fn step(found: &Found, into: &Utf8Path) -> Step {
    let commit: String = found.revision.commit.chars().take(12).collect();
    Step {
        name: "materialised".to_owned(),
        what: format!(
            "{} ({commit}) from {} in {into}",
            found.revision.described,
            found.source.name()
        ),
    }
}
