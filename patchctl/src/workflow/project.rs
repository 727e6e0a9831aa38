//! A repository that uses patchctl, read whole: configuration, overlays, pins, lock and reviewed shapes.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};
use patchctl_apply::{BlobId, Lock, LockedPin};
use semver::Version;

use crate::overlay::{Overlay, Overlays};
use crate::patch::{Known, Landing};
use crate::report::Finding;
use crate::upstream::{RevisionSpec, Upstream};
use crate::workspace::{Agreement, Config, LOCK_FILE, Pin, Pins, Reviewed, holds_landing, pending};

use super::locked::read_lock;
use super::write_session::interrupted_finding;
use super::{Context, WorkflowError};

/// The repository's files, as they were read.
pub(super) struct Project {
    pub root: Utf8PathBuf,
    pub config: Config,
    pub overlays: Overlays,
    pub pins: Pins,
    pub lock: Lock,
    pub reviewed: Reviewed,
}

impl Project {
    /// Reads everything.
    ///
    /// # Errors
    /// Everything that is wrong with the overlays; the first thing that is wrong with another file.
    pub fn open(context: &Context) -> Result<Self, WorkflowError> {
        let root = context.root()?;
        let config = Config::load(&root)?;
        let folder = root.join(&config.overlays);
        let overlays = crate::overlay::load_dir(&root, &config.overlays)?;
        let lock = match folder.join(LOCK_FILE) {
            path if path.exists() => read_lock(&root, &config.overlays)?,
            _ => Lock {
                schema: patchctl_apply::SCHEMA,
                pins: Vec::new(),
            },
        };
        let pins = Pins::load(&root, &config.overlays)?;
        let reviewed = Reviewed::load(&root, &config.overlays)?;
        Ok(Self {
            root,
            config,
            overlays,
            pins,
            lock,
            reviewed,
        })
    }

    /// The overlay folder relative to the root.
    pub fn folder(&self) -> &Utf8Path {
        &self.config.overlays
    }

    /// The sources: the command line's, else the configuration's.
    pub fn upstream(&self, context: &Context, prefer_cache: bool) -> Upstream {
        self.upstream_with(context, prefer_cache, context.offline)
    }

    /// The sources as they are on this machine, without the network.
    pub fn upstream_offline(&self, context: &Context) -> Upstream {
        self.upstream_with(context, true, true)
    }

    fn upstream_with(&self, context: &Context, prefer_cache: bool, offline: bool) -> Upstream {
        let order = match context.sources.as_slice() {
            [] => self.config.sources(&self.root),
            given => given.to_vec(),
        };
        let mut settings = context.source_settings();
        settings.offline = offline;
        settings.prefer_cache = prefer_cache;
        settings.known_commits = self.known_commits();
        settings.crates.clone_from(&self.config.crates);
        Upstream::new(order, settings)
    }

    fn known_commits(&self) -> BTreeMap<Version, String> {
        let known = self
            .lock
            .pins
            .iter()
            .filter_map(|pin| Some((Version::parse(&pin.release).ok()?, pin.revision.clone())));
        known.collect()
    }

    /// Returns how a landing in upstream's blob `before` is known.
    pub fn known(&self, before: &BlobId, landing: &Landing) -> Known {
        if self.reviewed.holds(&landing.key, &landing.shape) {
            Known::Reviewed
        } else if holds_landing(&self.lock.pins, before, landing) {
            Known::Locked
        } else {
            Known::New
        }
    }

    /// An interrupted bump that waits to be finished or undone; reading commands say so and mend nothing.
    pub fn pending(&self) -> Result<Option<Finding>, WorkflowError> {
        let pending = pending(&self.root)?.filter(|pending| pending.running.is_none());
        Ok(pending.as_ref().map(interrupted_finding))
    }

    /// In what the repository's own files disagree.
    pub fn disagreements(&self) -> Vec<Finding> {
        self.agreement().findings()
    }

    /// The repository's own files, to be held against each other.
    pub fn agreement(&self) -> Agreement<'_> {
        Agreement {
            root: &self.root,
            folder: self.folder(),
            pins: &self.pins,
            lock: &self.lock,
            overlays: &self.overlays,
            places: &self.config.places,
        }
    }

    /// The overlays with the given ids.
    pub fn overlays_named(&self, ids: &[String]) -> Vec<&Overlay> {
        ids.iter().filter_map(|id| self.overlays.get(id)).collect()
    }

    /// The pin of a release or a described commit.
    pub fn locked(&self, release: &str) -> Option<&LockedPin> {
        self.lock.pins.iter().find(|pin| pin.release == release)
    }
}

/// Returns the name to resolve a locked pin by: its release, else its commit.
pub(super) fn spec_of(pin: &LockedPin) -> RevisionSpec {
    spec(&pin.release, &pin.revision)
}

/// Returns the name to resolve a pin by.
pub(super) fn spec_of_pin(pin: &Pin) -> RevisionSpec {
    spec(&pin.release, &pin.revision)
}

fn spec(release: &str, revision: &str) -> RevisionSpec {
    match Version::parse(release) {
        Ok(release) => RevisionSpec::Release(release),
        Err(_) => RevisionSpec::Commit(revision.to_owned()),
    }
}

/// A revision as it is written on the command line.
pub(super) fn written(spec: &RevisionSpec) -> String {
    match spec {
        RevisionSpec::Release(release) => release.to_string(),
        RevisionSpec::Latest => "latest".to_owned(),
        RevisionSpec::Commit(text) | RevisionSpec::Name(text) => text.clone(),
    }
}

/// The command that locks a pin anew and leaves the current one current.
pub(super) fn bump_command(pin: &Pin, is_current: bool) -> String {
    let named = match pin.version() {
        Some(version) => version.to_string(),
        None => pin.revision.clone(),
    };
    let keep = if is_current { "" } else { " --keep-current" };
    format!("patchctl bump --mlx {named}{keep}")
}
