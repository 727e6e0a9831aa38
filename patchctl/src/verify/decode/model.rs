//! A decode model, key for key as its YAML file has it; doc comments are what editors show.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An M1 Ultra's: 50 ops, 50 Mi elements.
const ARCHITECTURE: &str = "applegpu_g13d";
/// The name of a layer's own input.
pub(super) const INPUT: &str = "input";

/// The work that decoding one language model dispatches, for `patchctl test --decode`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "a decode model", rename = "decode")]
pub struct Model {
    /// The version of this form. It is 1.
    #[schemars(range(min = 1, max = 1))]
    #[expect(dead_code, reason = "checked on the tree, before anything else is")]
    pub(super) schema: u32,
    /// Its name in the report: `command-r7b 4-bit`.
    #[serde(rename = "model")]
    pub name: String,
    /// The things that are modelled and those that are not, and the source of the numbers.
    #[expect(dead_code, reason = "for the reader of the file")]
    pub(super) why: String,
    /// The GPU's architecture, from whose last letter MLX takes its limits; an M1 Ultra's, where it is left out.
    pub(super) architecture: Option<String>,
    /// The budget that is held against the device's own; 1000, where it is left out.
    #[schemars(range(min = 1, max = 2_147_483_647))]
    pub(super) budget: Option<i32>,
    /// The length of the prompt and the number of tokens that are decoded.
    pub(super) tokens: Tokens,
    /// The layers, in the order in which a token goes through them.
    pub(super) layers: Vec<Layer>,
}

impl Model {
    pub(super) fn architecture(&self) -> &str {
        self.architecture.as_deref().unwrap_or(ARCHITECTURE)
    }

    pub(super) fn budget(&self) -> i32 {
        self.budget.unwrap_or(1000)
    }

    /// Returns the lines above its table.
    pub fn caption(&self) -> [String; 2] {
        let Tokens { prompt, decode } = self.tokens;
        [
            format!(
                "{} on {}, tokens: {prompt} of prompt, {decode} decoded",
                self.name,
                self.architecture()
            ),
            "command buffers for each prompt or token, and the most bytes of activations in flight"
                .to_owned(),
        ]
    }
}

/// The length of the prompt and the number of tokens that are decoded.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "`tokens`", rename = "tokens")]
pub(super) struct Tokens {
    /// Tokens of the prompt, which go through the layers at once.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub(super) prompt: u64,
    /// Tokens that are decoded, one after the other, in each way of decoding.
    #[schemars(range(min = 1, max = 1000))]
    pub(super) decode: u64,
}

/// A layer, or several alike.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "a layer", rename = "layer")]
pub(super) struct Layer {
    /// Its name.
    #[expect(dead_code, reason = "for the reader of the file")]
    pub(super) name: String,
    /// The number of them that follow each other, each with weights of its own; 1, where it is left out.
    #[schemars(range(min = 1, max = 100_000))]
    pub(super) times: Option<u64>,
    /// Its work, in the order in which MLX encodes it. The last op's output is the layer's.
    pub(super) ops: Vec<Op>,
}

impl Layer {
    pub(super) fn times(&self) -> u64 {
        self.times.unwrap_or(1)
    }

    /// Returns true if a token meets the op once, so that later layers can share its weights.
    pub(super) fn has_once(&self, op: &Op) -> bool {
        self.times() == 1 && op.times() == 1
    }
}

/// An op: one primitive of MLX's, after which MLX asks whether to commit.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "an op", rename = "op")]
pub(super) struct Op {
    /// Its name, unique in its layer.
    pub(super) name: String,
    /// The outputs that it reads, by the names of ops before it in its layer; `input` is the layer's own input. The output
    /// of the op before, where it is left out.
    pub(super) from: Option<Vec<String>>,
    /// Arrays that it reads and that stay from token to token: weights, or a key-value cache.
    #[serde(default)]
    pub(super) weights: Vec<Array>,
    /// A quantized matrix that it reads: packed words, scales and biases.
    pub(super) quantized: Option<Quantized>,
    /// Ops before it whose weights it reads as well: of its layer, or of a layer that is there once.
    #[serde(default)]
    pub(super) shares: Vec<String>,
    /// Elements of its output for each token. It has to be there unless the op is `in_place`.
    #[schemars(range(min = 1, max = 2_147_483_647))]
    pub(super) out: Option<u64>,
    /// The output's type; float16, where it is left out.
    pub(super) dtype: Option<ElementType>,
    /// Its output takes the place of the first output that it reads, as MLX does where nothing else needs that one.
    #[serde(default)]
    pub(super) in_place: bool,
    /// Kernels that it dispatches; 1, where it is left out. The ops limit counts these.
    #[schemars(range(min = 1, max = 1000))]
    pub(super) dispatches: Option<u64>,
    /// The number of it that follow each other, each reading the output of the one before; 1, where it is left out.
    #[schemars(range(min = 1, max = 100_000))]
    pub(super) times: Option<u64>,
    /// It is no part of prefill: the head, of which only the last token's output is wanted.
    #[serde(default)]
    pub(super) decode_only: bool,
}

impl Op {
    pub(super) fn times(&self) -> u64 {
        self.times.unwrap_or(1)
    }

    /// Returns the arrays of its own that stay from token to token.
    pub(super) fn own_weights(&self) -> impl Iterator<Item = Array> + '_ {
        let quantized = self.quantized.iter().flat_map(Quantized::arrays);
        self.weights.iter().copied().chain(quantized)
    }
}

/// An array that stays from token to token.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "a weight", rename = "weight")]
pub(super) struct Array {
    /// Its elements.
    #[schemars(range(min = 1, max = 2_147_483_647))]
    pub(super) elements: u64,
    /// Their type.
    pub(super) dtype: ElementType,
}

/// A matrix as MLX's affine quantization keeps it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "`quantized`", rename = "quantized")]
pub(super) struct Quantized {
    /// Outputs.
    #[schemars(range(min = 1, max = 2_147_483_647))]
    pub(super) rows: u64,
    /// Inputs.
    #[schemars(range(min = 1, max = 2_147_483_647))]
    pub(super) columns: u64,
    /// Bits of a weight.
    #[schemars(range(min = 2, max = 8))]
    pub(super) bits: u64,
    /// Weights of a row that share a scale and a bias.
    #[schemars(range(min = 1, max = 1024))]
    pub(super) group: u64,
}

impl Quantized {
    /// Returns words of 32 bits, then a scale and a bias for each group.
    pub(super) fn arrays(&self) -> [Array; 3] {
        let weights = self.rows.saturating_mul(self.columns);
        let of_groups = Array {
            elements: weights / self.group,
            dtype: ElementType::Float16,
        };
        let words = Array {
            elements: weights.saturating_mul(self.bits) / 32,
            dtype: ElementType::Uint32,
        };
        [words, of_groups, of_groups]
    }
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
