//! [`Source`] over a git repository.

use camino::Utf8Path;
use git2::Oid;
use patchctl_apply::BlobId;
use semver::Version;

use super::history::Releases;
use super::names::{Named, find, releases};
use super::remote::Remote;
use super::repo::{Repo, blob_id};
use super::store::{Keeper, Store};
use crate::upstream::settings::Settings;
use crate::upstream::spec::release_of_name;
use crate::upstream::{
    Blob, History, Resolved, RevisionFrom, RevisionSpec, Source, SourceError, SourceSpec, Working,
};

/// A repository on this machine, or a URL's copy in the cache.
pub(in crate::upstream) struct GitSource {
    spec: SourceSpec,
    settings: Settings,
    store: Store,
    /// Where the repository comes from, for one in the cache.
    remote: Option<Remote>,
}

impl GitSource {
    /// A repository on this machine; opened when it is asked.
    pub(in crate::upstream) fn local(path: &Utf8Path, settings: Settings) -> Self {
        let spec = SourceSpec::GitPath(path.to_owned());
        let store = Store::new(path.to_owned(), spec.to_string(), Keeper::User);
        Self {
            spec,
            settings,
            store,
            remote: None,
        }
    }

    /// A repository elsewhere, with its copy in the cache.
    pub(in crate::upstream) fn url(url: String, settings: Settings) -> Self {
        let spec = SourceSpec::GitUrl(url.clone());
        let remote = Remote::new(url, spec.to_string(), settings.clone());
        let store = Store::new(remote.git_dir().clone(), spec.to_string(), Keeper::Cache);
        Self {
            spec,
            settings,
            store,
            remote: Some(remote),
        }
    }

    /// The commit that `wanted` names, which is on this machine afterwards.
    fn find(&self, wanted: &RevisionSpec) -> Result<Named, SourceError> {
        if let Some(remote) = &self.remote {
            remote.bring(&self.store, wanted)?;
        }
        self.store.with(|repo| find(repo, wanted))
    }

    /// The history, where it can be had. `needed` makes its lack an error; else it is a note, and what is here does.
    fn bring_history(&self, needed: bool) -> Result<(), SourceError> {
        let Some(remote) = &self.remote else {
            return Ok(());
        };
        match remote.bring_history(&self.store) {
            Err(why) if !needed => {
                let note = format!("without its history, the nearest tag is not known: {why}");
                self.settings.progress.note(&note);
                Ok(())
            }
            answer => answer,
        }
    }

    /// The repository's objects.
    pub(in crate::upstream) fn store(&self) -> &Store {
        &self.store
    }

    /// Both ends of a range, as commits.
    pub(super) fn both_ends(&self, from: &str, to: &str) -> Result<(Oid, Oid), SourceError> {
        let end = |text: &str| -> Result<Oid, SourceError> {
            let wanted: RevisionSpec =
                text.parse().map_err(|error: crate::upstream::SpecError| {
                    self.store.unreachable(error.to_string(), error.help)
                })?;
            Ok(self.find(&wanted)?.commit)
        };
        let ends = (end(from)?, end(to)?);
        self.bring_history(true)?;
        Ok(ends)
    }

    /// Returns true if a tag says all that there is to say, so that no history is needed.
    fn is_tagged(&self, named: &Named) -> Result<bool, SourceError> {
        if self.remote.is_none() || release_tag(named).is_some() {
            return Ok(true);
        }
        let store = &self.store;
        store.with(|repo| Ok(Releases::new(repo)?.is_release(named.commit)))
    }

    fn resolved(&self, named: Named) -> Result<Resolved, SourceError> {
        let store = &self.store;
        store.with(|repo| {
            let tree = repo.commit(named.commit)?.tree_id();
            // A release's tag says all: no history, no header.
            let (release, described, is_release) = match release_tag(&named) {
                Some((release, tag)) => (release, tag, true),
                None => {
                    let mut releases = Releases::new(repo)?;
                    let release = releases.of(repo, named.commit)?;
                    let described = releases.describe(repo, named.commit)?;
                    let is_release = releases.is_release(named.commit);
                    (release, described, is_release)
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
                moving: named.moving,
            })
        })
    }

