//! The commits of a repository: those that change a file, their releases, and the nearest tag before each, as
//! `git describe --tags` finds it, without a walk for each commit.

use std::collections::{BTreeMap, BinaryHeap, HashMap, HashSet};

use camino::Utf8Path;
use git2::{Oid, Repository};
use semver::Version;

use super::names::{cut_off, is_plain, tagged_commits};
use super::repo::{Repo, blob_id};
use super::tree_object::Mode;
use crate::report::Error;
use crate::store::{Kind, limits};
use crate::upstream::TouchingCommit;
use crate::upstream::spec::release_of_name;
use crate::upstream::version::{VERSION_HEADER, release_in_header};

/// git looks at this many tags before it takes the nearest.
const CANDIDATES: usize = 10;

/// Commits, tags and version headers as they are met, kept for the next question.
pub(in crate::upstream) struct Commits<'r> {
    repo: Repo<'r>,
    tagged: HashMap<Oid, Vec<String>>,
    known: HashMap<Oid, Commit>,
    /// The ends of a shallow clone's history: the parents of these are not here.
    cut: HashSet<Oid>,
    headers: HashMap<Oid, Option<Version>>,
}

/// The fields of a commit that are needed.
#[derive(Clone)]
struct Commit {
    parents: Vec<Oid>,
    tree: Oid,
    time: i64,
}

impl<'r> Commits<'r> {
    pub(in crate::upstream) fn new(repo: Repo<'r>) -> Result<Self, Error> {
        Ok(Self {
            repo,
            tagged: tagged_commits(repo)?,
            known: HashMap::new(),
            cut: cut_off(repo.git),
            headers: HashMap::new(),
        })
    }

    /// The commits of `from..to` that change the file, parents before their children.
    pub(super) fn touching(
        &mut self,
        (from, to): (Oid, Oid),
        path: &Utf8Path,
    ) -> Result<Vec<TouchingCommit>, Error> {
        let mut touching = Vec::new();
        // Each commit is looked at as itself and as a parent.
        let mut blobs = HashMap::new();
        for id in self.range(from, to)? {
            let commit = self.commit(id)?;
            let now = self.blob(&mut blobs, commit.tree, path)?;
            let mut same_as_a_parent = commit.parents.is_empty() && now.is_none();
            for parent in commit.parents {
                let tree = self.commit(parent)?.tree;
                same_as_a_parent |= self.blob(&mut blobs, tree, path)? == now;
            }
            if same_as_a_parent {
                continue;
            }
            let message = self.repo.commit(id)?;
            let message = String::from_utf8_lossy(message.message_bytes());
            touching.push(TouchingCommit {
                commit: id.to_string(),
                subject: message.trim_start().lines().next().unwrap_or("").into(),
                described: self.describe(id)?,
                release: self.release_of(id)?,
                blob: now.map(blob_id),
            });
        }
        Ok(touching)
    }

    /// The numbers of commits of `from..to` and of files that differ.
    pub(super) fn distance(&mut self, from: Oid, to: Oid) -> Result<(usize, usize), Error> {
        let commits = self.range(from, to)?.len();
        let (from, to) = (self.commit(from)?.tree, self.commit(to)?.tree);
        Ok((commits, changed_files(self.repo, from, to)?))
    }

    /// The release whose rules hold for a commit: its tag's, else the one its tree claims, else the nearest tag's before.
    pub(in crate::upstream) fn release_of(&mut self, commit: Oid) -> Result<Version, Error> {
        if let Some(release) = self.release_at(commit) {
            return Ok(release);
        }
        let root = self.commit(commit)?.tree;
        if let Some(release) = self.claimed(root)? {
            return Ok(release);
        }
        let plain = |name: &str| release_of_name(name).is_some_and(|version| is_plain(&version));
        let nearest = self.nearest(commit, &plain)?;
        let release = nearest.and_then(|(tag, _)| release_of_name(&tag));
        release.ok_or_else(|| {
            let store = self.repo.store;
            store.unreachable(
                format!("the release of commit {commit} is not known: it has no {VERSION_HEADER} and no release tag before it"),
                format!("fetch the tags (`git -C {} fetch --tags`), or name a release", store.path()),
            )
        })
    }

