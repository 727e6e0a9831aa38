//! [`Source`] over packages: their trees are kept as git objects in the cache, so that every byte that is read is
//! checked against its id.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use camino::Utf8Path;
use git2::{ObjectType, Oid};
use patchctl_apply::BlobId;
use semver::Version;

use super::table::{CrateRelease, built_in};
use crate::upstream::cache::Cache;
use crate::upstream::git::{Keeper, Store, blob_id, newest_first};
use crate::upstream::git_tree::GitTree;
use crate::upstream::settings::Settings;
use crate::upstream::tree_writer::unwritable;
use crate::upstream::{
    Blob, History, Resolved, RevisionFrom, RevisionSpec, Source, SourceError, Working,
};

/// The packages that carry upstream's releases.
pub(in crate::upstream) struct CratesSource {
    table: Vec<CrateRelease>,
    settings: Settings,
    cache: Cache,
    store: Store,
    /// What became of each tree that was asked for: cargo is not run twice for one answer.
    brought: Mutex<HashMap<String, Result<(), SourceError>>>,
}

impl CratesSource {
    /// Over the built-in table and the settings' own rows, which win.
    pub(in crate::upstream) fn new(settings: Settings) -> Self {
        let mut table = settings.crates.clone();
        for row in built_in() {
            if table.iter().all(|own| own.release != row.release) {
                table.push(row);
            }
        }
        table.sort_by(|one, other| one.release.cmp(&other.release));
        let cache = Cache::new(&settings.cache, &settings.progress);
        let left_out = table
            .iter()
            .flat_map(|row| row.left_out.values())
            .filter_map(|blob| Oid::from_str(blob).ok())
            .collect();
        let store =
            Store::new(cache.crates(), "crates".into(), Keeper::Cache).leaving_out(left_out);
        Self {
            table,
            settings,
            cache,
            store,
            brought: Mutex::new(HashMap::new()),
        }
    }

    fn row(&self, wanted: &RevisionSpec) -> Result<&CrateRelease, SourceError> {
        let found = match wanted {
            RevisionSpec::Release(release) => self.table.iter().find(|row| row.release == *release),
            RevisionSpec::Latest => self.table.iter().rfind(|row| row.release.pre.is_empty()),
            // A folder's pin has no commit: nothing is not the beginning of everything.
            RevisionSpec::Commit(hex) if hex.is_empty() => None,
            RevisionSpec::Commit(hex) => self.table.iter().find(|row| row.commit.starts_with(hex)),
            RevisionSpec::Name(_) => None,
        };
        found.ok_or_else(|| SourceError::NotThere {
            source_name: self.name(),
            wanted: wanted.to_string(),
            has: newest_first(&self.all_releases()),
        })
    }

    fn all_releases(&self) -> Vec<Version> {
        let plain = self.table.iter().filter(|row| row.release.pre.is_empty());
        plain.map(|row| row.release.clone()).collect()
    }

    /// The tree of `row`, in the cache; once a process.
    fn bring(&self, row: &CrateRelease) -> Result<(), SourceError> {
        let mut brought = self.brought.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(before) = brought.get(&row.tree) {
            return before.clone();
        }
        let answer = self.fill(row);
        brought.insert(row.tree.clone(), answer.clone());
        answer
    }

    fn fill(&self, row: &CrateRelease) -> Result<(), SourceError> {
        if self.is_here(row) {
            return Ok(());
        }
        let _lock = self.cache.lock(&self.cache.crates())?;
        if self.is_here(row) {
            return Ok(());
        }
        self.cache.ensure_repository(&self.cache.crates())?;
        let package = row.package.bring(&self.settings)?;
        let _working = Working::on(
            &self.settings.progress,
            &format!(
                "checking the tree of {} in {}",
                row.release,
                row.package.label()
            ),
        );
        let store = &self.store;
        store.with(|repository| {
            let odb = repository.odb().map_err(|error| self.not_kept(&error))?;
            // A cache that cannot be written is not the package's fault.
            let mut full = None;
            let mut keep = |kind: ObjectType, bytes: &[u8]| {
                odb.write(kind, bytes)
                    .inspect_err(|error| full = Some(self.not_kept(error)))
            };
            let mut tree = GitTree::default();
            let unfit = |why: String| {
                row.package.unreachable(
                    why,
                    format!(
                        "look at {}, then remove it: cargo brings {} again",
                        package.path(),
                        row.package.label()
                    ),
                )
            };
            let read = package.each(&row.place, &mut |path, item| {
                tree.add(path, &item, &mut keep)
            });
            if let Err(why) = read {
                return Err(full.unwrap_or_else(|| unfit(why)));
            }
            for (path, blob) in &row.left_out {
                if !tree.contains(path) {
                    let id =
                        Oid::from_str(blob).map_err(|error| unfit(error.message().to_owned()))?;
                    tree.add_known(path, id).map_err(unfit)?;
                }
            }
            let id = tree
                .id(&mut |kind, bytes| odb.write(kind, bytes))
                .map_err(|error| self.not_kept(&error))?;
            if id.to_string() != row.tree {
                return Err(unfit(format!(
                    "{} does not hold the tree of {}: its id is {id}, expected {}",
                    package.path(),
                    row.release,
                    row.tree
                )));
            }
            // Written last: where this is, the tree is whole and has the table's id.
            repository
                .reference(&stamp(row), id, true, "")
                .map_err(|error| self.not_kept(&error))?;
            Ok(())
        })
    }

