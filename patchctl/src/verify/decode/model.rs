//! A decode model that was checked: names are indices, and every array has its size.

use super::yaml::ElementType;

/// What a model dispatches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Model {
    /// Its name, for the report.
    pub name: String,
    /// The GPU's architecture.
    pub architecture: String,
    /// The budget that is held against the device's own.
    pub budget: i32,
    /// Tokens of the prompt.
    pub prompt: u64,
    /// Tokens that are decoded.
    pub decode: u64,
    pub(super) layers: Vec<Layer>,
}

impl Model {
    /// What stands above its table, a line each.
    pub fn caption(&self) -> [String; 2] {
        [
            format!(
                "{} on {}, tokens: {} of prompt, {} decoded",
                self.name, self.architecture, self.prompt, self.decode
            ),
            "command buffers for each prompt or token, and the most bytes of activations in flight"
                .to_owned(),
        ]
    }
}

/// A layer, `times` over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Layer {
    pub(super) times: u64,
    pub(super) ops: Vec<Op>,
}

/// An op, `times` over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Op {
    pub(super) from: Vec<Input>,
    pub(super) weights: Vec<Array>,
    pub(super) shares: Vec<Shared>,
    /// None where it is in place.
    pub(super) out: Option<Array>,
    pub(super) dispatches: u64,
    pub(super) times: u64,
    pub(super) decode_only: bool,
}

/// What an op reads of the activations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Input {
    /// The layer's input.
    Layer,
    /// The output of an op of its layer, by index.
    Op(usize),
}

/// The op whose weights are read as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shared {
    /// Of the same layer, by index.
    Here(usize),
    /// Of a layer before, both by index.
    Of(usize, usize),
}

/// An array; for an output the elements are for each token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Array {
    pub(super) elements: u64,
    pub(super) dtype: ElementType,
}
