//! The form of a decode model, key for key; doc comments are what editors show.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What decoding one language model dispatches, for `patchctl test --decode`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "a decode model", rename = "decode")]
pub(super) struct RawModel {
    /// The version of this form. It is 1.
    #[schemars(range(min = 1, max = 1))]
    #[expect(dead_code, reason = "checked on the tree, before anything else is")]
    pub schema: u32,
    /// What the report calls it: `command-r7b 4-bit`.
    pub model: String,
    /// What is modelled and what is not, and where the numbers are from.
    #[expect(dead_code, reason = "for the reader of the file")]
    pub why: String,
    /// The GPU's architecture, from whose last letter MLX takes its limits; an M1 Ultra's, where it is left out.
    pub architecture: Option<String>,
    /// The budget that is held against the device's own; 1000, where it is left out.
    #[schemars(range(min = 1, max = 2_147_483_647))]
    pub budget: Option<i32>,
    /// How long the prompt is and how many tokens are decoded.
    pub tokens: RawTokens,
    /// The layers, in the order in which a token goes through them.
    pub layers: Vec<RawLayer>,
}

/// How long the prompt is and how many tokens are decoded.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "`tokens`", rename = "tokens")]
pub(super) struct RawTokens {
    /// Tokens of the prompt, which go through the layers at once.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub prompt: u64,
    /// Tokens that are decoded, one after the other, in each way of decoding.
    #[schemars(range(min = 1, max = 1000))]
    pub decode: u64,
}

/// A layer, or several alike.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "a layer", rename = "layer")]
pub(super) struct RawLayer {
    /// Its name.
    #[expect(dead_code, reason = "for the reader of the file")]
    pub name: String,
    /// How many of them follow each other, each with weights of its own; 1, where it is left out.
    #[schemars(range(min = 1, max = 100_000))]
    pub times: Option<u64>,
    /// What it does, in the order in which MLX encodes it. The last op's output is the layer's.
    pub ops: Vec<RawOp>,
}

/// An op: one primitive of MLX's, after which MLX asks whether to commit.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "an op", rename = "op")]
pub(super) struct RawOp {
    /// Its name, unique in its layer.
    pub name: String,
    /// The outputs that it reads, by the names of ops before it in its layer; `input` is the layer's own input. The output
    /// of the op before, where it is left out.
    pub from: Option<Vec<String>>,
    /// Arrays that it reads and that stay from token to token: weights, or a key-value cache.
    #[serde(default)]
    pub weights: Vec<RawArray>,
    /// A quantized matrix that it reads: packed words, scales and biases.
    pub quantized: Option<RawQuantized>,
    /// Ops before it whose weights it reads as well: of its layer, or of a layer that is there once.
    #[serde(default)]
    pub shares: Vec<String>,
    /// Elements of its output for each token. It has to be there unless the op is `in_place`.
    #[schemars(range(min = 1, max = 2_147_483_647))]
    pub out: Option<u64>,
    /// The output's type; float16, where it is left out.
    pub dtype: Option<ElementType>,
    /// Its output takes the place of the first output that it reads, as MLX does where nothing else needs that one.
    #[serde(default)]
    pub in_place: bool,
    /// Kernels that it dispatches; 1, where it is left out. The ops limit counts these.
    #[schemars(range(min = 1, max = 1000))]
    pub dispatches: Option<u64>,
    /// How many of it follow each other, each reading the output of the one before; 1, where it is left out.
    #[schemars(range(min = 1, max = 100_000))]
    pub times: Option<u64>,
    /// It is no part of prefill: the head, of which only the last token's output is wanted.
    #[serde(default)]
    pub decode_only: bool,
}

/// An array that stays from token to token.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "a weight", rename = "weight")]
pub(super) struct RawArray {
    /// Its elements.
    #[schemars(range(min = 1, max = 2_147_483_647))]
    pub elements: u64,
    /// Their type.
    pub dtype: ElementType,
}

/// A matrix as MLX's affine quantization keeps it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "`quantized`", rename = "quantized")]
pub(super) struct RawQuantized {
    /// Outputs.
    #[schemars(range(min = 1, max = 2_147_483_647))]
    pub rows: u64,
    /// Inputs.
    #[schemars(range(min = 1, max = 2_147_483_647))]
    pub columns: u64,
    /// Bits of a weight.
    #[schemars(range(min = 2, max = 8))]
    pub bits: u64,
    /// Weights of a row that share a scale and a bias.
    #[schemars(range(min = 1, max = 1024))]
    pub group: u64,
}

/// The types that the driver makes arrays of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "dtype")]
pub(super) enum ElementType {
    Int8,
    Uint32,
    Int64,
    Float16,
    Float32,
}

impl ElementType {
    /// MLX's and the driver's word.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Int8 => "int8",
            Self::Uint32 => "uint32",
            Self::Int64 => "int64",
            Self::Float16 => "float16",
            Self::Float32 => "float32",
        }
    }
}
