//! [`Source`] over a git repository.

use camino::Utf8Path;
use git2::Oid;
use patchctl_apply::BlobId;
use semver::Version;

use super::history::Commits;
use super::names::{Named, References, find};
use super::remote::Remote;
use super::repo::{Repo, blob_id};
use super::store::Store;
use crate::report::Error;
use crate::upstream::crates::packages::Packages;
use crate::upstream::crates::table::CrateRelease;
use crate::upstream::spec::release_of_name;
use crate::upstream::{
    Blob, History, Resolved, RevisionFrom, RevisionSpec, Settings, Source, SourceSpec,
    TouchingCommit, Working,
};

/// Trees that are git objects on this machine.
pub(in crate::upstream) struct GitSource {
    spec: SourceSpec,
    settings: Settings,
    origin: Origin,
}

/// The origin of the repository.
enum Origin {
    /// The user's own.
    User(Store),
    /// A server; the repository is its copy in the cache.
    Server(Remote),
    /// Packages; the repository in the cache has their trees and no commits.
    Packages(Packages),
}

impl GitSource {
    /// A repository on this machine; opened when it is asked.
    pub(in crate::upstream) fn local(path: &Utf8Path, settings: Settings) -> Self {
        let spec = SourceSpec::GitPath(path.to_owned());
        let origin = Origin::User(Store::of_user(path, &spec.to_string()));
        Self {
            spec,
            settings,
            origin,
        }
    }

    /// A repository elsewhere, with its copy in the cache.
    pub(in crate::upstream) fn url(url: String, settings: Settings) -> Self {
        let spec = SourceSpec::GitUrl(url.clone());
        let remote = Remote::new(url, spec.to_string(), settings.clone());
        Self {
            spec,
            settings,
            origin: Origin::Server(remote),
        }
    }

    /// The packages that carry upstream's releases.
    pub(in crate::upstream) fn packages(rows: Vec<CrateRelease>, settings: Settings) -> Self {
        Self {
            spec: SourceSpec::Crates,
            origin: Origin::Packages(Packages::new(rows, settings.clone())),
            settings,
        }
    }

    /// The repository.
    pub(in crate::upstream) fn store(&self) -> &Store {
        match &self.origin {
            Origin::User(store) => store,
            Origin::Server(remote) => &remote.store,
            Origin::Packages(packages) => &packages.store,
        }
    }

    fn remote(&self) -> Option<&Remote> {
        match &self.origin {
            Origin::Server(remote) => Some(remote),
            Origin::User(_) | Origin::Packages(_) => None,
        }
    }

    /// The commit that `wanted` names, which is on this machine afterwards.
    fn find(&self, wanted: &RevisionSpec) -> Result<Named, Error> {
        if let Some(remote) = self.remote() {
            remote.bring(wanted)?;
        }
        self.store().with(|repo| find(repo, wanted))
    }

    /// The history, where it can be had. `needed` makes its lack an error; else it is a note, and what is here does.
    fn bring_history(&self, needed: bool) -> Result<(), Error> {
        let Some(remote) = self.remote() else {
            return Ok(());
        };
        match remote.bring_history() {
            Err(why) if !needed => {
                let note = format!("without its history, the nearest tag is not known: {why}");
                self.settings.progress.note(&note);
                Ok(())
            }
            answer => answer,
        }
    }

    /// Both ends of a range, as commits.
    fn both_ends(&self, from: &str, to: &str) -> Result<(Oid, Oid), Error> {
        let end = |text: &str| -> Result<Oid, Error> {
            let wanted: RevisionSpec = text.parse().map_err(|error: Error| {
                let why = format!("revision {text:?}: {error}");
                self.store()
                    .unreachable(why, error.advice().unwrap_or_default())
            })?;
            Ok(self.find(&wanted)?.commit)
        };
        let ends = (end(from)?, end(to)?);
        self.bring_history(true)?;
        Ok(ends)
    }

    /// Returns true if a tag says all that there is to say, so that no history is needed.
    fn is_tagged(&self, named: &Named) -> Result<bool, Error> {
        if self.remote().is_none() || release_tag(named).is_some() {
            return Ok(true);
        }
        self.store()
            .with(|repo| Ok(Commits::new(repo)?.release_at(named.commit).is_some()))
    }

    fn resolved(&self, named: Named) -> Result<Resolved, Error> {
        self.store().with(|repo| {
            let tree = repo.commit(named.commit)?.tree_id();
            // A release's tag says all: no history, no header.
            let (release, described, is_release) = match release_tag(&named) {
                Some((release, tag)) => (release, tag, true),
                None => {
                    let mut commits = Commits::new(repo)?;
                    let release = commits.release_of(named.commit)?;
                    let described = commits.describe(named.commit)?;
                    (
                        release,
                        described,
                        commits.release_at(named.commit).is_some(),
                    )
                }
            };
            Ok(Resolved {
                commit: named.commit.to_string(),
                commit_from: RevisionFrom::Git,
                release,
                is_release,
                described,
                tree: Some(tree.to_string()),
                source: self.spec.public_name(),
                moving: named.is_moving(),
            })
        })
    }

