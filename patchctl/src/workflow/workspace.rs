//! The repository that a command works on: its files, and the sources that it names.

use camino::{Utf8Path, Utf8PathBuf};
use patchctl_apply::{BlobId, Lock, LockedPin};
use semver::Version;

use super::{Context, PinSelection};
use crate::overlay::{Overlay, Overlays, load_dir};
use crate::patch::{Landing, Verdict};
use crate::report::{Code, Error, Finding, Severity, counted};
use crate::upstream::{Found, RevisionSpec, Settings, Upstream};
use crate::workspace::{
    ACCEPTED_IN_ONE_PLACE, Agreement, Config, LOCK_FILE, Outcome, Pins, Reviewed, holds_landing,
    pending, release_order,
};

/// The repository's files, as they were read.
pub(super) struct Workspace<'a> {
    pub context: &'a Context,
    pub root: Utf8PathBuf,
    pub config: Config,
    pub lock: Lock,
    /// Empty in a workspace of the lock alone, as `pins` and `reviewed` are.
    pub overlays: Overlays,
    pub pins: Pins,
    pub reviewed: Reviewed,
}

impl<'a> Workspace<'a> {
    /// Reads everything. A repository without a lock has no pins.
    ///
    /// # Errors
    /// Everything that is wrong with the overlays; the first thing that is wrong with another file.
    pub fn open(context: &'a Context) -> Result<Self, Error> {
        Self::configured(context)?.complete()
    }

    /// Reads the configuration and the lock: what needs no overlay works while one is broken.
    ///
    /// # Errors
    /// When there is no root, and what is wrong with the first of the files.
    pub fn of_lock(context: &'a Context) -> Result<Self, Error> {
        let mut workspace = Self::configured(context)?;
        workspace.lock = workspace.read_lock()?;
        Ok(workspace)
    }

    /// Reads what [`Workspace::of_lock`] leaves out.
    ///
    /// # Errors
    /// As [`Workspace::open`].
    pub fn complete(mut self) -> Result<Self, Error> {
        let (root, folder) = (&self.root, &self.config.overlays);
        self.overlays = load_dir(root, folder)?;
        if root.join(folder).join(LOCK_FILE).exists() {
            self.lock = self.read_lock()?;
        }
        self.pins = Pins::load(root, folder)?;
        self.reviewed = Reviewed::load(root, folder)?;
        Ok(self)
    }

    fn configured(context: &'a Context) -> Result<Self, Error> {
        let root = context.root()?;
        Ok(Self {
            context,
            config: Config::load(&root)?,
            root,
            lock: Lock {
                schema: patchctl_apply::SCHEMA,
                pins: Vec::new(),
            },
            overlays: Overlays::default(),
            pins: Pins::default(),
            reviewed: Reviewed::default(),
        })
    }

    fn read_lock(&self) -> Result<Lock, Error> {
        let file = self.folder().join(LOCK_FILE);
        Lock::read_below(self.root.as_std_path(), file.as_std_path())
            .map_err(|error| super::error::lock_unusable(&file, &error))
    }

    /// The overlay folder relative to the root.
    pub fn folder(&self) -> &Utf8Path {
        &self.config.overlays
    }

    /// An overlay's file relative to the root.
    pub fn overlay_file(&self, overlay: &str) -> String {
        format!("{}/{overlay}.yaml", self.folder())
    }

    /// The sources: the command line's, else the configuration's.
    pub fn upstream(&self, prefer_cache: bool) -> Upstream {
        self.upstream_with(prefer_cache, self.context.offline)
    }

    /// The sources as they are on this machine, without the network.
    pub fn upstream_offline(&self) -> Upstream {
        self.upstream_with(true, true)
    }

    fn upstream_with(&self, prefer_cache: bool, offline: bool) -> Upstream {
        let order = match self.context.sources.as_slice() {
            [] => self.config.sources(&self.root),
            given => given.to_vec(),
        };
        let pins = self.lock.pins.iter();
        let known =
            pins.filter_map(|pin| Some((Version::parse(&pin.release).ok()?, pin.revision.clone())));
        let settings = Settings {
            offline,
            prefer_cache,
            known_commits: known.collect(),
            crates: self.config.crates.clone(),
            ..self.context.source_settings()
        };
        Upstream::new(order, settings)
    }

    /// A locked pin's revision in a source that has it: by its commit, from what is at hand if that is enough.
    ///
    /// # Errors
    /// When no source has it, or the one that has gives another commit for its release.
    pub fn found(&self, pin: &LockedPin) -> Result<Found, Error> {
        let commit = RevisionSpec::Commit(pin.revision.clone());
        self.upstream(true).resolve(&commit)
    }

    /// Returns the recorded verdict on a landing in upstream's blob `before`.
    pub fn known(&self, before: &BlobId, landing: &Landing) -> Option<Verdict> {
        if self.reviewed.holds(&landing.key, &landing.shape) {
            return Some(Verdict::Reviewed);
        }
        // Before, a merge left its trace in the lock alone.
        let is_in_the_lock = self.lock.schema < ACCEPTED_IN_ONE_PLACE;
        (is_in_the_lock && holds_landing(&self.lock.pins, before, landing))
            .then_some(Verdict::Locked)
    }

