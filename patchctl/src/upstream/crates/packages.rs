//! The packages as a source of releases. Their trees are git objects in the cache: every byte that is read is checked
//! against its id.

use std::collections::HashMap;
use std::io;
use std::sync::{Mutex, PoisonError};

use git2::{ObjectType, Oid};
use semver::Version;

use super::table::CrateRelease;
use crate::report::Error;
use crate::store::{GitTree, Kind, unwritable};
use crate::upstream::git::Repo;
use crate::upstream::git::names::newest_first;
use crate::upstream::git::store::Store;
use crate::upstream::revision::{not_there, unreachable};
use crate::upstream::{Resolved, RevisionFrom, RevisionSpec, Settings, Working};

/// The packages, with the repository in the cache that their trees come into. It has no commits.
pub(in crate::upstream) struct Packages {
    rows: Vec<CrateRelease>,
    settings: Settings,
    pub(in crate::upstream) store: Store,
    /// The outcome for each tree that was asked for: cargo is not run twice for one answer.
    brought: Mutex<HashMap<String, Result<(), Error>>>,
}

impl Packages {
    /// Opens nothing yet.
    pub(in crate::upstream) fn new(rows: Vec<CrateRelease>, settings: Settings) -> Self {
        let left_out = rows.iter().flat_map(|row| row.left_out.values());
        let left_out = left_out.filter_map(|blob| Oid::from_str(blob).ok());
        let mut store = Store::cached(&settings, "crates", "objects.git", "crates");
        store.left_out = left_out.collect();
        Self {
            store,
            rows,
            settings,
            brought: Mutex::default(),
        }
    }

    /// The releases, oldest first, without pre-releases.
    pub(in crate::upstream) fn releases(&self) -> Vec<Version> {
        let plain = self.rows.iter().filter(|row| row.release.pre.is_empty());
        plain.map(|row| row.release.clone()).collect()
    }

    /// Brings a release's tree into the cache.
    pub(in crate::upstream) fn resolve(&self, wanted: &RevisionSpec) -> Result<Resolved, Error> {
        let row = self.row(wanted)?;
        let found = resolved(row);
        let (tag, commit) = (&found.described, &found.commit);
        self.settings
            .check_not_moved("crates", &row.release, tag, commit)?;
        self.bring(row, &found)?;
        Ok(found)
    }

    /// The release, where its tree is in the cache.
    pub(in crate::upstream) fn at_hand(&self, wanted: &RevisionSpec) -> Option<Resolved> {
        let row = self.row(wanted).ok()?;
        self.has(&row.tree).then(|| resolved(row))
    }

    /// The tree of a revision, which is brought first.
    pub(in crate::upstream) fn root(&self, at: &Resolved) -> Result<Oid, Error> {
        let mut rows = self.rows.iter();
        let row = match &at.tree {
            Some(tree) => rows.find(|row| row.tree == *tree),
            None => rows.find(|row| row.commit == at.commit),
        };
        let row = row.ok_or_else(|| self.lacks(format!("tree of {}", at.described)))?;
        self.bring(row, at)?;
        Oid::from_str(&row.tree).map_err(|error| self.not_kept(&error))
    }

    /// Forgets the outcomes: the repository in the cache was removed.
    pub(in crate::upstream) fn forget(&self) {
        let mut brought = self.brought.lock().unwrap_or_else(PoisonError::into_inner);
        brought.clear();
    }

    fn row(&self, wanted: &RevisionSpec) -> Result<&CrateRelease, Error> {
        let mut rows = self.rows.iter();
        let found = match wanted {
            RevisionSpec::Release(release) => rows.find(|row| row.release == *release),
            RevisionSpec::Latest => rows.rfind(|row| row.release.pre.is_empty()),
            // A folder's pin has no commit: nothing is not the beginning of everything.
            RevisionSpec::Commit(hex) if hex.is_empty() => None,
            RevisionSpec::Commit(hex) => rows.find(|row| row.commit.starts_with(hex)),
            RevisionSpec::Name(_) => None,
        };
        found.ok_or_else(|| self.lacks(wanted.to_string()))
    }