    fn is_here(&self, row: &CrateRelease) -> bool {
        let path = self.cache.crates();
        if !path.exists() {
            return false;
        }
        let stamped = self.store.with(|repository| {
            let id = repository.refname_to_id(&stamp(row)).ok();
            Ok(id.is_some_and(|id| id.to_string() == row.tree))
        });
        stamped.unwrap_or(false)
    }

    fn not_kept(&self, error: &git2::Error) -> SourceError {
        let path = self.cache.crates();
        unwritable(&path, &std::io::Error::other(error.message().to_owned()))
    }

    /// The root tree of a revision, whose objects are in the cache.
    fn root(&self, at: &Resolved) -> Result<Oid, SourceError> {
        let row = match &at.tree {
            Some(tree) => self.table.iter().find(|row| row.tree == *tree),
            None => self.table.iter().find(|row| row.commit == at.commit),
        };
        let Some(row) = row else {
            return Err(SourceError::NotThere {
                source_name: self.name(),
                wanted: format!("tree of {}", at.described),
                has: newest_first(&self.all_releases()),
            });
        };
        self.bring(row)?;
        Oid::from_str(&row.tree).map_err(|error| self.not_kept(&error))
    }
}

fn stamp(row: &CrateRelease) -> String {
    format!("refs/patchctl/{}", row.tree)
}

/// What the table says of a release.
fn resolved(row: &CrateRelease) -> Resolved {
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

impl Source for CratesSource {
    fn name(&self) -> String {
        "crates".into()
    }

    fn resolve(&self, wanted: &RevisionSpec) -> Result<Resolved, SourceError> {
        let row = self.row(wanted)?;
        let revision = resolved(row);
        self.settings.check_not_moved(
            "crates",
            &row.release,
            &revision.described,
            &revision.commit,
        )?;
        self.bring(row)?;
        Ok(revision)
    }

    fn at_hand(&self, wanted: &RevisionSpec) -> Option<Resolved> {
        let row = self.row(wanted).ok()?;
        self.is_here(row).then(|| resolved(row))
    }

    fn releases(&self) -> Result<Vec<Version>, SourceError> {
        Ok(self.all_releases())
    }

    fn blob_id(&self, at: &Resolved, path: &Utf8Path) -> Result<Option<BlobId>, SourceError> {
        let root = self.root(at)?;
        self.store
            .with(|repository| Ok(self.store.entry(repository, root, path)?.map(blob_id)))
    }

    fn read(&self, at: &Resolved, path: &Utf8Path) -> Result<Option<Blob>, SourceError> {
        let root = self.root(at)?;
        self.store
            .with(|repository| self.store.file(repository, root, path))
    }

    fn read_blob(&self, id: &BlobId) -> Option<Vec<u8>> {
        self.cache
            .crates()
            .exists()
            .then(|| self.store.blob_at_hand(id))
            .flatten()
    }

    fn paths(&self, at: &Resolved) -> Result<Vec<String>, SourceError> {
        let root = self.root(at)?;
        self.store
            .with(|repository| Ok(self.store.files(repository, root)?.into_keys().collect()))
    }

    fn materialise(&self, at: &Resolved, into: &Utf8Path) -> Result<(), SourceError> {
        let root = self.root(at)?;
        let _working = Working::on(
            &self.settings.progress,
            &format!("writing the tree of {} into {into}", at.described),
        );
        self.store
            .with(|repository| self.store.write(repository, root, into))
    }

    fn history(&self) -> Option<&dyn History> {
        None
    }
}
