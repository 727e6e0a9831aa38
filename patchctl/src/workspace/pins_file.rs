//! `pins.yaml`: the revisions that the repository supports.

use std::collections::HashMap;

use camino::Utf8Path;
use schemars::JsonSchema;
use semver::Version;
use serde::{Deserialize, Serialize};

use super::ids::{check_commit, is_hex};
use super::record::Record;
use crate::report::Code;
use crate::yaml::{self, Cursor, Faults, first_line, schema_of};

/// The file's name, in the folder of the overlays.
pub const PINS_FILE: &str = "pins.yaml";

/// A supported revision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "a pin", rename = "pin")]
pub struct Pin {
    /// The release, such as 0.32.2, or the commit as git describes it, such as v0.32.1-26-g846d176.
    pub release: String,
    /// The commit, whole: 40 hex digits.
    pub revision: String,
}

/// Every pin, oldest release first, and which one is current. There is none of a release or commit twice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(
    title = "the pins file",
    rename = "pins",
    description = "The form of `pins.yaml`."
)]
pub struct Pins {
    /// The version of this form. It is 1.
    #[schemars(range(min = 1, max = 1))]
    schema: u32,
    /// The release of the current pin: what the repository is built with.
    #[serde(skip_serializing_if = "Option::is_none")]
    current: Option<String>,
    /// The revisions that the repository supports, oldest release first.
    pins: Vec<Pin>,
    #[serde(skip)]
    head: String,
}

impl Default for Pins {
    fn default() -> Self {
        Self {
            schema: 1,
            current: None,
            pins: Vec::new(),
            head: String::new(),
        }
    }
}

impl yaml::Form for Pins {
    const WRITTEN: bool = true;
}

impl Record for Pins {
    fn to_text(&self) -> Result<String, String> {
        Ok(yaml::text(&self.head, self))
    }

    fn read_back(file: &Utf8Path, bytes: &[u8]) -> Result<Self, String> {
        Self::parse(file, bytes).map_err(|faults| faults.to_string())
    }
}

impl Pin {
    /// The release as a version; `None` for a commit that is no release.
    pub fn version(&self) -> Option<Version> {
        let version = Version::parse(&self.release).ok()?;
        described(&self.release).is_none().then_some(version)
    }
}

/// Returns the order of a pin: the release, then how many commits behind it. `None` for what is neither a release
/// nor a commit as git describes it.
pub fn release_order(release: &str) -> Option<(Version, u64)> {
    match described(release) {
        Some(order) => Some(order),
        None => Version::parse(release).ok().map(|version| (version, 0)),
    }
}

/// `v0.32.1-26-g846d176`: the release before the commit, and how many commits lie between.
fn described(release: &str) -> Option<(Version, u64)> {
    let (rest, commit) = release.rsplit_once("-g")?;
    let (tag, count) = rest.rsplit_once('-')?;
    let tag = tag.strip_prefix('v').unwrap_or(tag);
    let count = count.parse().ok()?;
    is_hex(commit, 4..=40).then_some((Version::parse(tag).ok()?, count))
}

impl Pins {
    /// Reads `pins.yaml` out of the folder `folder` of the repository at `root`; a file that is not there holds
    /// no pins.
    ///
    /// # Errors
    /// As [`Pins::parse`], and where the file cannot be read.
    pub fn load(root: &Utf8Path, folder: &Utf8Path) -> Result<Self, Faults> {
        let file = folder.join(PINS_FILE);
        match yaml::read_if_there(root, &file)? {
            Some(bytes) => Self::parse(&file, &bytes),
            None => Ok(Self::default()),
        }
    }

    /// Reads the file's bytes; `file` is its name in errors.
    ///
    /// # Errors
    /// All that is wrong with it: its form, a commit id or release that is none, a release or commit that is there
    /// twice, a current pin that is not among the pins, pins of which none is current.
    pub fn parse(file: &Utf8Path, bytes: &[u8]) -> Result<Self, Faults> {
        yaml::read(file, bytes, |mut pins: Self, at| {
            pins.check(at);
            pins.head = yaml::head(bytes);
            pins.sort();
            Some(pins)
        })
    }

    /// The pins, oldest release first.
    pub fn all(&self) -> &[Pin] {
        &self.pins
    }

    /// The current one; `None` where there are no pins.
    pub fn current(&self) -> Option<&Pin> {
        self.get(self.current.as_deref()?)
    }

    /// The release of the current one, as `pins.yaml` has it.
    pub fn current_release(&self) -> Option<&str> {
        self.current.as_deref()
    }

    /// The pin of a release, or of a commit that git describes so.
    pub fn get(&self, release: &str) -> Option<&Pin> {
        self.pins.iter().find(|pin| pin.release == release)
    }

