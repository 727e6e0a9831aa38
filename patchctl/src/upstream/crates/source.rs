//! [`Source`] over packages.

use camino::Utf8Path;
use git2::Oid;
use patchctl_apply::BlobId;
use semver::Version;

use super::objects::Objects;
use super::table::{CrateRelease, built_in};
use crate::upstream::git::{Repo, blob_id, newest_first};
use crate::upstream::settings::Settings;
use crate::upstream::{
    Blob, History, Resolved, RevisionFrom, RevisionSpec, Source, SourceError, Working,
};

/// The packages that carry upstream's releases.
pub(in crate::upstream) struct CratesSource {
    table: Vec<CrateRelease>,
    settings: Settings,
    objects: Objects,
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
        let left_out = table
            .iter()
            .flat_map(|row| row.left_out.values())
            .filter_map(|blob| Oid::from_str(blob).ok())
            .collect();
        Self {
            table,
            objects: Objects::new(&settings, left_out),
            settings,
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

    /// Runs `work` with the root tree of a revision.
    fn with_root<T>(
        &self,
        at: &Resolved,
        work: impl Fn(Repo<'_>, Oid) -> Result<T, SourceError>,
    ) -> Result<T, SourceError> {
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
        self.objects
            .with_tree(row.packed(&row.release.to_string()), work)
    }
}

/// The table's entry for a release.
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
        self.objects.bring(row.packed(&row.release.to_string()))?;
        Ok(revision)
    }

    fn at_hand(&self, wanted: &RevisionSpec) -> Option<Resolved> {
        let row = self.row(wanted).ok()?;
        self.objects.has(&row.tree).then(|| resolved(row))
    }

    fn releases(&self) -> Result<Vec<Version>, SourceError> {
        Ok(self.all_releases())
    }

    fn blob_id(&self, at: &Resolved, path: &Utf8Path) -> Result<Option<BlobId>, SourceError> {
        self.with_root(at, |repo, root| Ok(repo.entry(root, path)?.map(blob_id)))
    }

    fn read(&self, at: &Resolved, path: &Utf8Path) -> Result<Option<Blob>, SourceError> {
        self.with_root(at, |repo, root| repo.file(root, path))
    }

    fn read_blob(&self, id: &BlobId) -> Option<Vec<u8>> {
        self.objects.store().blob_at_hand(id)
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
        None
    }
}
