//! The model: a report is a list of results, a result a list of findings.

use serde::Serialize;

use super::{Finding, Page, Status};

/// The findings on one revision.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ReleaseResult {
    /// A release such as `0.32.2`, or as git describes a commit that is none.
    pub release: String,
    /// The commit.
    pub revision: String,
    /// The outcome.
    pub status: Status,
    /// The level that the outcome is about: `structure`, `compile`, `run`.
    pub level: String,
    /// The place of each landing, one line each, for the reader (`commit-check.read: CommandEncoder::needs_commit, line 512`).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub landed: Vec<String>,
    /// Facts that the levels above `structure` established, one line each, for the reader.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shown: Vec<String>,
    /// Numbers that were counted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub measured: Vec<Measured>,
    /// The findings of the checks.
    pub findings: Vec<Finding>,
}

impl ReleaseResult {
    /// A passed result without findings.
    pub fn new(release: &str, revision: &str, level: &str) -> Self {
        Self {
            release: release.to_owned(),
            revision: revision.to_owned(),
            status: Status::Passed,
            level: level.to_owned(),
            ..Self::default()
        }
    }
}

/// A number that was counted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Measured {
    /// The quantity: `command buffers`, `peak in flight`.
    pub what: String,
    /// The phase: `prefill`.
    pub phase: String,
    /// Under which setting: `50 ops, the device's budget`.
    pub under: String,
    /// The number.
    pub value: serde_json::Number,
    /// Of what: `bytes`, `a token`.
    pub unit: String,
}

/// A fault that was made in an overlay's code, and what noticed it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MutantRow {
    /// The release, as in its result.
    pub release: String,
    /// `overlay/hunk.edit`; `overlay/hunk` where all of its edits are left out.
    pub hunk: String,
    /// 1-based line of the edit's text; none where all of it is left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// The kind of fault, kebab-case: `drop-edit`, `comparison`.
    pub operator: String,
    /// The fault in a few words.
    pub what: String,
    /// The check that noticed it, kebab-case: `own-code`, `build`, `provided`, `scenario`, `sequence`, `driver`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub killer: Option<String>,
    /// The scenario, where it was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scenario: Option<String>,
    /// The message of that check; none if the mutant survived.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub how: Option<String>,
    /// The time it took.
    pub milliseconds: u64,
}

/// Something that was checked and is about no revision: the bridge's stub, which proves nothing about a release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Check {
    /// Its name, unique in a report: `stub`.
    pub name: String,
    /// The outcome.
    pub status: Status,
    /// The subject of the check, one line.
    pub what: String,
    /// Its findings.
    pub findings: Vec<Finding>,
}

/// A step of a command, as `bump` prints one a line: `resolve`, `carry`, `prove`, `write`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Step {
    /// The step's name.
    pub name: String,
    /// Its outcome, one line.
    pub what: String,
}

/// Something that was not looked at: a result of its own, never counted as passed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NotRun {
    /// A level (`compile`, `run`) or a check's name.
    pub what: String,
    /// The releases that it was not run on; none where it is about no release.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub on: Vec<String>,
    /// The missing thing, one line.
    pub why: String,
    /// The way to get it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

/// A pinned revision's two names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Named {
    /// A release such as `0.32.2`, or as git describes a commit that is none.
    pub release: String,
    /// The commit.
    pub revision: String,
}

/// The two ends of a bump, and upstream's changes between them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Bump {
    /// The pin that was current; none for a first pin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<Named>,
    /// The revision that was bumped to.
    pub to: Named,
    /// The distance between the two, where the source has a history.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<Distance>,
    /// The reason for which the distance and the upstream commits are not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range_unknown: Option<String>,
    /// The files that the overlays name.
    pub files: Vec<BumpedFile>,
    /// The upstream commits between the two that change one of those files, oldest first for each file.
    pub upstream_commits: Vec<UpstreamCommit>,
}

/// The distance between two revisions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Distance {
    /// Commits that the new one has and the old one has not.
    pub commits: usize,
    /// Files that differ.
    pub files: usize,
}

