//! Asks the sources in order. Where none has the revision, the error gives the answer of each.

use std::sync::Arc;

use patchctl_apply::BlobId;
use semver::Version;

use super::crates::rows;
use super::directory::DirectorySource;
use super::git::GitSource;
use super::settings::Settings;
use super::{History, Resolved, RevisionSpec, Source, SourceSpec};
use crate::report::{Code, Error};

/// A revision, and the source that has it.
#[derive(Clone)]
pub struct Found {
    /// The revision.
    pub revision: Resolved,
    /// Where its files are read from.
    pub source: Arc<dyn Source>,
    /// The sources before it in the order, and why they were passed over.
    pub passed_over: Vec<Error>,
}

impl Found {
    /// A revision of a source that was asked alone.
    pub(crate) fn new(revision: Resolved, source: &Arc<dyn Source>) -> Self {
        Self {
            revision,
            source: Arc::clone(source),
            passed_over: Vec::new(),
        }
    }
}

/// The releases of one source.
#[derive(Clone)]
pub struct Listed {
    /// Oldest first, without pre-releases.
    pub releases: Vec<Version>,
    /// The source that answered.
    pub source: Arc<dyn Source>,
    /// The sources before it in the order, and why they gave no answer.
    pub passed_over: Vec<Error>,
}

impl Listed {
    /// The error that `wanted` is not among the releases, where a source that may have it gave no answer.
    pub fn lacks(&self, wanted: &str) -> Error {
        no_source(wanted, &self.passed_over)
    }
}

/// All sources, in the order in which they are asked.
pub struct Upstream {
    sources: Vec<Arc<dyn Source>>,
    settings: Settings,
}

impl Upstream {
    /// Opens nothing yet: a source is looked at when it is asked.
    pub fn new(order: Vec<SourceSpec>, settings: Settings) -> Self {
        let sources = order
            .into_iter()
            .map(|spec| source_of(spec, &settings))
            .collect();
        Self { sources, settings }
    }

    /// The sources, in order.
    pub fn sources(&self) -> &[Arc<dyn Source>] {
        &self.sources
    }

    /// Finds a revision in the first source that has it; the newest release over all sources.
    pub fn resolve(&self, wanted: &RevisionSpec) -> Result<Found, Error> {
        if let Some(found) = self.known_at_hand(wanted) {
            return Ok(found);
        }
        if *wanted == RevisionSpec::Latest {
            return self.latest();
        }
        resolve_in(self.sources.iter(), wanted, Vec::new())
    }

    /// The newest release over all sources that answer; the first of those that have it gives it.
    fn latest(&self) -> Result<Found, Error> {
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
        resolve_in(sources, &RevisionSpec::Latest, passed_over)
    }

    /// A revision whose commit is known beforehand and that is at hand: no source needs to be reached for it.
    fn known_at_hand(&self, wanted: &RevisionSpec) -> Option<Found> {
        let known = match wanted {
            _ if !self.settings.prefer_cache => return None,
            RevisionSpec::Release(release) => self.settings.known_commit(release)?,
            RevisionSpec::Commit(hex) if hex.len() == 40 => hex,
            _ => return None,
        };
        self.sources.iter().find_map(|source| {
            let revision = source.at_hand(wanted).filter(|it| it.commit == known)?;
            Some(Found::new(revision, source))
        })
    }

    /// Finds many revisions: the same as [`Upstream::resolve`] for each, with one trip to the network for all
    /// that the first source has to fetch.
    pub fn resolve_all(&self, wanted: &[RevisionSpec]) -> Vec<Result<Found, Error>> {
        if let Some(first) = self.sources.first() {
            first.prepare(wanted);
        }
        wanted.iter().map(|wanted| self.resolve(wanted)).collect()
    }

    /// Every release that the first source that answers has, with that source: one that carries a few releases only, such
    /// as `crates`, is a poor witness that there is no newer one.
    pub fn list(&self) -> Result<Listed, Error> {
        let ask = |source: &dyn Source| source.releases();
        let mut passed_over = Vec::new();
        let (releases, source) = first_of(self.sources.iter(), "releases", &mut passed_over, ask)?;
        Ok(Listed {
            releases,
            source,
            passed_over,
        })
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

/// Finds the revision in the first of the sources that has it.
fn resolve_in<'s>(
    sources: impl Iterator<Item = &'s Arc<dyn Source>>,
    wanted: &RevisionSpec,
    mut passed_over: Vec<Error>,
) -> Result<Found, Error> {
    let ask = |source: &dyn Source| source.resolve(wanted);
    let (revision, source) = first_of(sources, &wanted.to_string(), &mut passed_over, ask)?;
    Ok(Found {
        revision,
        source,
        passed_over,
    })
}

/// The answer of the first of the sources that gives one. The errors of those before it go into `passed_over`.
fn first_of<'s, T>(
    sources: impl Iterator<Item = &'s Arc<dyn Source>>,
    wanted: &str,
    passed_over: &mut Vec<Error>,
    ask: impl Fn(&dyn Source) -> Result<T, Error>,
) -> Result<(T, Arc<dyn Source>), Error> {
    for source in sources {
        match ask(&**source) {
            Ok(answer) => return Ok((answer, Arc::clone(source))),
            // Upstream's own fault, which another source must not hide.
            Err(error) if error.is(Code::TagMoved) || error.is(Code::UpstreamRefused) => {
                return Err(error);
            }
            Err(error) => passed_over.push(error),
        }
    }
    Err(no_source(wanted, passed_over))
}

fn source_of(spec: SourceSpec, settings: &Settings) -> Arc<dyn Source> {
    match spec {
        SourceSpec::GitPath(path) => Arc::new(GitSource::local(&path, settings.clone())),
        SourceSpec::GitUrl(url) => Arc::new(GitSource::url(url, settings.clone())),
        SourceSpec::Crates => Arc::new(GitSource::packages(
            rows(&settings.crates),
            settings.clone(),
        )),
        SourceSpec::Directory(path) => Arc::new(DirectorySource::new(path, settings.clone())),
    }
}

/// No source has `wanted`. The surroundings are to blame.
fn no_source(wanted: &str, tried: &[Error]) -> Error {
    let mut own: Vec<&str> = tried.iter().filter_map(Error::advice).collect();
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
    let answers: String = tried.iter().map(|error| format!("\n  {error}")).collect();
    Error::new(Code::NoSource, format!("no source has {wanted}{answers}")).help(help)
}