    /// Adds a pin at its place. One of the same release, or of the same commit, is replaced. It becomes the
    /// current one where `make_current` says so, where there is no other, and where it replaces that.
    pub fn set(&mut self, pin: Pin, make_current: bool) {
        let same = |old: &Pin| old.release == pin.release || old.revision == pin.revision;
        self.pins.retain(|old| !same(old));
        if make_current || self.current().is_none() {
            self.current = Some(pin.release.clone());
        }
        self.pins.push(pin);
        self.sort();
    }

    /// Notes ids and releases that are none or are there twice, and a current pin that is missing.
    fn check(&self, at: Cursor<'_>) {
        let (mut releases, mut revisions) = (HashMap::new(), HashMap::new());
        for (pin, at) in at.key("pins").each(&self.pins) {
            let Pin { release, revision } = pin;
            let (at_release, at_revision) = (at.key("release"), at.key("revision"));
            if release_order(release).is_none() {
                let message =
                    format!("`{release}` is no release, nor a commit as git describes it");
                at_release.fault(Code::PinsBadName, message, "write one such as 0.32.2");
            }
            check_commit(revision, at_revision);
            let twice = |what, found, first, at: Cursor<'_>| {
                let message =
                    format!("the {what} `{found}` is pinned twice, first on line {first}");
                at.fault(Code::PinsTwice, message, "keep one of them");
            };
            if let Some(first) = first_line(&mut releases, release, at) {
                twice("release", release, first, at_release);
            }
            if let Some(first) = first_line(&mut revisions, revision, at) {
                twice("commit", revision, first, at_revision);
            }
        }
        match &self.current {
            Some(current) if self.get(current).is_none() => {
                let known: Vec<&str> = self.pins.iter().map(|pin| &*pin.release).collect();
                let message = format!("the current pin `{current}` is not among the pins");
                let help = format!("there are {}", known.join(", "));
                at.key("current").fault(Code::PinsNoCurrent, message, help);
            }
            None if !self.pins.is_empty() => {
                let help = "add `current: …`, the release of one of the pins";
                at.fault(Code::PinsNoCurrent, "no pin is current", help);
            }
            _ => {}
        }
    }

    fn sort(&mut self) {
        self.pins
            .sort_by_cached_key(|pin| (release_order(&pin.release), pin.release.clone()));
    }
}

