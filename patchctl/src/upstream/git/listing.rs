//! The references of a server, as `git ls-remote` lists them.

use std::collections::BTreeMap;

use git2::Oid;
use semver::Version;

use super::names::{newest_first, releases_of, tags_of};
use crate::upstream::RevisionSpec;

/// The tags and branches of a server, annotated tags followed to their commit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Listing {
    pub(super) tags: BTreeMap<String, Oid>,
    pub(super) heads: BTreeMap<String, Oid>,
}

impl Listing {
    /// Reads `git ls-remote`'s lines: an id, a tab, a name; a name with `^{}` is the commit of the tag before it.
    pub(super) fn read(bytes: &[u8]) -> Self {
        let mut listing = Self::default();
        for line in String::from_utf8_lossy(bytes).lines() {
            let Some((id, name)) = line.split_once('\t') else {
                continue;
            };
            let Ok(id) = Oid::from_str(id) else { continue };
            if let Some(tag) = name.strip_prefix("refs/tags/") {
                let tag = tag.strip_suffix("^{}").unwrap_or(tag);
                listing.tags.insert(tag.to_owned(), id);
            } else if let Some(head) = name.strip_prefix("refs/heads/") {
                listing.heads.insert(head.to_owned(), id);
            }
        }
        listing
    }

    /// The releases, oldest first, without pre-releases.
    pub(super) fn releases(&self) -> Vec<Version> {
        releases_of(self.tags.keys().map(String::as_str))
    }

    /// What there is instead of `wanted`: releases, newest first, and branches where one was asked for.
    pub(super) fn summary(&self, wanted: &RevisionSpec) -> String {
        const SHOWN: usize = 5;
        let releases = newest_first(&self.releases());
        let branches: Vec<_> = self.heads.keys().take(SHOWN).map(String::as_str).collect();
        let branches = branches.join(", ");
        let wants_branch = matches!(wanted, RevisionSpec::Name(_));
        match (releases.is_empty(), branches.is_empty()) {
            (true, true) => "no tags and no branches".into(),
            (true, false) => format!("no release tags, branches {branches}"),
            (false, false) if wants_branch => {
                format!("branches {branches} and releases {releases}")
            }
            (false, _) => releases,
        }
    }

    /// A release's tag and its commit.
    pub(super) fn tag_of(&self, version: &Version) -> Option<(String, Oid)> {
        tags_of(version)
            .into_iter()
            .find_map(|tag| self.tags.get(&tag).map(|commit| (tag, *commit)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_annotated_tag_in_a_listing_is_followed_to_its_commit() {
        let tag = "1".repeat(40);
        let commit = "2".repeat(40);
        let text = format!(
            "{commit}\trefs/heads/main\n{tag}\trefs/tags/v0.32.4\n{commit}\trefs/tags/v0.32.4^{{}}\n\
             {commit}\trefs/tags/v0.33.0-rc1\nwarning: nothing\n"
        );
        let listing = Listing::read(text.as_bytes());
        let (name, id) = listing.tag_of(&Version::new(0, 32, 4)).unwrap();
        assert_eq!((name.as_str(), id.to_string()), ("v0.32.4", commit));
        assert_eq!(listing.releases(), [Version::new(0, 32, 4)]);
        assert_eq!(listing.heads.len(), 1);
    }
}
