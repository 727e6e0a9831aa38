//! The settings of the sources, read from the command line, the configuration and the lock.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::sync::Arc;
use std::time::Duration;

use camino::Utf8PathBuf;
use semver::Version;

use super::crates::CrateRelease;
use super::{Progress, Quiet, SourceError};

/// The settings of the sources. The caller reads them from the command line, the configuration and the lock.
#[derive(Clone)]
pub struct Settings {
    /// The cache's root: `$XDG_CACHE_HOME/patchctl` or `~/.cache/patchctl`. Made when first needed.
    pub cache: Utf8PathBuf,
    /// `--offline`: only what is on this machine.
    pub offline: bool,
    /// What is on this machine is taken without asking the network. For commands that work on pins; a bump
    /// asks, so that it notices a moved tag. A release whose commit is known comes from the first source that
    /// has that commit at hand, whatever its place in the order.
    pub prefer_cache: bool,
    /// The commits that the lock holds for releases; a tag that is elsewhere is an alarm. An empty one is none.
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

impl Settings {
    /// The commit that the lock holds for a release; a folder's pin has none.
    pub(super) fn known_commit(&self, release: &Version) -> Option<&str> {
        let known = self.known_commits.get(release)?;
        (!known.is_empty()).then_some(known.as_str())
    }

    /// A release that is not where the lock saw it is an alarm, whoever moved it.
    pub(super) fn check_not_moved(
        &self,
        source: &str,
        release: &Version,
        tag: &str,
        now: &str,
    ) -> Result<(), SourceError> {
        match self.known_commit(release) {
            Some(was) if was != now => Err(SourceError::TagMoved {
                source_name: source.into(),
                tag: tag.into(),
                was: was.to_owned(),
                now: now.into(),
            }),
            _ => Ok(()),
        }
    }
}
