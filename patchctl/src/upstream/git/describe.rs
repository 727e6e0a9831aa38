//! The nearest tag before a commit, as `git describe --tags` finds it, without a walk a commit.

use std::collections::{BinaryHeap, HashMap, HashSet};

use git2::{Oid, Repository};
use semver::Version;

use super::names::{is_plain, tagged_commits};
use super::repo::Repo;
use crate::upstream::SourceError;
use crate::upstream::spec::release_of_name;

/// Commits and tags as they are met, kept for the next question.
pub(super) struct Graph {
    tagged: HashMap<Oid, Vec<String>>,
    known: HashMap<Oid, Known>,
    /// Where a shallow clone's history is cut off: the parents of these are not here.
    cut: HashSet<Oid>,
}

/// Commit fields cached for repeated lookups.
#[derive(Clone)]
pub(super) struct Known {
    pub(super) parents: Vec<Oid>,
    /// Its root tree.
    pub(super) tree: Oid,
    time: i64,
}

/// A tag and how many commits the described one has that the tag has not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Nearest {
    pub(super) tag: String,
    pub(super) ahead: usize,
}

/// git looks at this many tags before it takes the nearest.
const CANDIDATES: usize = 10;

impl Graph {
    pub(super) fn new(repo: Repo<'_>) -> Result<Self, SourceError> {
        Ok(Self {
            tagged: tagged_commits(repo)?,
            known: HashMap::new(),
            cut: cut_off(repo.git),
        })
    }

    /// The release that tags give this very commit, the newest where there are several.
    pub(super) fn release_at(&self, commit: Oid) -> Option<Version> {
        let names = self.tagged.get(&commit)?;
        let releases = || names.iter().filter_map(|name| release_of_name(name));
        releases().filter(is_plain).max().or(releases().max())
    }

    /// As git describes it: the tag, or `v0.32.1-26-g846d176`, or the abbreviated id where no tag is before it.
    pub(super) fn describe(&mut self, repo: Repo<'_>, commit: Oid) -> Result<String, SourceError> {
        let short = || abbreviated(repo.git, commit);
        Ok(match self.nearest(repo, commit, &|_| true)? {
            Some(Nearest { tag, ahead: 0 }) => tag,
            Some(Nearest { tag, ahead }) => format!("{tag}-{ahead}-g{}", short()),
            None => short(),
        })
    }

    /// The release of the nearest release tag before it.
    pub(super) fn release_before(
        &mut self,
        repo: Repo<'_>,
        commit: Oid,
    ) -> Result<Option<Version>, SourceError> {
        let plain = |name: &str| release_of_name(name).is_some_and(|version| is_plain(&version));
        let nearest = self.nearest(repo, commit, &plain)?;
        Ok(nearest.and_then(|nearest| release_of_name(&nearest.tag)))
    }

    fn nearest(
        &mut self,
        repo: Repo<'_>,
        commit: Oid,
        counts: &dyn Fn(&str) -> bool,
    ) -> Result<Option<Nearest>, SourceError> {
        // Newest first. Nothing is looked for behind a tag: what is there is further away.
        let mut candidates: Vec<(Oid, String)> = Vec::new();
        let mut seen = HashSet::from([commit]);
        let mut open = BinaryHeap::from([(self.known(repo, commit)?.time, commit)]);
        while let Some((_, at)) = open.pop() {
            if let Some(tag) = self.tag_at(at, counts) {
                candidates.push((at, tag));
                if candidates.len() == CANDIDATES {
                    break;
                }
                continue;
            }
            for parent in self.known(repo, at)?.parents {
                if seen.insert(parent) {
                    let time = self.known(repo, parent)?.time;
                    open.push((time, parent));
                }
            }
        }
        let mut best: Option<Nearest> = None;
        for (at, tag) in candidates {
            let ahead = self.ahead(repo, commit, at)?;
            if best.as_ref().is_none_or(|best| ahead < best.ahead) {
                best = Some(Nearest { tag, ahead });
            }
        }
        Ok(best)
    }

