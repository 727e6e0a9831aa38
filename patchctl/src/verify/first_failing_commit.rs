//! Which upstream commit took a hunk's place away, or changed it: the first one between the last accepted
//! revision and the new one on which the hunk no longer lands as it did.

use std::sync::Arc;

use crate::cpp::Parsed;
use crate::overlay::{Hunk, Overlay};
use crate::patch::{Carried, Texts, carry, macros, paths};
use crate::upstream::{Source, TouchingCommit};

/// Commits looked at, at the most: about four milliseconds each.
const MOST: usize = 500;

/// Finds the commit: the first on which `as_before` does not hold of the hunk, carried alone. `None` where there is no history between the two, or no one commit did it.
pub(super) fn find(
    source: &dyn Source,
    overlay: &Overlay,
    hunk: &Hunk,
    from: &str,
    to: &str,
    as_before: &dyn Fn(&Carried<'_>) -> bool,
) -> Option<TouchingCommit> {
    let history = source.history()?;
    let mut alone = overlay.clone();
    alone.hunks = vec![hunk.clone()];
    alone.landed.clear();
    let mut commits: Vec<TouchingCommit> = Vec::new();
    for path in paths(std::slice::from_ref(&alone)) {
        commits.extend(history.touching(from, to, &path).ok()?);
    }
    if commits.len() > MOST {
        return None;
    }
    commits
        .into_iter()
        .find(|commit| !lands(source, &alone, &commit.commit, as_before))
}

fn lands(
    source: &dyn Source,
    overlay: &Overlay,
    commit: &str,
    as_before: &dyn Fn(&Carried<'_>) -> bool,
) -> bool {
    let one = std::slice::from_ref(overlay);
    let Some(at) = source.history().and_then(|history| history.at(commit).ok()) else {
        return true;
    };
    let mut texts = Texts::default();
    for path in paths(one) {
        if let Ok(Some(blob)) = source.read(&at, &path) {
            let parsed = Arc::new(Parsed::new(&blob.bytes, &macros(one)));
            texts.insert(path, blob.id, parsed);
        }
    }
    as_before(&carry(&[overlay], &texts))
}
