//! Asks the sources in order, and says what each had to say when none has the revision.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::sync::Arc;
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use patchctl_apply::BlobId;
use semver::Version;

use super::crates::{CrateRelease, CratesSource};
use super::git::GitSource;
use super::{
    Blob, History, Progress, Quiet, Resolved, RevisionSpec, Source, SourceError, SourceSpec,
};

/// What the sources need to know. Read from the command line, the configuration and the lock by the caller.
#[derive(Clone)]
pub struct Settings {
    /// The cache's root: `$XDG_CACHE_HOME/patchctl` or `~/.cache/patchctl`. Made when first needed.
    pub cache: Utf8PathBuf,
    /// `--offline`: only what is on this machine.
    pub offline: bool,
    /// A release whose commit is known and cached is taken from there without asking the network. For
    /// commands that work on pins; a bump asks, so that it notices a moved tag.
    pub prefer_cache: bool,
    /// The commits that the lock holds for releases; a tag that is elsewhere is an alarm.
    pub known_commits: BTreeMap<Version, String>,
    /// Rows of `patchctl.yaml` for the table of packages; they win over the built-in ones.
    pub crates: Vec<CrateRelease>,
    /// Told about long work.
    pub progress: Arc<dyn Progress>,
    /// The user's git, for URLs.
    pub git: OsString,
    /// The user's cargo, for `crates`.
    pub cargo: OsString,
    /// How long a server may take to give its first answer.
    pub first_answer: Duration,
    /// How long a transfer may stand still.
    pub stall: Duration,
}

impl Settings {
    /// Settings with `cache` and otherwise the defaults: online, nothing known, quiet.
    pub fn new(cache: impl Into<Utf8PathBuf>) -> Self {
        Self {
            cache: cache.into(),
            offline: false,
            prefer_cache: false,
            known_commits: BTreeMap::new(),
            crates: Vec::new(),
            progress: Arc::new(Quiet),
            git: "git".into(),
            cargo: "cargo".into(),
            first_answer: Duration::from_secs(9),
            stall: Duration::from_secs(60),
        }
    }
}

/// Why upstream gave no revision.
#[derive(Debug, Clone, thiserror::Error)]
pub enum UpstreamError {
    /// No source has it; each says why. The surroundings are to blame: exit status 3.
    #[error("no source has {wanted}{}", list(.tried))]
    NoSource {
        /// What was asked for.
        wanted: String,
        /// What each source had to say, in order.
        tried: Vec<SourceError>,
        /// What to do.
        help: String,
    },
    /// A tag was moved: a failed check, exit status 1.
    #[error(transparent)]
    Moved(SourceError),
}

impl UpstreamError {
    /// What to do about it.
    pub fn help(&self) -> Option<&str> {
        match self {
            Self::NoSource { help, .. } => Some(help),
            Self::Moved(_) => Some(
                "a released tag should never move: ask upstream why it did. To take the new commit in, bump to that \
                 commit by its id and review the change",
            ),
        }
    }

    /// Whether the surroundings (network, tools, files) are to blame rather than upstream itself.
    pub fn is_surroundings(&self) -> bool {
        matches!(self, Self::NoSource { .. })
    }
}

fn list(tried: &[SourceError]) -> String {
    tried.iter().map(|error| format!("\n  {error}")).collect()
}

/// A revision, and the source that has it.
#[derive(Clone)]
pub struct Found {
    /// The revision.
    pub revision: Resolved,
    /// Where its files are read from.
    pub source: Arc<dyn Source>,
    /// The sources before it in the order, and why they were passed over.
    pub passed_over: Vec<SourceError>,
}

/// All sources, in the order in which they are asked.
pub struct Upstream {
    sources: Vec<Arc<dyn Source>>,
}

impl Upstream {
    /// Opens nothing yet: a source is looked at when it is asked.
    pub fn new(order: Vec<SourceSpec>, settings: Settings) -> Self {
        let sources = order
            .into_iter()
            .map(|spec| source_of(spec, &settings))
            .collect();
        Self { sources }
    }

    /// Sources that are at hand already, for callers with their own.
    pub fn of(sources: Vec<Arc<dyn Source>>) -> Self {
        Self { sources }
    }

    /// The sources, in order.
    pub fn sources(&self) -> &[Arc<dyn Source>] {
        &self.sources
    }