    fn lacks(&self, wanted: String) -> Error {
        not_there("crates", wanted, newest_first(&self.releases()))
    }

    /// Brings the tree into the cache, once a process.
    fn bring(&self, row: &CrateRelease, at: &Resolved) -> Result<(), Error> {
        let mut brought = self.brought.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(before) = brought.get(&row.tree) {
            return before.clone();
        }
        let answer = self.fill(row, at);
        brought.insert(row.tree.clone(), answer.clone());
        answer
    }

    fn has(&self, tree: &str) -> bool {
        let stamped = |repo: Repo<'_>| Ok(repo.git.refname_to_id(&stamp(tree)).ok());
        let id = self.store.if_there(stamped).flatten();
        id.is_some_and(|id| id.to_string() == tree)
    }

    fn fill(&self, row: &CrateRelease, at: &Resolved) -> Result<(), Error> {
        if self.has(&row.tree) {
            return Ok(());
        }
        let _lock = self.store.lock()?;
        if self.has(&row.tree) {
            return Ok(());
        }
        let package = row.package.bring(&self.settings)?;
        self.store.ensure()?;
        let label = row.package.label();
        let name = match at.is_release {
            true => at.release.to_string(),
            false => at.described.clone(),
        };
        let what = format!("checking the tree of {name} in {label}");
        let _working = Working::on(&self.settings.progress, &what);
        let path = package.path();
        let unfit = |why: String| {
            let help = format!("look at {path}, then remove it: cargo brings {label} again");
            unreachable("crates", why, help)
        };
        self.store.with(|repo| {
            let not_kept = |error: git2::Error| self.not_kept(&error);
            let odb = repo.git.odb().map_err(not_kept)?;
            // A cache that cannot be written is not the package's fault.
            let mut full = None;
            let mut keep = |kind: ObjectType, bytes: &[u8]| {
                odb.write(kind, bytes)
                    .inspect_err(|error| full = Some(self.not_kept(error)))
            };
            let mut tree = GitTree::default();
            let read = package.each(&row.place, &mut |path, kind, bytes| {
                tree.keep(path, kind, bytes, &mut keep)
            });
            if let Err(why) = read {
                return Err(full.unwrap_or_else(|| unfit(why)));
            }
            for (path, blob) in &row.left_out {
                if !tree.contains(path) {
                    let id = Oid::from_str(blob).map_err(|error| error.message().to_owned());
                    id.and_then(|id| tree.add(path, Kind::File, b"", id))
                        .map_err(unfit)?;
                }
            }
            let id = tree.id(&mut |kind, bytes| odb.write(kind, bytes));
            let id = id.map_err(not_kept)?;
            if id.to_string() != row.tree {
                return Err(unfit(format!(
                    "{path} does not hold the tree of {name}: its id is {id}, expected {}",
                    row.tree
                )));
            }
            // Written last: where this is, the tree is whole and has the table's id.
            repo.git
                .reference(&stamp(&row.tree), id, true, "")
                .map_err(not_kept)?;
            Ok(())
        })
    }

    fn not_kept(&self, error: &git2::Error) -> Error {
        let error = io::Error::other(error.message().to_owned());
        unwritable(self.store.path(), &error)
    }
}

/// The release of a row.
pub(super) fn resolved(row: &CrateRelease) -> Resolved {
    Resolved {
        commit: row.commit.clone(),
        commit_from: RevisionFrom::Table,
        release: row.release.clone(),
        is_release: true,
        described: format!("v{}", row.release),
        tree: Some(row.tree.clone()),
        source: "crates".into(),
        moving: false,
    }
}

fn stamp(tree: &str) -> String {
    format!("refs/patchctl/{tree}")
}
