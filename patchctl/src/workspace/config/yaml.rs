//! The form of `patchctl.yaml`, key for key; doc comments are what editors show.

use schemars::JsonSchema;
use serde::Deserialize;

use super::super::place::RawPlace;
use super::checks::RawCheck;
use crate::upstream::CrateRelease;

/// What patchctl has to know of a repository. The folder of this file is the repository's root.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "the configuration", rename = "config")]
pub(super) struct RawConfig {
    /// The version of this form. It is 1.
    #[schemars(range(min = 1, max = 1))]
    #[expect(dead_code, reason = "checked on the tree, before anything else is")]
    pub schema: u32,
    /// The project that the overlays change.
    pub upstream: Option<RawUpstream>,
    /// The folder of the overlays, `pins.yaml`, `lock.yaml` and `reviewed.yaml`; `overlays/mlx`, where it is left out.
    pub overlays: Option<String>,
    /// The folder of the reviewed diffs, one a pin and overlay; `tests/snapshots`, where it is left out.
    pub snapshots: Option<String>,
    /// Where else the repository keeps the current pin.
    pub pin: Option<RawPin>,
    /// Checks of the repository's own, for `patchctl verify --check` and `patchctl status --require`.
    #[serde(default)]
    pub checks: Vec<RawCheck>,
}

/// The project that the overlays change.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "`upstream`", rename = "upstream")]
pub(super) struct RawUpstream {
    /// What reports call it; `mlx`, where it is left out.
    pub name: Option<String>,
    /// Where its revisions come from, in the order in which they are asked; MLX's repository, then crates.io, where
    /// it is left out.
    pub sources: Option<Vec<RawSource>>,
    /// Packages of crates.io that carry releases, besides those that patchctl knows.
    #[serde(default)]
    pub crates: Vec<CrateRelease>,
}

/// A source of revisions: `git: URL-OR-PATH`, `crates` or `dir: PATH`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "source")]
pub(super) enum RawSource {
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
pub(super) struct RawPin {
    /// The place that the pin is kept in. `pins.yaml` has to agree with it.
    pub authority: Option<RawPlace>,
    /// Places that a bump rewrites.
    #[serde(default)]
    pub write: Vec<RawPlace>,
    /// Places that are reported when they are behind, and never written.
    #[serde(default)]
    pub follows: Vec<RawPlace>,
}

impl crate::yaml::Form for RawConfig {}
