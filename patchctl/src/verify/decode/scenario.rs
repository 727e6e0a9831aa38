//! What the driver is given: prefill, then decoding in both ways, under one setting of the limits.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::json;

use super::model::Model;
use super::passes::{Passes, Step, step};
use crate::verify::run::Scenario;

/// The limits of one process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Setting {
    /// `MLX_MAX_OPS_PER_BUFFER`.
    pub max_ops: u32,
    /// Where the model's budget is in force.
    pub budget: Budget,
}

/// Where the model's budget is in force.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Budget {
    /// Nowhere: the device's own.
    Device,
    /// Around pipelined decode, by the override.
    Guarded,
    /// Everywhere, by `MLX_MAX_MB_PER_BUFFER`.
    Everywhere,
}

/// A part of a generation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// The whole prompt in one pass, which is waited for.
    Prefill,
    /// Each token is encoded before the one before it is completed.
    Pipelined,
    /// Each token is waited for.
    Synchronous,
}

/// MLX's scheduler waits when more command buffers than this are not completed (`MAX_ACTIVE_TASKS` in transforms.cpp): a
/// GPU can be so late and no later.
const LAG: u64 = 10;

/// The device's own ops limit, and the one that is set beside the override.
const OPS: [u32; 2] = [50, 1000];

/// What is compared, each in a process of its own.
pub fn settings() -> Vec<Setting> {
    let budgets = [Budget::Device, Budget::Guarded, Budget::Everywhere];
    OPS.iter()
        .flat_map(|&max_ops| budgets.map(|budget| Setting { max_ops, budget }))
        .collect()
}

impl Setting {
    /// For the report: `50 ops, 1000 around pipelined decode`.
    pub fn named(self, model: &Model) -> String {
        let (ops, budget) = (self.max_ops, model.budget);
        match self.budget {
            Budget::Device => format!("{ops} ops, the device's budget"),
            Budget::Guarded => format!("{ops} ops, {budget} around pipelined decode"),
            Budget::Everywhere => format!("{ops} ops, {budget} everywhere"),
        }
    }
}

impl Phase {
    /// In the order in which they come.
    pub const ALL: [Self; 3] = [Self::Prefill, Self::Pipelined, Self::Synchronous];

    /// Its name in the driver's lines and in the report.
    pub fn name(self) -> &'static str {
        match self {
            Self::Prefill => "prefill",
            Self::Pipelined => "pipelined decode",
            Self::Synchronous => "synchronous decode",
        }
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

/// The three phases under one setting, through MLX's own `gpu::eval`.
pub fn scenario(model: &Model, setting: Setting) -> Scenario {
    let passes = Passes::of(model);
    let mut steps = vec![step(json!({"step": "lag", "commits": LAG}))];
    steps.extend(passes.weights());
    begin(&mut steps, Phase::Prefill);
    steps.extend(passes.prefill(model.prompt));
    steps.push(step(json!({"step": "synchronize"})));
    steps.push(step(json!({"step": "peak"})));
    let is_guarded = setting.budget == Budget::Guarded;
    begin(&mut steps, Phase::Pipelined);
    if is_guarded {
        steps.push(step(json!({"step": "guard", "mb": model.budget})));
    }
    for _ in 0..model.decode {
        steps.extend(passes.token());
        steps.push(step(json!({"step": "flush"})));
    }
    if is_guarded {
        steps.push(step(json!({"step": "unguard"})));
    }
    steps.push(step(json!({"step": "synchronize"})));
    steps.push(step(json!({"step": "peak"})));
    begin(&mut steps, Phase::Synchronous);
    for _ in 0..model.decode {
        steps.extend(passes.token());
        steps.push(step(json!({"step": "synchronize"})));
    }
    steps.push(step(json!({"step": "peak"})));
    let reads = if is_guarded {
        vec![model.budget.into(), 0]
    } else {
        Vec::new()
    };
    Scenario {
        name: "decode".to_owned(),
        why: setting.named(model),
        architecture: model.architecture.clone(),
        environment: environment(model, setting),
        through_eval: true,
        expect: BTreeMap::new(),
        steps,
        reads,
    }
}

fn begin(steps: &mut Vec<Step>, phase: Phase) {
    steps.push(step(json!({"step": "phase", "name": phase.name()})));
}

fn environment(model: &Model, setting: Setting) -> BTreeMap<String, String> {
    let mut environment = BTreeMap::from([(
        "MLX_MAX_OPS_PER_BUFFER".to_owned(),
        setting.max_ops.to_string(),
    )]);
    if setting.budget == Budget::Everywhere {
        environment.insert("MLX_MAX_MB_PER_BUFFER".to_owned(), model.budget.to_string());
    }
    environment
}
