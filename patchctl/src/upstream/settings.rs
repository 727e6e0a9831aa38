//! The settings of the sources, read from the command line, the configuration and the lock.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::sync::Arc;
use std::time::Duration;

use camino::Utf8PathBuf;
use semver::Version;

use super::crates::CrateRelease;
use super::revision::tag_moved;
use super::{Progress, Quiet};
use crate::report::Error;
use crate::store::Cache;

/// The settings of the sources. The caller reads them from the command line, the configuration and the lock.
#[derive(Clone)]
pub struct Settings {
    /// The cache's root: `$XDG_CACHE_HOME/patchctl` or `~/.cache/patchctl`. Made when first needed.
    pub cache: Utf8PathBuf,
    /// `--offline`: only this machine is asked.
    pub offline: bool,
    /// Revisions on this machine are taken without asking the network. For commands that work on pins; a bump
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
    /// The time that a server may take to give its first answer.
    pub first_answer: Duration,
    /// The time that a transfer may stand still.
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

    /// The cache.
    pub(super) fn store(&self) -> Cache {
        Cache::new(&self.cache, &self.progress)
    }

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
    ) -> Result<(), Error> {
        match self.known_commit(release) {
            Some(was) if was != now => Err(tag_moved(source, tag, was, now)),
            _ => Ok(()),
        }
    }
}