    /// A writing command that is at work, which is no disagreement, or one that was interrupted and waits to be finished
    /// or undone; reading commands say so and mend nothing.
    pub fn pending(&self) -> Result<Option<Finding>, Error> {
        Ok(pending(&self.root)?.map(|pending| {
            let files = counted(pending.files.len(), "file");
            let command = format!("`patchctl {}`", pending.command);
            if let Some(holder) = &pending.running {
                let process = holder.as_ref().map(|it| format!(" (process {})", it.pid));
                let process = process.unwrap_or_default();
                let message = format!("{command}{process} is writing {files}");
                return Finding::new(Code::CommandRunning, message);
            }
            let ending = match pending.outcome {
                Outcome::Finished => "finishes",
                Outcome::Undone => "undoes",
            };
            let message = format!("{command} was interrupted while it wrote {files}");
            Finding::new(Code::PendingTransaction, message).help(format!(
                "run any writing command, such as the bump again: it first {ending} the interrupted one"
            ))
        }))
    }

    /// The interrupted command of [`Workspace::pending`].
    pub fn interrupted(&self) -> Result<Option<Finding>, Error> {
        let pending = self.pending()?;
        Ok(pending.filter(|it| it.code == Code::PendingTransaction))
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

    /// The differences of the overlays at hand from those that the pin was locked with, as warnings: the lock alone decides
    /// what is applied. Overlays that cannot be read are a warning too; where there are none, nothing is compared.
    pub fn overlay_warnings(&self, pin: &LockedPin) -> Vec<Finding> {
        let found = match load_dir(&self.root, self.folder()) {
            Ok(overlays) if overlays.is_empty() => Vec::new(),
            Ok(overlays) => {
                let overlays = &overlays;
                let agreement = Agreement {
                    overlays,
                    ..self.agreement()
                };
                agreement.lock_and_edits(pin)
            }
            Err(faults) => Error::from(faults).findings(),
        };
        let as_warning = |finding: Finding| finding.severity(Severity::Warning);
        found.into_iter().map(as_warning).collect()
    }

    /// The command that locks a revision anew: a pin that is not current stays so.
    pub fn bump_command(&self, release: &str, revision: &str) -> String {
        let is_another =
            self.pins.get(release).is_some() && self.pins.current_release() != Some(release);
        let keep = if is_another { " --keep-current" } else { "" };
        format!("patchctl bump --mlx {}{keep}", spec(release, revision))
    }

    /// The overlays with the given ids.
    pub fn overlays_named(&self, ids: &[String]) -> Vec<&Overlay> {
        ids.iter().filter_map(|id| self.overlays.get(id)).collect()
    }

    /// The pin of a release or a described commit.
    pub fn locked(&self, release: &str) -> Option<&LockedPin> {
        self.lock.pins.iter().find(|pin| pin.release == release)
    }

    /// The current pin as the lock has it.
    pub fn current(&self) -> Option<&LockedPin> {
        self.locked(self.pins.current_release()?)
    }

    /// The locked pins of a selection. Only for the current one `pins.yaml` is read.
    ///
    /// # Errors
    /// When the lock has no such pin, `pins.yaml` is wrong, or there is no current pin.
    pub fn selected(&self, selection: &PinSelection) -> Result<Vec<&LockedPin>, Error> {
        match selection {
            PinSelection::All => Ok(self.lock.pins.iter().collect()),
            PinSelection::Named(name) => Ok(vec![self.pin(Some(name))?]),
            PinSelection::Current => Ok(vec![self.pin(None)?]),
        }
    }

    /// The locked pin that `named` means, or the current one.
    ///
    /// # Errors
    /// As [`Workspace::selected`].
    pub fn pin(&self, named: Option<&str>) -> Result<&LockedPin, Error> {
        let wanted = match named {
            Some(name) => name.to_owned(),
            None => {
                let pins = Pins::load(&self.root, self.folder())?;
                let current = pins.current_release().map(str::to_owned);
                current.ok_or_else(|| {
                    Error::usage("there is no current pin")
                        .help("name one with --mlx V, or make one current: patchctl bump --mlx V")
                })?
            }
        };
        self.lock.pin(&wanted).ok_or_else(|| {
            let releases: Vec<&str> = self.lock.pins.iter().map(|pin| &*pin.release).collect();
            let has = match releases.as_slice() {
                [] => "none".to_owned(),
                some => some.join(", "),
            };
            Error::new(
                Code::NoSuchPin,
                format!("the lock has no pin {wanted}, it has {has}"),
            )
            .help(format!(
                "name one of them, or add the pin: patchctl bump --mlx {wanted}"
            ))
        })
    }
}

/// Returns the name to resolve a pin by: its release, else its commit.
pub(super) fn spec(release: &str, revision: &str) -> RevisionSpec {
    match release_order(release) {
        Some((release, 0)) => RevisionSpec::Release(release),
        _ => RevisionSpec::Commit(revision.to_owned()),
    }
}
