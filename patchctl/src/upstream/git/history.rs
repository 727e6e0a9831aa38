//! Which commits change a file, and how far two revisions are apart.

use std::collections::{BTreeMap, HashMap};

use camino::Utf8Path;
use git2::Oid;
use semver::Version;

use super::describe::Graph;
use super::repo::{Repo, blob_id};
use super::source::GitSource;
use super::tree_object::{Entry, Mode};
use crate::store::limits;
use crate::upstream::version::{VERSION_HEADER, release_in_header};
use crate::upstream::{History, Resolved, RevisionSpec, SourceError, TouchingCommit};

impl History for GitSource {
    fn touching(
        &self,
        from: &str,
        to: &str,
        path: &Utf8Path,
    ) -> Result<Vec<TouchingCommit>, SourceError> {
        let (from, to) = self.both_ends(from, to)?;
        let store = self.store();
        store.with(|repo| {
            let mut trees = Trees::default();
            let mut releases = Releases::new(repo)?;
            let mut touching = Vec::new();
            for id in releases.graph.range(repo, from, to)? {
                let commit = releases.graph.known(repo, id)?;
                let now = trees.blob(repo, commit.tree, path)?;
                let mut same_as_a_parent = commit.parents.is_empty() && now.is_none();
                for parent in commit.parents {
                    let root = releases.graph.known(repo, parent)?.tree;
                    same_as_a_parent |= trees.blob(repo, root, path)? == now;
                }
                if same_as_a_parent {
                    continue;
                }
                touching.push(TouchingCommit {
                    commit: id.to_string(),
                    subject: subject(&repo.commit(id)?),
                    described: releases.describe(repo, id)?,
                    release: releases.of(repo, id)?,
                    blob: now.map(blob_id),
                });
            }
            Ok(touching)
        })
    }

    fn at(&self, commit: &str) -> Result<Resolved, SourceError> {
        crate::upstream::Source::resolve(self, &RevisionSpec::Commit(commit.to_owned()))
    }

    fn distance(&self, from: &str, to: &str) -> Result<(usize, usize), SourceError> {
        let (from, to) = self.both_ends(from, to)?;
        let store = self.store();
        store.with(|repo| {
            let mut graph = Graph::new(repo)?;
            let commits = graph.range(repo, from, to)?.len();
            let tree = |id| repo.commit(id).map(|commit| commit.tree_id());
            let files = changed_files(repo, tree(from)?, tree(to)?)?;
            Ok((commits, files))
        })
    }
}

/// Counts the files that differ between two trees; subtrees with one id are not looked into.
fn changed_files(repo: Repo<'_>, one: Oid, other: Oid) -> Result<usize, SourceError> {
    let mut changed = 0;
    let mut entries = limits::Count::default();
    let mut open = vec![[Some(one), Some(other)]];
    while let Some(pair) = open.pop() {
        let mut named: BTreeMap<Vec<u8>, [Option<(Oid, Mode)>; 2]> = BTreeMap::new();
        for (side, tree) in pair.into_iter().enumerate() {
            let Some(tree) = tree else { continue };
            for entry in repo.tree(tree)? {
                entries.add(&entry.name).map_err(|why| {
                    repo.store
                        .refused(format!("trees {one} and {other} are not compared: {why}"))
                })?;
                named.entry(entry.name).or_default()[side] = Some((entry.id, entry.mode));
            }
        }
        for sides in named.into_values().filter(|[one, other]| one != other) {
            let folder = |(id, mode)| (mode == Mode::Folder).then_some(id);
            changed += usize::from(
                sides
                    .iter()
                    .flatten()
                    .any(|(_, mode)| *mode != Mode::Folder),
            );
            let folders = sides.map(|side| side.and_then(folder));
            if folders != [None, None] {
                open.push(folders);
            }
        }
    }
    Ok(changed)
}

/// First line of the message.
fn subject(commit: &git2::Commit<'_>) -> String {
    let message = String::from_utf8_lossy(commit.message_bytes());
    message.trim_start().lines().next().unwrap_or("").to_owned()
}

/// A file's blob in many trees: neighbouring commits share most subtrees, each is read once.
#[derive(Default)]
struct Trees {
    entries: HashMap<(Oid, usize), Option<Oid>>,
}

impl Trees {
    fn blob(
        &mut self,
        repo: Repo<'_>,
        root: Oid,
        path: &Utf8Path,
    ) -> Result<Option<Oid>, SourceError> {
        let components: Vec<_> = path.components().collect();
        let mut at = root;
        for (depth, component) in components.iter().enumerate() {
            let is_last = depth + 1 == components.len();
            let entry = match self.entries.get(&(at, depth)) {
                Some(entry) => *entry,
                None => {
                    let tree = repo.tree(at)?;
                    let name = component.as_str().as_bytes();
                    let is_wanted = |entry: &&Entry| {
                        entry.name == name
                            && match entry.mode {
                                Mode::File(_) => is_last,
                                Mode::Folder => !is_last,
                                Mode::Submodule => false,
                            }
                    };
                    let entry = tree.iter().find(is_wanted).map(|entry| entry.id);
                    self.entries.insert((at, depth), entry);
                    entry
                }
            };
            match entry {
                Some(id) => at = id,
                None => return Ok(None),
            }
        }
        Ok(Some(at))
    }
}

/// The release whose rules hold for a commit: its tag's, else the one its tree claims, else the nearest tag's before.
pub(in crate::upstream) struct Releases {
    graph: Graph,
    trees: Trees,
    headers: HashMap<Oid, Option<Version>>,
}

impl Releases {
    pub(in crate::upstream) fn new(repo: Repo<'_>) -> Result<Self, SourceError> {
        Ok(Self {
            graph: Graph::new(repo)?,
            trees: Trees::default(),
            headers: HashMap::new(),
        })
    }

    pub(in crate::upstream) fn of(
        &mut self,
        repo: Repo<'_>,
        commit: Oid,
    ) -> Result<Version, SourceError> {
        if let Some(release) = self.graph.release_at(commit) {
            return Ok(release);
        }
        let root = repo.commit(commit)?.tree_id();
        if let Some(release) = self.claimed(repo, root)? {
            return Ok(release);
        }
        match self.graph.release_before(repo, commit)? {
            Some(release) => Ok(release),
            None => Err(repo.store.unreachable(
                format!("the release of commit {commit} is not known: it has no {VERSION_HEADER} and no release tag before it"),
                format!("fetch the tags (`git -C {} fetch --tags`), or name a release", repo.store.path()),
            )),
        }
    }

    /// As git describes the commit.
    pub(in crate::upstream) fn describe(
        &mut self,
        repo: Repo<'_>,
        commit: Oid,
    ) -> Result<String, SourceError> {
        self.graph.describe(repo, commit)
    }

    /// Returns true if a release's tag names this very commit.
    pub(in crate::upstream) fn is_release(&self, commit: Oid) -> bool {
        self.graph.release_at(commit).is_some()
    }

    fn claimed(&mut self, repo: Repo<'_>, root: Oid) -> Result<Option<Version>, SourceError> {
        let path = Utf8Path::new(VERSION_HEADER);
        let Some(header) = self.trees.blob(repo, root, path)? else {
            return Ok(None);
        };
        if let Some(known) = self.headers.get(&header) {
            return Ok(known.clone());
        }
        let release = release_in_header(&repo.blob(header)?);
        self.headers.insert(header, release.clone());
        Ok(release)
    }
}
