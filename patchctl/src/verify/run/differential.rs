//! The differential proof: over random sequences, a patched tree with the override at 0 commits where upstream alone
//! does, and with the override at N where upstream does when it is started with `MLX_MAX_MB_PER_BUFFER` at N.

use camino::Utf8Path;
use serde_json::json;

use super::drive::{Observed, SeenCommit, Why, drive};
use super::scenario::{Scenario, Step, step};
use super::sequence::{Random, sequence};
use crate::toolchain::{Runner, ToolError};

/// Two programs of one revision, and how much to compare.
pub struct Differential<'a> {
    /// Upstream alone.
    pub upstream: &'a Utf8Path,
    /// Upstream with the overlay.
    pub patched: &'a Utf8Path,
    /// True if the patched one has the override's entry points; else it is compared without budgets.
    pub has_override: bool,
    /// Starts them.
    pub runner: &'a dyn Runner,
    /// The same seed makes the same sequences.
    pub seed: u64,
    /// The number of sequences, over all settings.
    pub sequences: usize,
}

/// The surroundings of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Setting {
    /// The GPU's architecture.
    pub architecture: &'static str,
    /// `MLX_MAX_OPS_PER_BUFFER`, where it is set.
    pub max_ops: Option<u32>,
    /// The override; none leaves it at 0.
    pub budget: Option<i32>,
}

/// Each device's own limits, an ops limit that hides the budget and one that hides nothing, budgets from least to most.
pub const SETTINGS: [Setting; 10] = [
    setting("applegpu_g16s", None, None),
    setting("applegpu_g16p", None, None),
    setting("applegpu_g16g", Some(7), None),
    setting("applegpu_g16d", Some(1000), None),
    setting("applegpu_g16s", None, Some(1000)),
    setting("applegpu_g16s", Some(1000), Some(1)),
    setting("applegpu_g16g", Some(1000), Some(10)),
    setting("applegpu_g16p", Some(200), Some(100)),
    setting("applegpu_g16s", Some(1000), Some(1000)),
    setting("applegpu_g16d", Some(1000), Some(i32::MAX)),
];

const fn setting(architecture: &'static str, max_ops: Option<u32>, budget: Option<i32>) -> Setting {
    Setting {
        architecture,
        max_ops,
        budget,
    }
}

/// A sequence on which the two programs part, made as small as it could be.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// The surroundings.
    pub setting: Setting,
    /// The steps, as the driver reads them.
    pub steps: Vec<Step>,
    /// The behaviour of upstream alone.
    pub upstream: Behaviour,
    /// The behaviour of the patched tree.
    pub patched: Behaviour,
}

/// The command buffers that a program made of a sequence.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Behaviour {
    /// Each command buffer's first and last op, and whether the check had said so.
    pub commits: Vec<((u64, u64), Why)>,
    /// True if it came to its end.
    pub ended: bool,
}

impl Differential<'_> {
    /// Compares in every setting; gives the first difference.
    ///
    /// # Errors
    /// When a program cannot be started, or prints what is no line of the driver's.
    pub fn compare(&self) -> Result<Option<Difference>, ToolError> {
        let mut random = Random::new(self.seed);
        let each = self.sequences.div_ceil(SETTINGS.len());
        let fits = |it: &Setting| self.has_override || it.budget.is_none();
        for setting in SETTINGS.into_iter().filter(fits) {
            let sequences: Vec<_> = (0..each).map(|_| sequence(&mut random)).collect();
            let (upstream, patched) = self.both(setting, &sequences)?;
            let part = upstream
                .iter()
                .zip(&patched)
                .position(|(one, other)| one != other);
            if let Some(index) = part {
                return self.smallest(setting, sequences[index].clone()).map(Some);
            }
        }
        Ok(None)
    }

    fn both(
        &self,
        setting: Setting,
        sequences: &[Vec<Step>],
    ) -> Result<(Vec<Behaviour>, Vec<Behaviour>), ToolError> {
        let run = |program, is_patched: bool| -> Result<Vec<Behaviour>, ToolError> {
            let sequences = sequences.iter().enumerate();
            let scenarios: Vec<Scenario> = sequences
                .map(|(index, steps)| scenario(setting, is_patched, index, steps))
                .collect();
            let observed = drive(program, &scenarios, self.runner)?;
            Ok(observed.iter().map(behaviour).collect())
        };
        let upstream = run(self.upstream, false)?;
        Ok((upstream, run(self.patched, self.has_override)?))
    }

    /// Leaves out steps for as long as the programs still part.
    fn smallest(&self, setting: Setting, mut steps: Vec<Step>) -> Result<Difference, ToolError> {
        let part = |steps: &[Step]| -> Result<Option<(Behaviour, Behaviour)>, ToolError> {
            let (mut upstream, mut patched) = self.both(setting, &[steps.to_vec()])?;
            let pair = upstream.pop().zip(patched.pop());
            Ok(pair.filter(|(one, other)| one != other))
        };
        // One that parts only after others of its process is shown as it is.
        let mut known = part(&steps)?;
        let mut index = 0;
        while known.is_some() && index < steps.len() {
            let mut fewer = steps.clone();
            fewer.remove(index);
            // A step that uses an array which is gone ends both programs alike, so it parts them no longer.
            match part(&fewer)? {
                Some(pair) => {
                    (steps, known) = (fewer, Some(pair));
                }
                None => index += 1,
            }
        }
        let (upstream, patched) = known.unwrap_or_default();
        Ok(Difference {
            setting,
            steps,
            upstream,
            patched,
        })
    }
}

/// The sequence in its surroundings. What the override is in one program, the environment is in the other.
fn scenario(setting: Setting, is_patched: bool, index: usize, steps: &[Step]) -> Scenario {
    let overrides: &[i32] = match setting.budget {
        Some(ref budget) if is_patched => std::slice::from_ref(budget),
        // Every second time it has been set before and taken away again.
        None if is_patched && index % 4 == 1 => &[1000, 0],
        None if is_patched && index % 4 == 3 => &[1000, -1],
        _ => &[],
    };
    let overrides = overrides.iter();
    let set = overrides.map(|mb| step(json!({"step": "override", "mb": mb})));
    let budget = setting.budget.filter(|_| !is_patched);
    let environment = [
        ("MLX_MAX_OPS_PER_BUFFER", setting.max_ops.map(i64::from)),
        ("MLX_MAX_MB_PER_BUFFER", budget.map(i64::from)),
    ];
    let environment = environment.into_iter();
    Scenario {
        name: format!("sequence-{index}"),
        architecture: setting.architecture.to_owned(),
        environment: environment
            .filter_map(|(name, value)| Some((name.to_owned(), value?.to_string())))
            .collect(),
        steps: set.chain(steps.iter().cloned()).collect(),
        ..Scenario::default()
    }
}

fn behaviour(observed: &Observed) -> Behaviour {
    let really = |commit: &SeenCommit| (commit.seen.unwrap_or(commit.ops), commit.why);
    let seen = observed.seen.clone().unwrap_or_default();
    Behaviour {
        commits: seen.commits.iter().map(really).collect(),
        ended: seen.ended,
    }
}
