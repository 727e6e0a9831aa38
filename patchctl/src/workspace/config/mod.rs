//! `patchctl.yaml`: where upstream comes from, where the overlays are, where else the pin is written.

mod checks;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use camino::{Utf8Path, Utf8PathBuf};
use schemars::JsonSchema;
use serde::Deserialize;

use super::ids::{check_commit, check_digest};
use super::place::{PinPlace, PinPlaces, RawPlace};
use crate::overlay::path_problem;
use crate::report::Code;
use crate::upstream::{CrateRelease, SourceSpec};
use crate::yaml::{Cursor, Faults, Form, YamlProblem, first_line, read, read_if_there, schema_of};
use checks::RawCheck;

pub use checks::{CheckCommand, Needs, OwnCheck};

/// The file that makes a folder a repository's root.
pub const CONFIG_FILE: &str = "patchctl.yaml";
/// The overlays' folder where the configuration names none.
const OVERLAYS: &str = "overlays/mlx";
/// The folder of the reviewed diffs where the configuration names none.
const SNAPSHOTS: &str = "tests/snapshots";
/// Upstream's name and repository where the configuration names none.
const UPSTREAM: &str = "mlx";
const UPSTREAM_GIT: &str = "https://github.com/ml-explore/mlx.git";

/// A repository's configuration, with defaults in place of what it leaves out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// The name of upstream in reports.
    pub upstream: String,
    pub(super) sources: Vec<SourceSpec>,
    /// Packages of crates.io that carry releases, besides the built-in ones.
    pub crates: Vec<CrateRelease>,
    /// The folder of the overlays, relative to the root.
    pub overlays: Utf8PathBuf,
    /// The folder of the reviewed diffs, relative to the root.
    pub snapshots: Utf8PathBuf,
    /// The other places of the pin.
    pub places: PinPlaces,
    /// The repository's own checks.
    pub checks: Vec<OwnCheck>,
}

/// What patchctl has to know of a repository. The folder of this file is the repository's root.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "the configuration", rename = "config")]
struct RawConfig {
    /// The version of this form. It is 1.
    #[schemars(range(min = 1, max = 1))]
    #[expect(dead_code, reason = "checked on the tree, before anything else is")]
    schema: u32,
    /// The project that the overlays change.
    upstream: Option<RawUpstream>,
    /// The folder of the overlays, `pins.yaml`, `lock.yaml` and `reviewed.yaml`; `overlays/mlx`, where it is left out.
    overlays: Option<String>,
    /// The folder of the reviewed diffs, one a pin and overlay; `tests/snapshots`, where it is left out.
    snapshots: Option<String>,
    /// Where else the repository keeps the current pin.
    pin: Option<RawPin>,
    /// Checks of the repository's own, for `patchctl verify --check` and `patchctl status --require`.
    #[serde(default)]
    checks: Vec<RawCheck>,
}

/// The project that the overlays change.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "`upstream`", rename = "upstream")]
struct RawUpstream {
    /// What reports call it; `mlx`, where it is left out.
    name: Option<String>,
    /// Where its revisions come from, in the order in which they are asked; MLX's repository, then crates.io, where
    /// it is left out.
    sources: Option<Vec<RawSource>>,
    /// Packages of crates.io that carry releases, besides those that patchctl knows.
    #[serde(default)]
    crates: Vec<CrateRelease>,
}

/// A source of revisions: `git: URL-OR-PATH`, `crates` or `dir: PATH`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "source")]
enum RawSource {
    /// A git repository, by URL or path.
    Git(String),
    /// Packages of crates.io that carry the tree.
    Crates,
    /// A folder that holds a tree.
    Dir(String),
}

/// Where else the current pin is written.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "`pin`", rename = "pin-places")]
struct RawPin {
    /// The place that the pin is kept in. `pins.yaml` has to agree with it.
    authority: Option<RawPlace>,
    /// Places that a bump rewrites.
    #[serde(default)]
    write: Vec<RawPlace>,
    /// Places that are reported when they are behind, and never written.
    #[serde(default)]
    follows: Vec<RawPlace>,
}

impl Form for RawConfig {}

impl Config {
    /// Reads the configuration of the repository at `root`.
    ///
    /// # Errors
    /// As [`Config::parse`], and where the file cannot be read.
    pub fn load(root: &Utf8Path) -> Result<Self, Faults> {
        let file = Utf8Path::new(CONFIG_FILE);
        match read_if_there(root, file)? {
            Some(bytes) => Self::parse(&bytes),
            None => {
                let problem = YamlProblem::Unreadable("there is no such file".to_owned());
                Err(Faults::of(file, &problem))
            }
        }
    }

    /// Returns the sources of upstream's revisions, in order; never empty. A relative path is from the root.
    pub fn sources(&self, root: &Utf8Path) -> Vec<SourceSpec> {
        let sources = self.sources.iter().cloned();
        sources.map(|source| source.relative_to(root)).collect()
    }

