//! Trees that packages carry, as git objects in the cache: every byte that is read is checked against its id.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io;
use std::sync::{Mutex, PoisonError};

use git2::{ObjectType, Oid};

use super::table::{CrateRelease, Package, Place};
use crate::store::{Cache, GitTree, unwritable};
use crate::upstream::git::{Keeper, Repo, Store};
use crate::upstream::settings::Settings;
use crate::upstream::{SourceError, Working};

/// A tree that a package carries.
#[derive(Debug, Clone, Copy)]
pub(super) struct Packed<'a> {
    /// For messages.
    pub(super) name: &'a str,
    pub(super) package: &'a Package,
    pub(super) place: &'a Place,
    /// Git's id of the tree.
    pub(super) tree: &'a str,
    /// Plain files that may be absent from the package, with their blob ids.
    pub(super) left_out: &'a BTreeMap<String, String>,
}

/// The repository in the cache.
pub(super) struct Objects {
    settings: Settings,
    cache: Cache,
    store: Store,
    /// The outcome for each tree that was asked for: cargo is not run twice for one answer.
    brought: Mutex<HashMap<String, Result<(), SourceError>>>,
}

const KIND: &str = "crates";
const KEY: &str = "objects.git";

impl Objects {
    /// Opens nothing yet. Trees may lack the blobs of `left_out`.
    pub(super) fn new(settings: &Settings, left_out: HashSet<Oid>) -> Self {
        let cache = Cache::new(&settings.cache, &settings.progress);
        let path = cache.path(KIND, KEY);
        Self {
            settings: settings.clone(),
            cache,
            store: Store::new(path, "crates".into(), Keeper::Cache).leaving_out(left_out),
            brought: Mutex::default(),
        }
    }

    /// The objects, for what is here already.
    pub(super) fn store(&self) -> &Store {
        &self.store
    }

    /// Brings the tree into the cache, once a process.
    pub(super) fn bring(&self, wanted: Packed<'_>) -> Result<(), SourceError> {
        let mut brought = self.brought.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(before) = brought.get(wanted.tree) {
            return before.clone();
        }
        let answer = self.fill(wanted);
        brought.insert(wanted.tree.to_owned(), answer.clone());
        answer
    }

    /// Runs `work` with the tree, which is brought first. A damaged cache is filled again, once; but not offline, where
    /// nothing may be there to fill it with.
    pub(super) fn with_tree<T>(
        &self,
        wanted: Packed<'_>,
        work: impl Fn(Repo<'_>, Oid) -> Result<T, SourceError>,
    ) -> Result<T, SourceError> {
        let run = || {
            self.bring(wanted)?;
            let root = Oid::from_str(wanted.tree).map_err(|error| self.not_kept(&error))?;
            self.store.with(|repo| work(repo, root))
        };
        match run() {
            Err(_) if self.store.take_damage() && !self.settings.offline => {
                {
                    let _lock = self.cache.lock(KIND, KEY)?;
                    self.cache.remove(self.store.path())?;
                    self.store.reopen();
                    let mut brought = self.brought.lock().unwrap_or_else(PoisonError::into_inner);
                    brought.clear();
                }
                run()
            }
            answer => answer,
        }
    }

    /// Returns true if the tree is in the cache.
    pub(super) fn has(&self, tree: &str) -> bool {
        if !self.store.path().exists() {
            return false;
        }
        let stamped = self.store.with(|repo| {
            let id = repo.git.refname_to_id(&stamp(tree)).ok();
            Ok(id.is_some_and(|id| id.to_string() == tree))
        });
        stamped.unwrap_or(false)
    }

    fn fill(&self, wanted: Packed<'_>) -> Result<(), SourceError> {
        if self.has(wanted.tree) {
            return Ok(());
        }
        let _lock = self.cache.lock(KIND, KEY)?;
        if self.has(wanted.tree) {
            return Ok(());
        }
        let package = wanted.package.bring(&self.settings)?;
        self.cache.ensure_repository(self.store.path())?;
        let _working = Working::on(
            &self.settings.progress,
            &format!(
                "checking the tree of {} in {}",
                wanted.name,
                wanted.package.label()
            ),
        );
        self.store.with(|repo| {
            let odb = repo.git.odb().map_err(|error| self.not_kept(&error))?;
            // A cache that cannot be written is not the package's fault.
            let mut full = None;
            let mut keep = |kind: ObjectType, bytes: &[u8]| {
                odb.write(kind, bytes)
                    .inspect_err(|error| full = Some(self.not_kept(error)))
            };
            let mut tree = GitTree::default();
            let unfit = |why: String| {
                let label = wanted.package.label();
                let path = package.path();
                wanted.package.unreachable(
                    why,
                    format!("look at {path}, then remove it: cargo brings {label} again"),
                )
            };
            let read = package.each(wanted.place, &mut |path, kind, bytes| {
                tree.keep(path, kind, bytes, &mut keep)
            });
            if let Err(why) = read {
                return Err(full.unwrap_or_else(|| unfit(why)));
            }
            for (path, blob) in wanted.left_out {
                if !tree.contains(path) {
                    let id =
                        Oid::from_str(blob).map_err(|error| unfit(error.message().to_owned()))?;
                    tree.add(path, false, id).map_err(unfit)?;
                }
            }
            let id = tree
                .id(&mut |kind, bytes| odb.write(kind, bytes))
                .map_err(|error| self.not_kept(&error))?;
            if id.to_string() != wanted.tree {
                return Err(unfit(format!(
                    "{} does not hold the tree of {}: its id is {id}, expected {}",
                    package.path(),
                    wanted.name,
                    wanted.tree
                )));
            }
            // Written last: where this is, the tree is whole and has the table's id.
            repo.git
                .reference(&stamp(wanted.tree), id, true, "")
                .map_err(|error| self.not_kept(&error))?;
            Ok(())
        })
    }

    fn not_kept(&self, error: &git2::Error) -> SourceError {
        unwritable(
            self.store.path(),
            &io::Error::other(error.message().to_owned()),
        )
        .into()
    }
}

impl CrateRelease {
    /// The release's tree; `name` is the release, for messages.
    pub(super) fn packed<'a>(&'a self, name: &'a str) -> Packed<'a> {
        Packed {
            name,
            package: &self.package,
            place: &self.place,
            tree: &self.tree,
            left_out: &self.left_out,
        }
    }
}

fn stamp(tree: &str) -> String {
    format!("refs/patchctl/{tree}")
}