    /// Of several tags on one commit: a release before others, then the newest, then the last by name.
    fn tag_at(&self, commit: Oid, counts: &dyn Fn(&str) -> bool) -> Option<String> {
        let rank = |name: &&String| {
            let version = release_of_name(name);
            (
                version.as_ref().is_some_and(is_plain),
                version,
                (*name).clone(),
            )
        };
        let names = self.tagged.get(&commit)?;
        names
            .iter()
            .filter(|name| counts(name))
            .max_by_key(rank)
            .cloned()
    }

    /// The number of commits `commit` has that `tag` has not.
    fn ahead(&mut self, repo: Repo<'_>, commit: Oid, tag: Oid) -> Result<usize, SourceError> {
        // A straight line from the one to the other, the usual case, needs no sets.
        let (mut at, mut steps) = (commit, 0);
        loop {
            if at == tag {
                return Ok(steps);
            }
            match self.known(repo, at)?.parents[..] {
                [parent] => (at, steps) = (parent, steps + 1),
                _ => break,
            }
        }
        let behind = self.reachable(repo, tag)?;
        let all = self.reachable(repo, commit)?;
        Ok(all.difference(&behind).count())
    }

    fn reachable(&mut self, repo: Repo<'_>, from: Oid) -> Result<HashSet<Oid>, SourceError> {
        let mut seen = HashSet::from([from]);
        let mut open = vec![from];
        while let Some(at) = open.pop() {
            for parent in self.known(repo, at)?.parents {
                if seen.insert(parent) {
                    open.push(parent);
                }
            }
        }
        Ok(seen)
    }

    /// The commits of `from..to`, parents before their children.
    pub(super) fn range(
        &mut self,
        repo: Repo<'_>,
        from: Oid,
        to: Oid,
    ) -> Result<Vec<Oid>, SourceError> {
        let mut seen = self.reachable(repo, from)?;
        let mut range = Vec::new();
        let path = repo.store.path();
        let mut open = vec![(to, false)];
        while let Some((at, parents_done)) = open.pop() {
            if parents_done {
                range.push(at);
            } else if seen.insert(at) {
                if self.cut.contains(&at) {
                    return Err(repo.store.unreachable(
                        format!("the history of {path}, a shallow clone, lacks the parents of commit {at}"),
                        format!("`git -C {path} fetch --unshallow --tags`"),
                    ));
                }
                open.push((at, true));
                let parents = self.known(repo, at)?.parents;
                open.extend(parents.into_iter().map(|parent| (parent, false)));
            }
        }
        Ok(range)
    }

    pub(super) fn known(&mut self, repo: Repo<'_>, commit: Oid) -> Result<Known, SourceError> {
        if let Some(known) = self.known.get(&commit) {
            return Ok(known.clone());
        }
        let read = repo.commit(commit)?;
        let known = Known {
            parents: if self.cut.contains(&commit) {
                Vec::new()
            } else {
                read.parent_ids().collect()
            },
            tree: read.tree_id(),
            time: read.time().seconds(),
        };
        self.known.insert(commit, known.clone());
        Ok(known)
    }
}

/// The commits that the `shallow` file lists.
pub(super) fn cut_off(repository: &Repository) -> HashSet<Oid> {
    let text = fs_err::read_to_string(repository.commondir().join("shallow")).unwrap_or_default();
    text.lines()
        .filter_map(|line| Oid::from_str(line).ok())
        .collect()
}

/// Seven digits, or as many as tell it from others here.
pub(super) fn abbreviated(repository: &Repository, commit: Oid) -> String {
    const SHORTEST: usize = 7;
    let hex = commit.to_string();
    let alone = |length: &usize| {
        let unique = repository
            .odb()
            .and_then(|odb| odb.exists_prefix(commit, *length));
        unique.is_ok()
    };
    let length = (SHORTEST..hex.len()).find(alone).unwrap_or(hex.len());
    hex[..length].to_owned()
}
