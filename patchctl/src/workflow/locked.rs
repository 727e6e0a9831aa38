//! The part of a repository that a command needs to work from the lock alone: the lock, the pin, and upstream's files of
//! that pin where they are wanted. The overlays themselves are not read.

use std::cell::OnceCell;

use camino::{Utf8Path, Utf8PathBuf};
use patchctl_apply::{Lock, LockedFile, LockedPin};

use super::{Context, WorkflowError};
use crate::patch::PatchedFile;
use crate::report::{Code, Finding};
use crate::upstream::{CrateRelease, Found, RevisionSpec, Settings, SourceSpec, Upstream};
use crate::workspace::{Config, LOCK_FILE, Pins};

/// A selection of locked pins.
#[derive(Debug)]
pub(crate) enum PinSelection {
    /// The current one.
    Current,
    /// Every one.
    All,
    /// The one with this release, or this commit as git describes it.
    Named(String),
}

/// A repository, as far as its lock goes.
pub(super) struct Locked {
    /// The lock.
    pub lock: Lock,
    root: Utf8PathBuf,
    folder: Utf8PathBuf,
    sources: Vec<SourceSpec>,
    crates: Vec<CrateRelease>,
}

impl Locked {
    /// Reads the configuration and the lock.
    ///
    /// # Errors
    /// When there is no root, and what is wrong with the first of the files.
    pub fn open(context: &Context) -> Result<Self, WorkflowError> {
        let root = context.root()?;
        let config = Config::load(&root)?;
        let sources = match context.sources.as_slice() {
            [] => config.sources(&root),
            given => given.to_vec(),
        };
        Ok(Self {
            lock: read_lock(&root, &config.overlays)?,
            root,
            folder: config.overlays,
            sources,
            crates: config.crates,
        })
    }

    /// The locked pin that `named` means, or the current one, for which alone `pins.yaml` is read.
    ///
    /// # Errors
    /// When the lock has no such pin, `pins.yaml` is wrong, or there is no current pin.
    pub fn pin(&self, named: Option<&str>) -> Result<&LockedPin, WorkflowError> {
        let wanted = match named {
            Some(name) => name.to_owned(),
            None => self.current()?,
        };
        self.lock.pin(&wanted).ok_or_else(|| {
            let releases: Vec<&str> = self.lock.pins.iter().map(|pin| &*pin.release).collect();
            let has = match releases.as_slice() {
                [] => "none".to_owned(),
                some => some.join(", "),
            };
            WorkflowError::new(
                Code::NoSuchPin,
                format!("the lock has no pin {wanted}, it has {has}"),
            )
            .help(format!(
                "name one of them, or add the pin: patchctl bump --mlx {wanted}"
            ))
        })
    }

    /// The locked pins of a selection.
    ///
    /// # Errors
    /// When the lock has no such pin, or there is no current pin.
    pub fn pins(&self, selection: &PinSelection) -> Result<Vec<&LockedPin>, WorkflowError> {
        match selection {
            PinSelection::All => Ok(self.lock.pins.iter().collect()),
            PinSelection::Named(name) => Ok(vec![self.pin(Some(name))?]),
            PinSelection::Current => Ok(vec![self.pin(None)?]),
        }
    }

    fn current(&self) -> Result<String, WorkflowError> {
        let pins = Pins::load(&self.root, &self.folder)?;
        let current = pins.current_release().map(str::to_owned);
        current.ok_or_else(|| {
            WorkflowError::usage("there is no current pin")
                .help("name one with --mlx V, or make one current: patchctl bump --mlx V")
        })
    }
}

/// The lock in the overlay folder `folder` of `root`.
///
/// # Errors
/// When it is missing, unreadable or damaged.
pub(super) fn read_lock(root: &Utf8Path, folder: &Utf8Path) -> Result<Lock, WorkflowError> {
    let file: Utf8PathBuf = folder.join("lock.yaml");
    Lock::read_below(root.as_std_path(), file.as_std_path())
        .map_err(|error| super::error::lock_unusable(&file, &error))
}

/// Upstream's files of a locked pin: from what is at hand, else from the first source that has the revision.
pub(super) struct PinnedFiles<'a> {
    upstream: Upstream,
    pin: &'a LockedPin,
    found: OnceCell<Found>,
}

impl<'a> PinnedFiles<'a> {
    /// Asks nothing yet.
    pub fn new(locked: &Locked, context: &Context, pin: &'a LockedPin) -> Self {
        let settings = Settings {
            prefer_cache: true,
            crates: locked.crates.clone(),
            ..context.source_settings()
        };
        Self {
            upstream: Upstream::new(locked.sources.clone(), settings),
            pin,
            found: OnceCell::new(),
        }
    }

    /// The pin's revision in a source that has it.
    ///
    /// # Errors
    /// When no source has it, or the one that has gives another commit for its release.
    pub fn found(&self) -> Result<&Found, WorkflowError> {
        if let Some(found) = self.found.get() {
            return Ok(found);
        }
        let spec = RevisionSpec::Commit(self.pin.revision.clone());
        let found = self.upstream.resolve(&spec)?;
        Ok(self.found.get_or_init(|| found))
    }

    /// A file's bytes before the overlays.
    ///
    /// # Errors
    /// As [`PinnedFiles::found`], or when the revision has no such file.
    pub fn read(&self, file: &LockedFile) -> Result<Vec<u8>, WorkflowError> {
        if let Some(bytes) = self.upstream.read_blob(&file.before) {
            return Ok(bytes);
        }
        let Found {
            revision, source, ..
        } = self.found()?;
        let blob = source.read(revision, Utf8Path::new(&file.path))?;
        blob.map(|blob| blob.bytes)
            .ok_or_else(|| WorkflowError::usage(format!(
                    "{} has no {} at {}",
                    source.name(),
                    file.path,
                    self.pin.revision
                )).help("the lock names a file that its revision does not have: write it anew with `patchctl bump`"))
    }
}

/// A lock that does not fit upstream's files, or a source that cannot be read.
pub(super) enum Unpatched {
    /// The pin's row says it.
    Unfit(Finding),
    /// The command ends.
    Command(WorkflowError),
}

/// A pin's patched files, as the lock makes them from upstream's.
///
/// # Errors
/// When the source cannot be read, and when the lock does not fit its files.
pub(super) fn patched_files(
    found: &Found,
    pin: &LockedPin,
) -> Result<Vec<PatchedFile>, Box<Unpatched>> {
    let mut files = Vec::new();
    for file in &pin.files {
        let path = Utf8PathBuf::from(&file.path);
        let upstream = found.source.read(&found.revision, &path);
        let upstream = upstream.map_err(|error| Unpatched::Command(error.into()))?;
        match file.patch(&upstream.map(|blob| blob.bytes).unwrap_or_default()) {
            Ok(bytes) => files.push(PatchedFile {
                path,
                before: file.before.clone(),
                after: file.after.clone(),
                bytes,
                splices: file.splices.clone(),
            }),
            Err(error) => {
                let finding = lock_mismatch(error.to_string());
                return Err(Unpatched::Unfit(finding).into());
            }
        }
    }
    Ok(files)
}

/// The lock is not of what it is held against.
pub(super) fn lock_mismatch(message: String) -> Finding {
    Finding::new(Code::LockMismatch, message)
        .file(LOCK_FILE.to_owned())
        .help("write the lock anew: patchctl bump --all-pins")
}