/// A file that an overlay names, between two revisions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BumpedFile {
    /// Its path.
    pub path: String,
    /// Upstream's change of it between the two revisions.
    pub upstream: UpstreamDid,
    /// The number of edits that landed in it.
    pub edits: usize,
}

/// Upstream's change of a file between two revisions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum UpstreamDid {
    /// Nothing: the bytes are the same.
    Nothing,
    /// The bytes differ.
    Changed,
    /// It is gone.
    Removed,
    /// There is no old pin that has it.
    New,
    /// The source could not tell.
    NotKnown,
}

/// An upstream commit, and which of the overlays' files it changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UpstreamCommit {
    /// The commit.
    pub revision: String,
    /// As git describes it.
    pub described: String,
    /// First line of its message.
    pub subject: String,
    /// The files.
    pub files: Vec<String>,
}

/// A level or check that passed on a release, and the host it passed on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Proof {
    /// The release.
    pub release: String,
    /// A level, or a check's name.
    pub level: String,
    /// Kind of host, such as `linux-x86_64`.
    pub host: String,
    /// The program that ran it: `patchctl 0.1.0`.
    pub by: String,
    /// Digest of the scenarios and the driver, for the levels that drive the encoder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suite: Option<String>,
    /// True if it was shown by another suite than this patchctl's.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub older_suite: bool,
}

impl Proof {
    /// The level, for a reader: `run (by an older suite)`.
    pub(crate) fn level_text(&self) -> String {
        let older = match self.older_suite {
            true => " (by an older suite)",
            false => "",
        };
        format!("{}{older}", self.level)
    }
}

/// The report of a command. `schema` is 1; see `docs/json.md`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Version of this form.
    pub schema: u32,
    /// The command's name.
    pub command: String,
    /// True if all that was asked holds: exit status 0.
    pub ok: bool,
    /// True if nothing was written because of `--dry-run`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
    /// A line a step, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<Step>,
    /// A result a revision.
    pub results: Vec<ReleaseResult>,
    /// Faults that were made in the overlays' code.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mutants: Vec<MutantRow>,
    /// Checks that are about no revision.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<Check>,
    /// The ends of a bump to one revision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bump: Option<Bump>,
    /// The proofs, each with its kind of host.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub proven: Vec<Proof>,
    /// Findings that belong to no revision: pins, places, the command's surroundings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
    /// Levels and checks that were not run, with the reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_run: Vec<NotRun>,
    /// Files that were written (or would be, with `--dry-run`), relative to the root.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<String>,
    /// The next steps, a line each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub next: Vec<String>,
    /// Pages of finding codes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub codes: Vec<&'static Page>,
}

/// The version of the report's form.
pub const SCHEMA: u32 = 1;

impl NotRun {
    /// Something about no release that could not be looked at.
    pub fn new(what: &str, why: String, help: Option<String>) -> Self {
        Self {
            what: what.to_owned(),
            on: Vec::new(),
            why,
            help,
        }
    }
}

impl Report {
    /// An empty report of a command, `ok` until something is found.
    pub fn new(command: &str) -> Self {
        Self {
            schema: SCHEMA,
            command: command.to_owned(),
            ok: true,
            ..Self::default()
        }
    }

    /// Notes that a level was not run on a release; a reason that several share stands once.
    pub fn not_run_on(&mut self, what: &str, why: String, help: Option<String>, release: &str) {
        let mut noted = self.not_run.iter_mut();
        match noted.find(|other| other.what == what && other.why == why) {
            Some(same) => same.on.push(release.to_owned()),
            None => self.not_run.push(NotRun {
                on: vec![release.to_owned()],
                ..NotRun::new(what, why, help)
            }),
        }
    }

    /// Adds a step.
    pub fn step(&mut self, name: &str, what: impl Into<String>) {
        self.steps.push(Step {
            name: name.to_owned(),
            what: what.into(),
        });
    }
}
