//! `patchctl.yaml`: where upstream comes from, where the overlays are, where else the pin is written.

use std::collections::HashMap;

use camino::{Utf8Path, Utf8PathBuf};
use semver::Version;

use super::super::place::PinPlace;
use super::super::problem::{PinsProblem, is_hex};
use super::checks::{OwnCheck, checks};
use super::yaml::{RawConfig, RawPin, RawPlace, RawSource, RawUpstream};
use crate::overlay::path_problem;
use crate::upstream::{CrateRelease, SourceSpec};
use crate::yaml::{self, Fault, Faults, Node, Problems, YamlProblem, schema_of};

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
    /// What reports call upstream.
    pub upstream: String,
    pub(super) sources: Vec<SourceSpec>,
    /// Packages of crates.io that carry releases, besides the built-in ones.
    pub crates: Vec<CrateRelease>,
    /// The folder of the overlays, relative to the root.
    pub overlays: Utf8PathBuf,
    /// The folder of the reviewed diffs, relative to the root.
    pub snapshots: Utf8PathBuf,
    /// Where else the pin is written.
    pub places: PinPlaces,
    /// The repository's own checks.
    pub checks: Vec<OwnCheck>,
}

/// The places of a repository that hold its current pin, besides `pins.yaml`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PinPlaces {
    /// Where the pin is kept: `pins.yaml` has to agree with it.
    pub authority: Option<PinPlace>,
    /// Rewritten by a bump.
    pub write: Vec<PinPlace>,
    /// Reported when behind, never written.
    pub follows: Vec<PinPlace>,
}

impl yaml::Form for RawConfig {}

impl Config {
    /// Reads the configuration of the repository at `root`.
    ///
    /// # Errors
    /// As [`Config::parse`], and where the file cannot be read.
    pub fn load(root: &Utf8Path) -> Result<Self, Faults> {
        let file = Utf8Path::new(CONFIG_FILE);
        match yaml::read_if_there(root, file)? {
            Some(bytes) => Self::parse(&bytes),
            None => {
                let problem = YamlProblem::Unreadable("there is no such file".to_owned());
                Err(Fault::new(file, None, &problem).into())
            }
        }
    }

    /// Where upstream's revisions come from, in order; never empty. A relative path is from the root.
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
        yaml::read(
            Utf8Path::new(CONFIG_FILE),
            bytes,
            |raw: RawConfig, node, problems| {
                let upstream = raw.upstream.unwrap_or_default();
                let overlays = raw.overlays.unwrap_or_else(|| OVERLAYS.to_owned());
                check_path(
                    overlays.trim_end_matches('/'),
                    node.key("overlays"),
                    problems,
                );
                let snapshots = raw.snapshots.unwrap_or_else(|| SNAPSHOTS.to_owned());
                check_path(
                    snapshots.trim_end_matches('/'),
                    node.key("snapshots"),
                    problems,
                );
                let sources = sources(&upstream, node.key("upstream"), problems);
                check_crates(
                    &upstream.crates,
                    node.key("upstream").key("crates"),
                    problems,
                );
                let places = places(raw.pin.unwrap_or_default(), node.key("pin"), problems);
                let checks = checks(raw.checks, node.key("checks"), problems);
                Some(Self {
                    upstream: upstream.name.unwrap_or_else(|| UPSTREAM.to_owned()),
                    sources,
                    crates: upstream.crates,
                    overlays: overlays.trim_end_matches('/').into(),
                    snapshots: snapshots.trim_end_matches('/').into(),
                    places: places?,
                    checks,
                })
            },
        )
    }
}

fn check_path(path: &str, node: &Node, problems: &mut Problems<'_>) {
    if let Some(why) = path_problem(path) {
        problems.push(node.mark, PinsProblem::BadPath(why));
    }
}

fn sources(raw: &RawUpstream, node: &Node, problems: &mut Problems<'_>) -> Vec<SourceSpec> {
    let Some(list) = &raw.sources else {
        return vec![
            SourceSpec::GitUrl(UPSTREAM_GIT.to_owned()),
            SourceSpec::Crates,
        ];
    };
    let node = node.key("sources");
    if list.is_empty() {
        problems.push(node.mark, PinsProblem::Sources("there is no source"));
    }
    let mut sources = Vec::new();
    for (index, raw) in list.iter().enumerate() {
        let mark = node.item(index).mark;
        let text = match raw {
            RawSource::Git(place) => format!("git:{place}"),
            RawSource::Crates => "crates".to_owned(),
            RawSource::Dir(place) => format!("dir:{place}"),
        };
        match text.parse::<SourceSpec>() {
            Ok(source) if sources.contains(&source) => {
                problems.push(mark, PinsProblem::Sources("this source is here twice"));
            }
            Ok(source) => sources.push(source),
            Err(error) => {
                let (why, help) = (error.to_string(), error.help);
                problems.push(mark, PinsProblem::BadSource { why, help });
            }
        }
    }
    sources
}

fn check_crates(rows: &[CrateRelease], node: &Node, problems: &mut Problems<'_>) {
    let mut seen: HashMap<&Version, u64> = HashMap::new();
    for (index, row) in rows.iter().enumerate() {
        let node = node.item(index);
        if !is_hex(&row.commit, 40..=40) {
            problems.push(
                node.key("commit").mark,
                PinsProblem::BadCommit(row.commit.clone()),
            );
        }
        let checksum = node.key("package").key("checksum");
        for (what, found, digits, mark) in [
            ("tree id", &row.tree, 40..=40, node.key("tree").mark),
            ("SHA-256", &row.package.checksum, 64..=64, checksum.mark),
        ] {
            if !is_hex(found, digits) {
                let found = found.clone();
                problems.push(mark, PinsProblem::BadDigest { what, found });
            }
        }
        match seen.get(&row.release) {
            Some(&first) => {
                let (what, found) = ("release", row.release.to_string());
                problems.push(node.mark, PinsProblem::PinnedTwice { what, found, first });
            }
            None => {
                seen.insert(&row.release, node.mark.line);
            }
        }
    }
}

fn places(raw: RawPin, node: &Node, problems: &mut Problems<'_>) -> Option<PinPlaces> {
    let mut seen: Vec<PinPlace> = Vec::new();
    let mut place = |raw: RawPlace, node: &Node| {
        check_path(&raw.file, node.key("file"), problems);
        let place = PinPlace::of(raw, node, problems)?;
        let same = |one: &&PinPlace| (&one.file, &one.way) == (&place.file, &place.way);
        match seen.iter().find(same) {
            Some(first) => problems.push(node.mark, PinsProblem::PlaceTwice { first: first.line }),
            None => seen.push(place.clone()),
        }
        Some(place)
    };
    let authority = raw.authority.map(|raw| place(raw, node.key("authority")));
    let mut list = |raw: Vec<RawPlace>, key: &str| -> Vec<Option<PinPlace>> {
        let raw = raw.into_iter().enumerate();
        raw.map(|(index, raw)| place(raw, node.key(key).item(index)))
            .collect()
    };
    let write = list(raw.write, "write");
    let follows = list(raw.follows, "follows");
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
