//! Which upstream commit took a hunk's place away: the first one between the last accepted revision and
//! the new one on which the hunk no longer lands.

use std::sync::Arc;

use crate::cpp::Parsed;
use crate::overlay::{Hunk, Overlay};
use crate::patch::{Texts, carry, macros, paths};
use crate::upstream::{Source, TouchingCommit};

/// Commits looked at, at the most: about four milliseconds each.
const MOST: usize = 500;

/// Finds the commit. `None` where there is no history between the two, or no one commit did it.
pub(super) fn find(
    source: &dyn Source,
    overlay: &Overlay,
    hunk: &Hunk,
    from: &str,
    to: &str,
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
        .find(|commit| !lands(source, &alone, &commit.commit))
}

fn lands(source: &dyn Source, overlay: &Overlay, commit: &str) -> bool {
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
    carry(&[overlay], &texts).problems.is_empty()
}