    /// The release that tags give this very commit, the newest where there are several.
    pub(in crate::upstream) fn release_at(&self, commit: Oid) -> Option<Version> {
        let names = self.tagged.get(&commit)?;
        let releases = || names.iter().filter_map(|name| release_of_name(name));
        releases().filter(is_plain).max().or(releases().max())
    }

    /// As git describes it: the tag, or `v0.32.1-26-g846d176`, or the abbreviated id where no tag is before it.
    pub(in crate::upstream) fn describe(&mut self, commit: Oid) -> Result<String, Error> {
        Ok(match self.nearest(commit, &|_| true)? {
            Some((tag, 0)) => tag,
            Some((tag, ahead)) => format!("{tag}-{ahead}-g{}", abbreviated(self.repo.git, commit)),
            None => abbreviated(self.repo.git, commit),
        })
    }

    /// The release that the version header of a tree names.
    fn claimed(&mut self, root: Oid) -> Result<Option<Version>, Error> {
        let Some(header) = self.file(root, VERSION_HEADER.into())? else {
            return Ok(None);
        };
        if let Some(known) = self.headers.get(&header) {
            return Ok(known.clone());
        }
        let release = release_in_header(&self.repo.blob(header)?);
        self.headers.insert(header, release.clone());
        Ok(release)
    }

    /// A file's blob; a link is no file.
    fn file(&self, root: Oid, path: &Utf8Path) -> Result<Option<Oid>, Error> {
        let entry = self.repo.entry(root, path)?;
        let file = entry.filter(|entry| entry.mode != Mode::File(Kind::Link));
        Ok(file.map(|entry| entry.id))
    }

    fn blob(
        &self,
        blobs: &mut HashMap<Oid, Option<Oid>>,
        root: Oid,
        path: &Utf8Path,
    ) -> Result<Option<Oid>, Error> {
        if let Some(known) = blobs.get(&root) {
            return Ok(*known);
        }
        let blob = self.file(root, path)?;
        blobs.insert(root, blob);
        Ok(blob)
    }

    /// The nearest tag that counts, and the number of commits that the described one has and the tag has not.
    fn nearest(
        &mut self,
        commit: Oid,
        counts: &dyn Fn(&str) -> bool,
    ) -> Result<Option<(String, usize)>, Error> {
        // Newest first. Nothing is looked for behind a tag: what is there is further away.
        let mut candidates: Vec<(Oid, String)> = Vec::new();
        let mut seen = HashSet::from([commit]);
        let mut open = BinaryHeap::from([(self.commit(commit)?.time, commit)]);
        while let Some((_, at)) = open.pop() {
            if let Some(tag) = self.tag_at(at, counts) {
                candidates.push((at, tag));
                if candidates.len() == CANDIDATES {
                    break;
                }
                continue;
            }
            for parent in self.commit(at)?.parents {
                if seen.insert(parent) {
                    open.push((self.commit(parent)?.time, parent));
                }
            }
        }
        let mut best: Option<(String, usize)> = None;
        for (at, tag) in candidates {
            let ahead = self.ahead(commit, at)?;
            if best.as_ref().is_none_or(|(_, least)| ahead < *least) {
                best = Some((tag, ahead));
            }
        }
        Ok(best)
    }

    /// Of several tags on one commit: a release before others, then the newest, then the last by name.
    fn tag_at(&self, commit: Oid, counts: &dyn Fn(&str) -> bool) -> Option<String> {
        let rank = |name: &&String| {
            let version = release_of_name(name);
            let is_release = version.as_ref().is_some_and(is_plain);
            (is_release, version, (*name).clone())
        };
        let names = self.tagged.get(&commit)?.iter();
        names.filter(|name| counts(name)).max_by_key(rank).cloned()
    }

