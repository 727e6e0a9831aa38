//! Asks the sources in order, and says what each had to say when none has the revision.

use std::sync::Arc;

use patchctl_apply::BlobId;
use semver::Version;

use super::crates::CratesSource;
use super::directory::DirectorySource;
use super::git::GitSource;
use super::settings::Settings;
use super::{History, Resolved, RevisionSpec, Source, SourceError, SourceSpec};

/// The reason for which upstream gave no revision.
#[derive(Debug, Clone, thiserror::Error)]
pub enum UpstreamError {
    /// No source has it; each says why. The surroundings are to blame: exit status 3.
    #[error("no source has {wanted}{}", list(.tried))]
    NoSource {
        /// The request.
        wanted: String,
        /// The answer of each source, in order.
        tried: Vec<SourceError>,
        /// The command.
        help: String,
    },
    /// A tag was moved: a failed check, exit status 1.
    #[error(transparent)]
    Moved(SourceError),
    /// Upstream's content is not taken: a failed check, exit status 1.
    #[error(transparent)]
    Refused(SourceError),
}

impl UpstreamError {
    /// The advice.
    pub fn help(&self) -> Option<&str> {
        match self {
            Self::NoSource { help, .. } => Some(help),
            Self::Refused(error) => error.help(),
            Self::Moved(_) => Some(
                "a released tag should never move: ask upstream why it did. To take the new commit in, bump to that \
                 commit by its id and review the change",
            ),
        }
    }

    /// Returns true if the surroundings (network, tools, files) are to blame rather than upstream itself.
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

/// The releases that there are, and who says so.
#[derive(Clone)]
pub struct Listed {
    /// Oldest first, without pre-releases.
    pub releases: Vec<Version>,
    /// The source that answered.
    pub source: Arc<dyn Source>,
    /// The sources before it in the order, and why they gave no answer.
    pub passed_over: Vec<SourceError>,
}

impl Listed {
    /// That what is wanted is not among the releases, where a source gave no answer that may have it.
    pub fn lacks(self, wanted: String) -> UpstreamError {
        no_source(wanted, self.passed_over)
    }
}

/// All sources, in the order in which they are asked.
pub struct Upstream {
    sources: Vec<Arc<dyn Source>>,
    settings: Option<Settings>,
}

impl Upstream {
    /// Opens nothing yet: a source is looked at when it is asked.
    pub fn new(order: Vec<SourceSpec>, settings: Settings) -> Self {
        let sources = order
            .into_iter()
            .map(|spec| source_of(spec, &settings))
            .collect();
        Self {
            sources,
            settings: Some(settings),
        }
    }

    /// Sources that are at hand already, for callers with their own.
    pub fn of(sources: Vec<Arc<dyn Source>>) -> Self {
        Self {
            sources,
            settings: None,
        }
    }

    /// The sources, in order.
    pub fn sources(&self) -> &[Arc<dyn Source>] {
        &self.sources
    }

    /// Finds a revision in the first source that has it; the newest release over all sources.
    pub fn resolve(&self, wanted: &RevisionSpec) -> Result<Found, UpstreamError> {
        if let Some(found) = self.known_at_hand(wanted) {
            return Ok(found);
        }
        if *wanted == RevisionSpec::Latest {
            return self.latest();
        }
        self.first_of(self.sources.iter(), wanted, Vec::new())
    }

    /// The newest release over all sources that answer; the first of those that have it gives it.
    fn latest(&self) -> Result<Found, UpstreamError> {
        let mut passed_over = Vec::new();
        let mut answers = Vec::new();
        for source in &self.sources {
            match source.releases() {
                Ok(releases) => answers.push((releases.into_iter().max(), source)),
                Err(error) => passed_over.push(error),
            }
        }
        // Sorting keeps the order of sources that have the same. One without releases says so when it is asked.
        answers.sort_by(|(one, _), (other, _)| other.cmp(one));
        let sources = answers.into_iter().map(|(_, source)| source);
        self.first_of(sources, &RevisionSpec::Latest, passed_over)
    }

    /// The first of the sources that has it.
    fn first_of<'s>(
        &self,
        sources: impl Iterator<Item = &'s Arc<dyn Source>>,
        wanted: &RevisionSpec,
        mut passed_over: Vec<SourceError>,
    ) -> Result<Found, UpstreamError> {
        for source in sources {
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
                Err(refused @ SourceError::Refused { .. }) => {
                    return Err(UpstreamError::Refused(refused));
                }
                Err(error) => passed_over.push(error),
            }
        }
        Err(no_source(wanted.to_string(), passed_over))
    }

    /// A revision whose commit is known beforehand and that is at hand: no source needs to be reached for it.
    fn known_at_hand(&self, wanted: &RevisionSpec) -> Option<Found> {
        let settings = self.settings.as_ref().filter(|it| it.prefer_cache)?;
        let known = match wanted {
            RevisionSpec::Release(release) => settings.known_commit(release)?,
            RevisionSpec::Commit(hex) if hex.len() == 40 => hex,
            _ => return None,
        };
        self.sources.iter().find_map(|source| {
            let revision = source.at_hand(wanted).filter(|it| it.commit == known)?;
            Some(Found {
                revision,
                source: Arc::clone(source),
                passed_over: Vec::new(),
            })
        })
    }

    /// Finds many revisions: the same as [`Upstream::resolve`] for each, with one trip to the network for all
    /// that the first source has to fetch.
    pub fn resolve_all(&self, wanted: &[RevisionSpec]) -> Vec<Result<Found, UpstreamError>> {
        if let Some(first) = self.sources.first() {
            first.prepare(wanted);
        }
        wanted.iter().map(|wanted| self.resolve(wanted)).collect()
    }

    /// Every release that the first source that answers has, oldest first, without pre-releases.
    pub fn releases(&self) -> Result<Vec<Version>, UpstreamError> {
        Ok(self.list()?.releases)
    }

    /// As [`Upstream::releases`], with the source that answered: one that carries a few releases only, such as
    /// `crates`, is a poor witness that there is no newer one.
    pub fn list(&self) -> Result<Listed, UpstreamError> {
        let mut passed_over = Vec::new();
        for source in &self.sources {
            match source.releases() {
                Ok(releases) => {
                    return Ok(Listed {
                        releases,
                        source: Arc::clone(source),
                        passed_over,
                    });
                }
                Err(error) => passed_over.push(error),
            }
        }
        Err(no_source("releases".into(), passed_over))
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
        SourceSpec::Directory(path) => Arc::new(DirectorySource::new(path, settings.clone())),
    }
}

fn no_source(wanted: String, tried: Vec<SourceError>) -> UpstreamError {
    let mut own: Vec<&str> = tried.iter().filter_map(SourceError::help).collect();
    own.dedup();
    let help = if tried.is_empty() {
        "name a source: `sources:` in patchctl.yaml, or --source git:URL | crates | dir:PATH"
            .to_owned()
    } else if own.is_empty() {
        "name a source that has it with --source git:PATH-OR-URL or dir:PATH; where a repository on this machine should \
         have it, bring its tags up to date (`git fetch --tags`)"
            .to_owned()
    } else {
        own.join("\n")
    };
    UpstreamError::NoSource {
        wanted,
        tried,
        help,
    }
}
