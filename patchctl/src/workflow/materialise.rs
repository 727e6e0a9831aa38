//! `patchctl apply --materialise`: a pin's whole tree from a source, with the overlays applied.

use camino::{Utf8Path, Utf8PathBuf};
use patchctl_apply::LockedPin;
use patchctl_apply::tree::{Mode, Options, TreeReport};

use super::workspace::Workspace;
use crate::report::{Code, Error, OrError, Step, short};
use crate::store::{folder, sha256_hex};
use crate::upstream::Found;

/// The kind of the cache's entries that are patched trees.
const TREES: &str = "trees";

/// The step that names the source of a patched tree, and its files.
pub(super) type Materialised = (Step, TreeReport);

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
    let digest = sha256_hex(made_of.as_bytes());
    format!("{}-{}", short(&pin.revision), short(&digest))
}

/// The cache's patched tree of `pin`, which is made where it is missing or damaged; then with what was made.
///
/// # Errors
/// When no source has the revision, or the tree cannot be written.
pub(super) fn cached_tree(
    workspace: &Workspace<'_>,
    pin: &LockedPin,
) -> Result<(Utf8PathBuf, Option<Materialised>), Error> {
    let mut made = None;
    let store = workspace.context.store();
    let path = store.entry(TREES, &tree_key(pin), |into| {
        let found = workspace.found(pin)?;
        let files = patched_tree(workspace, pin, &found, into)?;
        made = Some((found, files));
        Ok::<_, Error>(())
    })?;
    let made = made.map(|(found, files)| (step(&found, &path), files));
    Ok((path, made))
}

/// Makes the patched tree of `pin` at `into`, which must be empty or absent. It comes there in one piece: a
/// run that is killed leaves nothing at that place.
///
/// # Errors
/// When `into` holds something else, no source has the revision, or the tree cannot be written.
pub(super) fn materialise(
    workspace: &Workspace<'_>,
    pin: &LockedPin,
    into: &Utf8Path,
) -> Result<Materialised, Error> {
    let failed = || format!("cannot look into {into}");
    if !folder::is_empty_or_absent(into).or_error(Code::Io, failed)? {
        return Err(not_empty(into));
    }
    let found = workspace.found(pin)?;
    let store = workspace.context.store();
    let made = store.folder_at(into, |staged| patched_tree(workspace, pin, &found, staged))?;
    let files = match made {
        Some(files) => files,
        // Another process was quicker. What it made must be what this one would have made.
        None => {
            let mut files = None;
            let own = store.kept(TREES, None, |staged| {
                files = Some(patched_tree(workspace, pin, &found, staged)?);
                Ok::<_, Error>(())
            })?;
            match files {
                Some(files) if folder::same_tree(&own.path, into) => files,
                _ => return Err(not_empty(into)),
            }
        }
    };
    Ok((step(&found, into), files))
}

/// Writes the patched tree at `into`, which is absent.
pub(super) fn patched_tree(
    workspace: &Workspace<'_>,
    pin: &LockedPin,
    found: &Found,
    into: &Utf8Path,
) -> Result<TreeReport, Error> {
    found.source.materialise(&found.revision, into)?;
    Ok(patchctl_apply::tree::run(
        &workspace.lock,
        pin,
        into.as_std_path(),
        Mode::Apply,
        Options::default(),
    )?)
}

fn not_empty(into: &Utf8Path) -> Error {
    Error::usage(format!("{into} is not empty")).help(format!(
        "name a folder that is empty or not there; to patch the tree that is there: patchctl apply {into}"
    ))
}

fn step(found: &Found, into: &Utf8Path) -> Step {
    Step {
        name: "materialised".to_owned(),
        what: format!(
            "{} ({}) from {} in {into}",
            found.revision.described,
            short(&found.revision.commit),
            found.source.name()
        ),
    }
}