    /// Reads the bytes of `patchctl.yaml`.
    ///
    /// # Errors
    /// All that is wrong with it: its form, a source that is none, a path that leaves the repository, a place
    /// that cannot be found as it says.
    pub fn parse(bytes: &[u8]) -> Result<Self, Faults> {
        read(Utf8Path::new(CONFIG_FILE), bytes, |raw: RawConfig, at| {
            let upstream = raw.upstream.unwrap_or_default();
            let at_upstream = at.key("upstream");
            check_crates(&upstream.crates, at_upstream.key("crates"));
            Some(Self {
                overlays: folder(raw.overlays, OVERLAYS, at.key("overlays")),
                snapshots: folder(raw.snapshots, SNAPSHOTS, at.key("snapshots")),
                sources: sources(&upstream, at_upstream.key("sources")),
                upstream: upstream.name.unwrap_or_else(|| UPSTREAM.to_owned()),
                crates: upstream.crates,
                checks: checks::checks(raw.checks, at.key("checks")),
                places: places(raw.pin.unwrap_or_default(), at.key("pin"))?,
            })
        })
    }
}

fn folder(raw: Option<String>, default: &str, at: Cursor<'_>) -> Utf8PathBuf {
    let path = raw.as_deref().unwrap_or(default).trim_end_matches('/');
    check_path(path, at);
    path.into()
}

fn check_path(path: &str, at: Cursor<'_>) {
    if let Some(why) = path_problem(path) {
        let help = "write it relative to the repository's root, with `/`";
        at.fault(Code::ConfigBadPath, why, help);
    }
}

fn sources(raw: &RawUpstream, at: Cursor<'_>) -> Vec<SourceSpec> {
    let Some(list) = &raw.sources else {
        return vec![
            SourceSpec::GitUrl(UPSTREAM_GIT.to_owned()),
            SourceSpec::Crates,
        ];
    };
    let once = "write each once, in the order in which they are asked";
    if list.is_empty() {
        at.fault(Code::ConfigBadSource, "there is no source", once);
    }
    let mut sources = Vec::new();
    for (raw, at) in at.each(list) {
        let text = match raw {
            RawSource::Git(place) => format!("git:{place}"),
            RawSource::Crates => "crates".to_owned(),
            RawSource::Dir(place) => format!("dir:{place}"),
        };
        match text.parse::<SourceSpec>() {
            Ok(source) if sources.contains(&source) => {
                at.fault(Code::ConfigBadSource, "this source is here twice", once);
            }
            Ok(source) => sources.push(source),
            Err(error) => at.fault(
                Code::ConfigBadSource,
                format!("source {text:?}: {error}"),
                error.advice().unwrap_or_default(),
            ),
        }
    }
    sources
}

fn check_crates(rows: &[CrateRelease], at: Cursor<'_>) {
    let mut seen = HashMap::new();
    for (row, at) in at.each(rows) {
        check_commit(&row.commit, at.key("commit"));
        check_digest("tree id", &row.tree, 40..=40, at.key("tree"));
        let checksum = at.key("package").key("checksum");
        check_digest("SHA-256", &row.package.checksum, 64..=64, checksum);
        if let Some(first) = first_line(&mut seen, &row.release, at) {
            let release = &row.release;
            let message = format!("the release `{release}` is pinned twice, first on line {first}");
            at.fault(Code::PinsTwice, message, "keep one of them");
        }
    }
}

fn places(raw: RawPin, at: Cursor<'_>) -> Option<PinPlaces> {
    let mut seen: Vec<PinPlace> = Vec::new();
    let mut place = |raw: RawPlace, at: Cursor<'_>| {
        check_path(&raw.file, at.key("file"));
        let place = PinPlace::of(raw, at)?;
        let same = |one: &&PinPlace| (&one.file, &one.way) == (&place.file, &place.way);
        if let Some(PinPlace { line, .. }) = seen.iter().find(same) {
            let message = format!("this place is here twice, first on line {line}");
            at.fault(Code::ConfigBadPlace, message, "keep one of them");
        }
        seen.push(place.clone());
        Some(place)
    };
    let authority = raw.authority.map(|raw| place(raw, at.key("authority")));
    let mut list = |raw: Vec<RawPlace>, key| -> Vec<Option<PinPlace>> {
        let each = at.key(key).each(raw);
        each.map(|(raw, at)| place(raw, at)).collect()
    };
    let (write, follows) = (list(raw.write, "write"), list(raw.follows, "follows"));
    Some(PinPlaces {
        authority: match authority {
            Some(place) => Some(place?),
            None => None,
        },
        write: write.into_iter().collect::<Option<_>>()?,
        follows: follows.into_iter().collect::<Option<_>>()?,
    })
}

/// The JSON Schema of `patchctl.yaml`, for editors.
pub fn config_schema() -> serde_json::Value {
    schema_of::<RawConfig>()
}
