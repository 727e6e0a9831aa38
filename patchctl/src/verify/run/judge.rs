//! Compares what was seen with what a scenario expects.

use std::collections::{BTreeMap, BTreeSet};

use camino::Utf8Path;

use super::diagnose::{Diagnosis, diagnose};
use super::drive::{Device, Ended, Observed, Seen, SeenCommit, Why, drive, full_phase};
use super::scenario::{Commit, Commits, Scenario};
use crate::toolchain::{Runner, ToolError};

/// The outcome of a scenario.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// All was as expected.
    Passed,
    /// It could not be asked; why.
    NotRun(String),
    /// It was not.
    Failed(Vec<Mismatch>),
}

/// One difference between what was expected and what was seen.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Mismatch {
    /// The command buffers of a phase, with its thread where that is not the main one.
    #[error("{phase}: expected command buffers of {expected} ops, saw {seen}")]
    Commits {
        /// The phase.
        phase: String,
        /// Expected.
        expected: Commits,
        /// Seen.
        seen: Commits,
    },
    /// The getter after a step that sets the override.
    #[error("{0}")]
    Read(String),
    /// Command buffers that were committed although the check did not say so and nobody asked for it, or that do not hold
    /// the ops that the check was asked about.
    #[error("{0}")]
    OwnPlace(String),
    /// The program did not end well: its last words, or that it hangs.
    #[error("the program did not end well: {0}")]
    Ended(String),
}

/// A program's run through a suite of scenarios.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuiteRun {
    /// The outcome of each scenario. After one that hangs the rest is not asked.
    pub outcomes: Vec<Outcome>,
    /// The device that the driver ran on; none where it did not come to say so.
    pub device: Option<Device>,
    /// The likeliest cause of the failures; none where nothing failed.
    pub diagnosis: Option<Diagnosis>,
}

impl SuiteRun {
    /// Returns true if the program has the override's entry points.
    pub fn has_override(&self) -> bool {
        self.device.as_ref().is_some_and(|it| it.has_override)
    }
}

/// Drives a program through a suite and judges each scenario.
///
/// # Errors
/// As [`drive`].
pub fn run_suite(
    program: &Utf8Path,
    scenarios: &[Scenario],
    runner: &dyn Runner,
) -> Result<SuiteRun, ToolError> {
    let (mut outcomes, mut device) = (Vec::new(), None);
    for group in scenarios.chunk_by(Scenario::shares_process) {
        let observed = drive(program, group, runner)?;
        let pairs = group.iter().zip(&observed);
        outcomes.extend(pairs.map(|(scenario, seen)| judge(scenario, seen)));
        device = device.or_else(|| observed.iter().find_map(|one| one.device.clone()));
        // The next would hang as well, each to its limit.
        if observed.iter().any(|one| one.ended == Ended::Hangs) {
            break;
        }
    }
    Ok(SuiteRun {
        diagnosis: diagnose(scenarios, &outcomes),
        outcomes,
        device,
    })
}

/// Judges one scenario.
pub fn judge(scenario: &Scenario, observed: &Observed) -> Outcome {
    if let Some(device) = &observed.device {
        if device.architecture != scenario.architecture {
            return Outcome::NotRun(format!(
                "it wants the limits of {}, and this release takes them from the GPU at hand, {}",
                scenario.architecture, device.architecture
            ));
        }
        if scenario.sets_override() && !device.has_override {
            return Outcome::NotRun("this tree has no override".to_owned());
        }
    }
    if let Some(before) = &observed.ended_by {
        return Outcome::NotRun(format!("'{before}' was the end of the program"));
    }
    let seen = &observed.seen.clone().unwrap_or_default();
    // All that it no longer did is a consequence.
    if let Some(end) = ending(seen, &observed.ended) {
        return Outcome::Failed(vec![end]);
    }
    let mut mismatches = Vec::from_iter(reads(scenario, seen));
    let wrong = |is_wrong: fn(&SeenCommit) -> bool| {
        let wrong = seen.commits.iter().filter(move |commit| is_wrong(commit));
        Some((wrong.clone().next()?, wrong.count()))
    };
    let unasked = wrong(|commit| commit.why == Why::Elsewhere);
    mismatches.extend(unasked.map(|(commit, count)| {
        let (first, last) = commit.ops;
        Mismatch::OwnPlace(format!(
            "command buffers committed although the check had not said so: {count}, the first of ops {first} to {last}"
        ))
    }));
    let torn = wrong(|commit| commit.seen.is_some_and(|seen| seen != commit.ops));
    mismatches.extend(torn.map(|(commit, count)| {
        let ((first, last), (seen_first, seen_last)) = (commit.ops, commit.seen.unwrap_or_default());
        Mismatch::OwnPlace(format!(
            "command buffers that hold other ops than were encoded: {count}, the first {seen_first} to {seen_last} in the place of {first} to {last}"
        ))
    }));
    mismatches.extend(commits(scenario, seen));
    match mismatches.is_empty() {
        true => Outcome::Passed,
        false => Outcome::Failed(mismatches),
    }
}

fn ending(seen: &Seen, ended: &Ended) -> Option<Mismatch> {
    let how = match ended {
        Ended::Well if seen.ended => return None,
        Ended::Well => "without a word".to_owned(),
        Ended::Badly { how, .. } => how.clone(),
        Ended::Hangs => "it hangs".to_owned(),
    };
    Some(Mismatch::Ended(how))
}

/// The first wrong read; those after it are its consequences.
fn reads(scenario: &Scenario, observed: &Seen) -> Option<Mismatch> {
    let mut expected = scenario.reads.iter().enumerate();
    expected.find_map(|(index, expected)| {
        let seen = observed.reads.get(index);
        let seen = match seen.filter(|seen| *seen != expected) {
            Some(seen) => format!(", and reads {seen}"),
            None if seen.is_none() => "; the program ended before".to_owned(),
            None => return None,
        };
        let times = index + 1;
        Some(Mismatch::Read(format!(
            "after setting it for the {times}. time, the override must read {expected}{seen}"
        )))
    })
}

fn commits(scenario: &Scenario, observed: &Seen) -> Vec<Mismatch> {
    let mut seen: BTreeMap<String, Commits> = BTreeMap::new();
    for commit in &observed.commits {
        let (first, last) = commit.ops;
        seen.entry(full_phase(&commit.phase, &commit.on))
            .or_default()
            .0
            .push(Commit {
                ops: (last + 1).saturating_sub(first),
                is_rest: commit.why == Why::Flush,
            });
    }
    let phases: BTreeSet<&String> = scenario.expect.keys().chain(seen.keys()).collect();
    let of =
        |all: &BTreeMap<String, Commits>, phase: &str| all.get(phase).cloned().unwrap_or_default();
    let differ = phases.into_iter().filter_map(|phase| {
        let (expected, seen) = (of(&scenario.expect, phase), of(&seen, phase));
        (expected != seen).then(|| Mismatch::Commits {
            phase: phase.clone(),
            expected,
            seen,
        })
    });
    differ.collect()
}