    /// A tag that is not where the lock saw it is an alarm, whoever moved it.
    fn check_not_moved(&self, named: &Named) -> Result<(), SourceError> {
        let Some(tag) = &named.tag else { return Ok(()) };
        let Some(release) = release_of_name(tag) else {
            return Ok(());
        };
        let now = named.commit.to_string();
        self.settings
            .check_not_moved(&self.name(), &release, tag, &now)
    }

    /// Runs `work` with the root tree of a revision. A damaged copy in the cache is fetched again, once.
    fn with_root<T>(
        &self,
        at: &Resolved,
        work: impl Fn(Repo<'_>, Oid) -> Result<T, SourceError>,
    ) -> Result<T, SourceError> {
        let run = || self.store.with(|repo| work(repo, self.root(repo, at)?));
        match run() {
            Err(_) if self.discard_damaged()? => {
                self.find(&RevisionSpec::Commit(at.commit.clone()))?;
                run()
            }
            answer => answer,
        }
    }

    /// Returns true if the copy in the cache was damaged, is gone, and can be fetched again.
    fn discard_damaged(&self) -> Result<bool, SourceError> {
        match &self.remote {
            Some(remote) if self.store.take_damage() => remote.discard(&self.store),
            _ => Ok(false),
        }
    }

    fn try_resolve(&self, wanted: &RevisionSpec) -> Result<Resolved, SourceError> {
        let named = self.find(wanted)?;
        self.check_not_moved(&named)?;
        if !self.settings.prefer_cache && !self.is_tagged(&named)? {
            self.bring_history(false)?;
        }
        self.resolved(named)
    }

    /// The root tree of a revision: its own, or its commit's.
    fn root(&self, repo: Repo<'_>, at: &Resolved) -> Result<Oid, SourceError> {
        let id = |hex: &str| {
            Oid::from_str(hex).map_err(|error| {
                self.store.unreachable(
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
    let tag = named.tag.as_ref()?;
    Some((release_of_name(tag)?, tag.clone()))
}

impl Source for GitSource {
    fn name(&self) -> String {
        self.spec.to_string()
    }

    fn resolve(&self, wanted: &RevisionSpec) -> Result<Resolved, SourceError> {
        match self.try_resolve(wanted) {
            Err(_) if self.discard_damaged()? => self.try_resolve(wanted),
            answer => answer,
        }
    }

    fn at_hand(&self, wanted: &RevisionSpec) -> Option<Resolved> {
        if let Some(remote) = &self.remote {
            remote.cached(&self.store, wanted)?;
        }
        let named = self.store.with(|repo| find(repo, wanted)).ok()?;
        self.resolved(named).ok()
    }

    fn prepare(&self, wanted: &[RevisionSpec]) {
        if let Some(remote) = &self.remote {
            remote.bring_releases(&self.store, wanted);
        }
    }

    fn releases(&self) -> Result<Vec<Version>, SourceError> {
        match &self.remote {
            Some(remote) => remote.releases(&self.store),
            None => self.store.with(releases),
        }
    }

    fn blob_id(&self, at: &Resolved, path: &Utf8Path) -> Result<Option<BlobId>, SourceError> {
        self.with_root(at, |repo, root| Ok(repo.entry(root, path)?.map(blob_id)))
    }

    fn read(&self, at: &Resolved, path: &Utf8Path) -> Result<Option<Blob>, SourceError> {
        self.with_root(at, |repo, root| repo.file(root, path))
    }

    fn read_blob(&self, id: &BlobId) -> Option<Vec<u8>> {
        self.store.blob_at_hand(id)
    }

    fn paths(&self, at: &Resolved) -> Result<Vec<String>, SourceError> {
        self.with_root(at, |repo, root| Ok(repo.files(root)?.into_keys().collect()))
    }

    fn materialise(&self, at: &Resolved, into: &Utf8Path) -> Result<(), SourceError> {
        let _working = Working::on(
            &self.settings.progress,
            &format!("writing the tree of {} into {into}", at.described),
        );
        self.with_root(at, |repo, root| repo.write(root, into))
    }

    fn history(&self) -> Option<&dyn History> {
        Some(self)
    }
}
