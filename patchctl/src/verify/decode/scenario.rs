//! The driver's input: prefill, then decoding in both ways, under one setting of the limits.

use serde_json::json;

use super::model::Model;
use super::passes::Passes;
use crate::verify::run::{Scenario, Through, step};

/// The limits of one process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Setting {
    /// `MLX_MAX_OPS_PER_BUFFER`.
    pub max_ops: u32,
    /// The reach of the model's budget.
    pub budget: Budget,
}

/// The reach of the model's budget.
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

/// Returns the settings that are compared, each in a process of its own.
pub fn settings() -> Vec<Setting> {
    let budgets = [Budget::Device, Budget::Guarded, Budget::Everywhere];
    OPS.iter()
        .flat_map(|&max_ops| budgets.map(|budget| Setting { max_ops, budget }))
        .collect()
}

impl Setting {
    /// Names it in the report: `50 ops, 1000 around pipelined decode`.
    pub fn named(self, model: &Model) -> String {
        let (ops, budget) = (self.max_ops, model.budget());
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

/// Makes the three phases under one setting, through MLX's own `gpu::eval`.
pub fn scenario(model: &Model, setting: Setting) -> Scenario {
    let passes = Passes::of(model);
    let budget = model.budget();
    let is_guarded = setting.budget == Budget::Guarded;
    let mut steps = vec![step(json!({"step": "lag", "commits": LAG}))];
    steps.extend(passes.weights());
    for phase in Phase::ALL {
        steps.push(step(json!({"step": "phase", "name": phase.name()})));
        let synchronize = || step(json!({"step": "synchronize"}));
        let tokens = 0..model.tokens.decode;
        match phase {
            Phase::Prefill => {
                steps.extend(passes.prefill(model.tokens.prompt));
                steps.push(synchronize());
            }
            Phase::Pipelined => {
                let guard = step(json!({"step": "guard", "mb": budget}));
                steps.extend(is_guarded.then_some(guard));
                for _ in tokens {
                    steps.extend(passes.token());
                    steps.push(step(json!({"step": "flush"})));
                }
                steps.extend(is_guarded.then(|| step(json!({"step": "unguard"}))));
                steps.push(synchronize());
            }
            Phase::Synchronous => {
                for _ in tokens {
                    steps.extend(passes.token());
                    steps.push(synchronize());
                }
            }
        }
        steps.push(step(json!({"step": "peak"})));
    }
    let ops = ("MLX_MAX_OPS_PER_BUFFER", setting.max_ops.to_string());
    let everywhere = ("MLX_MAX_MB_PER_BUFFER", budget.to_string());
    let is_everywhere = setting.budget == Budget::Everywhere;
    Scenario {
        name: "decode".to_owned(),
        why: setting.named(model),
        architecture: model.architecture().to_owned(),
        environment: std::iter::once(ops)
            .chain(is_everywhere.then_some(everywhere))
            .map(|(name, value)| (name.to_owned(), value))
            .collect(),
        through: Some(Through::Eval),
        steps,
        reads: match is_guarded {
            true => vec![budget.into(), 0],
            false => Vec::new(),
        },
        ..Scenario::default()
    }
}