    /// Runs `work` with the root tree of a revision. A damaged repository in the cache is filled again, once.
    fn with_root<T>(
        &self,
        at: &Resolved,
        work: impl Fn(Repo<'_>, Oid) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let run = || match &self.origin {
            Origin::Packages(packages) => {
                let root = packages.root(at)?;
                packages.store.with(|repo| work(repo, root))
            }
            _ => self.store().with(|repo| work(repo, self.root(repo, at)?)),
        };
        match run() {
            Err(_) if self.discard_damaged()? => {
                if self.remote().is_some() {
                    self.find(&RevisionSpec::Commit(at.commit.clone()))?;
                }
                run()
            }
            answer => answer,
        }
    }

    /// Returns true if the repository in the cache was damaged, is gone, and can be filled again: not offline, where
    /// nothing may be there to fill it with.
    fn discard_damaged(&self) -> Result<bool, Error> {
        let store = self.store();
        if matches!(self.origin, Origin::User(_)) || !store.take_damage() || self.settings.offline {
            return Ok(false);
        }
        let _lock = store.lock()?;
        store.remove()?;
        match &self.origin {
            Origin::User(_) => {}
            Origin::Server(remote) => remote.forget(),
            Origin::Packages(packages) => packages.forget(),
        }
        Ok(true)
    }

    fn try_resolve(&self, wanted: &RevisionSpec) -> Result<Resolved, Error> {
        let named = self.find(wanted)?;
        if let Some((release, tag)) = release_tag(&named) {
            let now = named.commit.to_string();
            self.settings
                .check_not_moved(&self.name(), &release, &tag, &now)?;
        }
        if !self.settings.prefer_cache && !self.is_tagged(&named)? {
            self.bring_history(false)?;
        }
        self.resolved(named)
    }

    /// The root tree of a revision: its own, or its commit's.
    fn root(&self, repo: Repo<'_>, at: &Resolved) -> Result<Oid, Error> {
        let id = |hex: &str| {
            Oid::from_str(hex).map_err(|error| {
                self.store().unreachable(
                    format!("{hex:?} is no git id: {}", error.message()),
                    "look at the pin's `revision` and `tree` in lock.yaml",
                )
            })
        };
        match &at.tree {
            Some(tree) => id(tree),
            None => Ok(repo.commit(id(&at.commit)?)?.tree_id()),
        }
    }
}

/// The release and its tag, where the name was one.
fn release_tag(named: &Named) -> Option<(Version, String)> {
    let tag = named.tag()?;
    Some((release_of_name(tag)?, tag.to_owned()))
}

impl Source for GitSource {
    fn name(&self) -> String {
        self.spec.to_string()
    }

    fn resolve(&self, wanted: &RevisionSpec) -> Result<Resolved, Error> {
        if let Origin::Packages(packages) = &self.origin {
            return packages.resolve(wanted);
        }
        match self.try_resolve(wanted) {
            Err(_) if self.discard_damaged()? => self.try_resolve(wanted),
            answer => answer,
        }
    }

    fn at_hand(&self, wanted: &RevisionSpec) -> Option<Resolved> {
        match &self.origin {
            Origin::User(_) => {}
            Origin::Server(remote) => remote.cached(wanted).map(|_| ())?,
            Origin::Packages(packages) => return packages.at_hand(wanted),
        }
        let named = self.store().with(|repo| find(repo, wanted)).ok()?;
        self.resolved(named).ok()
    }

    fn prepare(&self, wanted: &[RevisionSpec]) {
        if let Some(remote) = self.remote() {
            remote.bring_releases(wanted);
        }
    }

    fn releases(&self) -> Result<Vec<Version>, Error> {
        match &self.origin {
            Origin::User(store) => store.with(|repo| repo.releases()),
            Origin::Server(remote) => remote.releases(),
            Origin::Packages(packages) => Ok(packages.releases()),
        }
    }

    fn blob_id(&self, at: &Resolved, path: &Utf8Path) -> Result<Option<BlobId>, Error> {
        self.with_root(at, |repo, root| Ok(repo.blob_at(root, path)?.map(blob_id)))
    }

    fn read(&self, at: &Resolved, path: &Utf8Path) -> Result<Option<Blob>, Error> {
        self.with_root(at, |repo, root| repo.file(root, path))
    }

    fn read_blob(&self, id: &BlobId) -> Option<Vec<u8>> {
        self.store().blob_at_hand(id)
    }

    fn paths(&self, at: &Resolved) -> Result<Vec<String>, Error> {
        self.with_root(at, |repo, root| Ok(repo.files(root)?.into_keys().collect()))
    }

    fn materialise(&self, at: &Resolved, into: &Utf8Path) -> Result<(), Error> {
        let _working = Working::on(
            &self.settings.progress,
            &format!("writing the tree of {} into {into}", at.described),
        );
        self.with_root(at, |repo, root| repo.write(root, into))
    }

    fn history(&self) -> Option<&dyn History> {
        match self.origin {
            Origin::Packages(_) => None,
            _ => Some(self),
        }
    }
}

impl History for GitSource {
    fn touching(
        &self,
        from: &str,
        to: &str,
        path: &Utf8Path,
    ) -> Result<Vec<TouchingCommit>, Error> {
        let ends = self.both_ends(from, to)?;
        self.store()
            .with(|repo| Commits::new(repo)?.touching(ends, path))
    }

    fn at(&self, commit: &str) -> Result<Resolved, Error> {
        self.resolve(&RevisionSpec::Commit(commit.to_owned()))
    }

    fn distance(&self, from: &str, to: &str) -> Result<(usize, usize), Error> {
        let (from, to) = self.both_ends(from, to)?;
        self.store()
            .with(|repo| Commits::new(repo)?.distance(from, to))
    }
}