/// The JSON Schema of `pins.yaml`, for editors.
pub fn pins_schema() -> serde_json::Value {
    schema_of::<Pins>()
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: &str = "68cf2fddd8de5edd8ab3d926391772b2e2cedad8";
    const B: &str = "7a1d4f5c12ac82f4b4d0a6e71538d89ca0605247";
    const C: &str = "1f8e74e3f12f31365464a6867c6579f0e9b29d85";

    fn pin(release: &str, revision: &str) -> Pin {
        Pin {
            release: release.to_owned(),
            revision: revision.to_owned(),
        }
    }

    fn parse(text: &str) -> Result<Pins, Faults> {
        Pins::parse(Utf8Path::new("pins.yaml"), text.as_bytes())
    }

    #[track_caller]
    fn fault(text: &str, expected: &[&str]) {
        let faults = parse(text).unwrap_err();
        let found: Vec<String> = faults
            .0
            .iter()
            .map(|fault| format!("{} [{}]", fault.with_place(), fault.code))
            .collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn pins_are_sorted_and_keep_the_files_head() {
        let text = format!(
            "# What we build with.\n# yaml-language-server: $schema=x\n\nschema: 1\ncurrent: 0.32.2\npins:\n- {{release: 0.32.2, revision: {C}}}\n# inside\n- {{revision: {A}, release: 0.31.2}}\n"
        );
        let pins = parse(&text).unwrap();
        assert_eq!(pins.current(), Some(&pin("0.32.2", C)));
        assert_eq!(pins.all(), [pin("0.31.2", A), pin("0.32.2", C)]);
        assert_eq!(
            pins.to_text().unwrap(),
            format!(
                "# What we build with.\n# yaml-language-server: $schema=x\n\nschema: 1\ncurrent: 0.32.2\npins:\n- release: 0.31.2\n  revision: {A}\n- release: 0.32.2\n  revision: {C}\n"
            )
        );
        assert_eq!(parse(&pins.to_text().unwrap()).unwrap(), pins);
    }

    #[test]
    fn commits_are_ordered_behind_their_release() {
        let mut pins = Pins::default();
        for (index, release) in [
            "v0.32.1-26-g846d176",
            "0.32.1",
            "v0.32.1-3-gabcdef0",
            "0.32.10",
            "0.32.2",
            "0.32.2-rc.1",
        ]
        .into_iter()
        .enumerate()
        {
            pins.set(pin(release, &format!("{index:040}")), false);
        }
        let order: Vec<&str> = pins.all().iter().map(|pin| pin.release.as_str()).collect();
        assert_eq!(
            order,
            [
                "0.32.1",
                "v0.32.1-3-gabcdef0",
                "v0.32.1-26-g846d176",
                "0.32.2-rc.1",
                "0.32.2",
                "0.32.10"
            ]
        );
        // All of those that look like numbers are still texts when they are read again.
        assert_eq!(parse(&pins.to_text().unwrap()).unwrap(), pins);
        assert_eq!(pins.get("v0.32.1-3-gabcdef0").unwrap().version(), None);
        assert_eq!(
            pins.get("0.32.10").unwrap().version(),
            Some(Version::new(0, 32, 10))
        );
    }

    #[test]
    fn a_new_pin_replaces_its_release_or_commit() {
        let mut pins = Pins::default();
        assert_eq!(pins.current(), None);
        pins.set(pin("0.31.2", A), false);
        assert_eq!(pins.current(), Some(&pin("0.31.2", A)));
        pins.set(pin("0.32.0", B), false);
        assert_eq!(pins.current(), Some(&pin("0.31.2", A)));
        pins.set(pin("0.32.0", C), true);
        assert_eq!(
            (pins.current(), pins.all().len()),
            (Some(&pin("0.32.0", C)), 2)
        );
        // What was a commit is now a release.
        pins.set(pin("0.32.2", C), false);
        assert_eq!(pins.all(), [pin("0.31.2", A), pin("0.32.2", C)]);
        assert_eq!(pins.current(), Some(&pin("0.32.2", C)));
    }

    #[test]
    fn what_is_wrong_with_pins_is_said_all_at_once() {
        fault(
            &format!(
                "schema: 1\ncurrent: 0.30.0\npins:\n- {{release: 0.32.2, revision: {C}}}\n- {{release: 0.32.2, revision: {C}}}\n- {{release: main, revision: abc}}\n- {{release: '1', revision: {}}}\n",
                A.to_uppercase()
            ),
            &[
                "pins.yaml:2:10: the current pin `0.30.0` is not among the pins [pins-no-current]",
                "pins.yaml:5:13: the release `0.32.2` is pinned twice, first on line 4 [pins-twice]",
                "pins.yaml:5:31: the commit `1f8e74e3f12f31365464a6867c6579f0e9b29d85` is pinned twice, first on line 4 [pins-twice]",
                "pins.yaml:6:13: `main` is no release, nor a commit as git describes it [pins-bad-name]",
                "pins.yaml:6:29: `abc` is no commit id: expected 40 hex digits in lower case [pins-bad-id]",
                "pins.yaml:7:13: `1` is no release, nor a commit as git describes it [pins-bad-name]",
                "pins.yaml:7:28: `68CF2FDDD8DE5EDD8AB3D926391772B2E2CEDAD8` is no commit id: expected 40 hex digits in lower case [pins-bad-id]",
            ],
        );
        fault(
            &format!("schema: 1\npins:\n- {{release: 0.32.2, revision: {C}}}\n"),
            &["pins.yaml:1:1: no pin is current [pins-no-current]"],
        );
        fault(
            "schema: 1\npins:\n- {relase: 0.32.2, revision: abc}\n",
            &[
                "pins.yaml:3:3: a pin has no `release` [yaml-missing-key]",
                "pins.yaml:3:4: unknown key `relase` in a pin [yaml-unknown-key]",
            ],
        );
        fault(
            "schema: 1\npins: []\ncurrent: 0.32.2\n",
            &["pins.yaml:3:10: the current pin `0.32.2` is not among the pins [pins-no-current]"],
        );
        assert_eq!(parse("schema: 1\npins: []\n").unwrap(), Pins::default());
    }

    #[test]
    fn a_missing_file_holds_no_pins() {
        let root = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(root.path()).unwrap();
        let folder = Utf8Path::new("o");
        assert_eq!(Pins::load(root, folder).unwrap(), Pins::default());
        std::fs::create_dir_all(root.join("o/pins.yaml")).unwrap();
        let faults = Pins::load(root, folder).unwrap_err();
        assert_eq!(
            faults.to_string(),
            "o/pins.yaml: cannot be read: it is not a regular file"
        );
        assert!(faults.only_surroundings());
    }

    #[cfg(unix)]
    #[test]
    fn a_dangling_link_is_an_error() {
        let root = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(root.path()).unwrap();
        std::os::unix::fs::symlink("nowhere", root.join(PINS_FILE)).unwrap();
        let faults = Pins::load(root, Utf8Path::new("")).unwrap_err();
        assert!(faults.only_surroundings());
    }
}