    /// The number of commits `commit` has that `tag` has not.
    fn ahead(&mut self, commit: Oid, tag: Oid) -> Result<usize, Error> {
        // A straight line from the one to the other, the usual case, needs no sets.
        let (mut at, mut steps) = (commit, 0);
        while at != tag {
            match self.commit(at)?.parents[..] {
                [parent] => (at, steps) = (parent, steps + 1),
                _ => {
                    let behind = self.reachable(tag)?;
                    return Ok(self.reachable(commit)?.difference(&behind).count());
                }
            }
        }
        Ok(steps)
    }

    fn reachable(&mut self, from: Oid) -> Result<HashSet<Oid>, Error> {
        let mut seen = HashSet::from([from]);
        let mut open = vec![from];
        while let Some(at) = open.pop() {
            let parents = self.commit(at)?.parents;
            open.extend(parents.into_iter().filter(|parent| seen.insert(*parent)));
        }
        Ok(seen)
    }

    /// The commits of `from..to`, parents before their children.
    fn range(&mut self, from: Oid, to: Oid) -> Result<Vec<Oid>, Error> {
        let mut seen = self.reachable(from)?;
        let mut range = Vec::new();
        let mut open = vec![(to, false)];
        while let Some((at, parents_done)) = open.pop() {
            if parents_done {
                range.push(at);
            } else if seen.insert(at) {
                if self.cut.contains(&at) {
                    let path = self.repo.store.path();
                    return Err(self.repo.store.unreachable(
                        format!("the history of {path}, a shallow clone, lacks the parents of commit {at}"),
                        format!("`git -C {path} fetch --unshallow --tags`"),
                    ));
                }
                open.push((at, true));
                let parents = self.commit(at)?.parents;
                open.extend(parents.into_iter().map(|parent| (parent, false)));
            }
        }
        Ok(range)
    }

    fn commit(&mut self, id: Oid) -> Result<Commit, Error> {
        if let Some(known) = self.known.get(&id) {
            return Ok(known.clone());
        }
        let read = self.repo.commit(id)?;
        let is_cut = self.cut.contains(&id);
        let commit = Commit {
            parents: read.parent_ids().filter(|_| !is_cut).collect(),
            tree: read.tree_id(),
            time: read.time().seconds(),
        };
        self.known.insert(id, commit.clone());
        Ok(commit)
    }
}

/// Counts the files that differ between two trees; subtrees with one id are not looked into.
fn changed_files(repo: Repo<'_>, one: Oid, other: Oid) -> Result<usize, Error> {
    let mut changed = 0;
    let mut entries = limits::Count::default();
    let mut open = vec![[Some(one), Some(other)]];
    while let Some(pair) = open.pop() {
        let mut named: BTreeMap<Vec<u8>, [Option<(Oid, Mode)>; 2]> = BTreeMap::new();
        for (side, tree) in pair.into_iter().enumerate() {
            let Some(tree) = tree else { continue };
            for entry in repo.tree(tree)? {
                entries.add(&entry.name).map_err(|why| {
                    repo.refused(format!("trees {one} and {other} are not compared: {why}"))
                })?;
                named.entry(entry.name).or_default()[side] = Some((entry.id, entry.mode));
            }
        }
        for sides in named.into_values().filter(|[one, other]| one != other) {
            let mut modes = sides.iter().flatten().map(|(_, mode)| *mode);
            changed += usize::from(modes.any(|mode| mode != Mode::Folder));
            let folder = |(id, mode)| (mode == Mode::Folder).then_some(id);
            let folders = sides.map(|side| side.and_then(folder));
            if folders != [None, None] {
                open.push(folders);
            }
        }
    }
    Ok(changed)
}

/// Seven digits, or as many as tell it from others here.
fn abbreviated(repository: &Repository, commit: Oid) -> String {
    const SHORTEST: usize = 7;
    let hex = commit.to_string();
    let odb = repository.odb();
    let is_unique = |length: &usize| {
        let odb = odb.as_ref();
        odb.is_ok_and(|odb| odb.exists_prefix(commit, *length).is_ok())
    };
    let length = (SHORTEST..hex.len()).find(is_unique);
    hex[..length.unwrap_or(hex.len())].to_owned()
}