    /// Finds a revision in the first source that has it.
    pub fn resolve(&self, wanted: &RevisionSpec) -> Result<Found, UpstreamError> {
        let mut passed_over = Vec::new();
        for source in &self.sources {
            match source.resolve(wanted) {
                Ok(revision) => {
                    return Ok(Found {
                        revision,
                        source: Arc::clone(source),
                        passed_over,
                    });
                }
                Err(moved @ SourceError::TagMoved { .. }) => {
                    return Err(UpstreamError::Moved(moved));
                }
                Err(error) => passed_over.push(error),
            }
        }
        Err(no_source(wanted.to_string(), passed_over))
    }

    /// Finds many revisions; the same as [`Upstream::resolve`] for each, with one trip to the network where
    /// that is enough.
    pub fn resolve_all(&self, wanted: &[RevisionSpec]) -> Vec<Result<Found, UpstreamError>> {
        if let Some(first) = self.sources.first() {
            first.prepare(wanted);
        }
        wanted.iter().map(|wanted| self.resolve(wanted)).collect()
    }

    /// Every release that the first source that answers has, oldest first, without pre-releases.
    pub fn releases(&self) -> Result<Vec<Version>, UpstreamError> {
        let mut tried = Vec::new();
        for source in &self.sources {
            match source.releases() {
                Ok(releases) => return Ok(releases),
                Err(error) => tried.push(error),
            }
        }
        Err(no_source("releases".into(), tried))
    }

    /// The first source with a history.
    pub fn history(&self) -> Option<&dyn History> {
        self.sources.iter().find_map(|source| source.history())
    }

    /// A blob by its id, from any source that has it at hand; never asks the network.
    pub fn read_blob(&self, id: &BlobId) -> Option<Vec<u8>> {
        self.sources.iter().find_map(|source| source.read_blob(id))
    }
}

fn source_of(spec: SourceSpec, settings: &Settings) -> Arc<dyn Source> {
    match spec {
        SourceSpec::GitPath(path) => Arc::new(GitSource::local(&path, settings.clone())),
        SourceSpec::GitUrl(url) => Arc::new(GitSource::url(url, settings.clone())),
        SourceSpec::Crates => Arc::new(CratesSource::new(settings.clone())),
        other @ SourceSpec::Directory(_) => Arc::new(NotBuilt(other)),
    }
}

/// Stands in for a source that is still being written.
struct NotBuilt(SourceSpec);

impl NotBuilt {
    fn say<T>(&self) -> Result<T, SourceError> {
        Err(SourceError::Unreachable {
            source_name: self.0.to_string(),
            why: "this kind of source is not built yet".into(),
            help: None,
        })
    }
}

impl Source for NotBuilt {
    fn name(&self) -> String {
        self.0.to_string()
    }
    fn resolve(&self, _: &RevisionSpec) -> Result<Resolved, SourceError> {
        self.say()
    }
    fn releases(&self) -> Result<Vec<Version>, SourceError> {
        self.say()
    }
    fn blob_id(&self, _: &Resolved, _: &Utf8Path) -> Result<Option<BlobId>, SourceError> {
        self.say()
    }
    fn read(&self, _: &Resolved, _: &Utf8Path) -> Result<Option<Blob>, SourceError> {
        self.say()
    }
    fn read_blob(&self, _: &BlobId) -> Option<Vec<u8>> {
        None
    }
    fn paths(&self, _: &Resolved) -> Result<Vec<String>, SourceError> {
        self.say()
    }
    fn materialise(&self, _: &Resolved, _: &Utf8Path) -> Result<(), SourceError> {
        self.say()
    }
    fn history(&self) -> Option<&dyn History> {
        None
    }
}

fn no_source(wanted: String, tried: Vec<SourceError>) -> UpstreamError {
    let own: Vec<&str> = tried.iter().filter_map(SourceError::help).collect();
    let help = if tried.is_empty() {
        "name a source: `sources:` in patchctl.yaml, or --source git:URL | crates | dir:PATH"
            .to_owned()
    } else if own.is_empty() {
        "name a source that has it with --source git:PATH-OR-URL or dir:PATH".to_owned()
    } else {
        own.join("\n")
    };
    UpstreamError::NoSource {
        wanted,
        tried,
        help,
    }
}
