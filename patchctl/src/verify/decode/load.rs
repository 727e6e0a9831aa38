//! Reads and checks a decode model.

use camino::Utf8Path;

use super::model::{Array, Input, Layer, Model, Op, Shared};
use super::problem::DecodeProblem;
use super::yaml::{ElementType, RawLayer, RawModel, RawOp, RawQuantized};
use crate::yaml::{self, Fault, Faults, Node, Problems, closest, read_limited, schema_of};

/// An M1 Ultra's: 50 ops, 50 Mi elements.
const ARCHITECTURE: &str = "applegpu_g13d";
const BUDGET: i32 = 1000;
/// MLX counts elements in an `int`.
const MOST_ELEMENTS: u64 = i32::MAX as u64;
/// Ops of all passes together: some seconds.
const MOST_OPS: u64 = 1_000_000;
/// The name of a layer's input.
const INPUT: &str = "input";

/// Reads the model in `file`.
///
/// # Errors
/// As [`parse`], and where the file cannot be read.
pub fn load(file: &Utf8Path) -> Result<Model, Faults> {
    match read_limited(file) {
        Ok(bytes) => parse(file, &bytes),
        Err(problem) => Err(Fault::new(file, None, &problem).into()),
    }
}

/// Reads a model's bytes; `file` is its name, for messages.
///
/// # Errors
/// All that is wrong with its form, or then with its meaning.
pub fn parse(file: &Utf8Path, bytes: &[u8]) -> Result<Model, Faults> {
    yaml::read(file, bytes, |raw: RawModel, root, problems| {
        let before = Vec::new();
        Some(Checker { problems, before }.model(&raw, root))
    })
}

impl yaml::Form for RawModel {}

/// The JSON Schema of a decode model, for editors.
pub fn decode_schema() -> serde_json::Value {
    schema_of::<RawModel>()
}

struct Checker<'a, 'f> {
    problems: &'a mut Problems<'f>,
    /// The layers so far: their ops' names, and whether each of those is there once.
    before: Vec<Vec<(String, bool)>>,
}

impl Checker<'_, '_> {
    fn wrong(&mut self, node: &Node, problem: DecodeProblem) {
        self.problems.push(node.mark, problem);
    }

    fn model(&mut self, raw: &RawModel, node: &Node) -> Model {
        let architecture = raw.architecture.as_deref().unwrap_or(ARCHITECTURE);
        let letter = architecture.strip_prefix("applegpu_").unwrap_or_default();
        let is_plain = letter
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
        if !is_plain || !letter.ends_with(|c: char| c.is_ascii_lowercase()) {
            let problem = DecodeProblem::BadArchitecture(architecture.to_owned());
            self.wrong(node.key("architecture"), problem);
        }
        if raw.layers.is_empty() {
            self.wrong(
                node.key("layers"),
                DecodeProblem::Nothing("there is no layer"),
            );
        }
        let layers = node.key("layers");
        let mut checked = Vec::new();
        for (index, layer) in raw.layers.iter().enumerate() {
            checked.push(self.layer(layer, layers.item(index), raw.tokens.prompt));
        }
        let ops = |layer: &Layer| {
            let ops = layer.ops.iter().map(|op| op.times);
            ops.sum::<u64>().saturating_mul(layer.times)
        };
        let ops = checked.iter().map(ops).fold(0, u64::saturating_add);
        if ops.saturating_mul(1 + 2 * raw.tokens.decode) > MOST_OPS {
            let problem = DecodeProblem::BadSize(format!(
                "{ops} ops a token are too many for {} tokens: over {MOST_OPS} in all",
                raw.tokens.decode
            ));
            self.wrong(layers, problem);
        }
        Model {
            name: raw.model.clone(),
            architecture: architecture.to_owned(),
            budget: raw.budget.unwrap_or(BUDGET),
            prompt: raw.tokens.prompt,
            decode: raw.tokens.decode,
            layers: checked,
        }
    }

    fn layer(&mut self, raw: &RawLayer, node: &Node, prompt: u64) -> Layer {
        let nodes = node.key("ops");
        if raw.ops.is_empty() {
            self.wrong(nodes, DecodeProblem::Nothing("the layer has no op"));
        }
        let times = raw.times.unwrap_or(1);
        let mut ops = Vec::new();
        let mut names: Vec<(String, bool)> = Vec::new();
        for (index, op) in raw.ops.iter().enumerate() {
            let node = nodes.item(index);
            if let Some(first) = names.iter().position(|(name, _)| *name == op.name) {
                let problem = DecodeProblem::Twice {
                    name: op.name.clone(),
                    first: nodes.item(first).key("name").mark.line,
                };
                self.wrong(node.key("name"), problem);
            }
            ops.push(self.op(op, node, &names, prompt));
            names.push((op.name.clone(), times == 1 && op.times.unwrap_or(1) == 1));
        }
        self.before.push(names);
        Layer { times, ops }
    }

    fn op(&mut self, raw: &RawOp, node: &Node, names: &[(String, bool)], prompt: u64) -> Op {
        if raw.name.is_empty() || raw.name == INPUT {
            let problem =
                DecodeProblem::Nothing("an op needs a name, and `input` is the layer's own");
            self.wrong(node.key("name"), problem);
        }
        let from = match &raw.from {
            None => vec![names.len().checked_sub(1).map_or(Input::Layer, Input::Op)],
            Some(from) => {
                let nodes = node.key("from");
                if from.is_empty() {
                    self.wrong(nodes, DecodeProblem::Nothing("an op reads something"));
                }
                let each = from.iter().enumerate();
                each.filter_map(|(index, name)| self.input(name, nodes.item(index), names))
                    .collect()
            }
        };
        let mut weights: Vec<Array> = raw
            .weights
            .iter()
            .map(|raw| Array {
                elements: raw.elements,
                dtype: raw.dtype,
            })
            .collect();
        if let Some(quantized) = &raw.quantized {
            weights.extend(self.quantized(quantized, node.key("quantized")));
        }
        let shares =
            raw.shares.iter().enumerate().filter_map(|(index, name)| {
                self.shared(name, node.key("shares").item(index), names)
            });
        let shares = shares.collect();
        Op {
            from,
            weights,
            shares,
            out: self.out(raw, node, prompt),
            dispatches: raw.dispatches.unwrap_or(1),
            times: raw.times.unwrap_or(1),
            decode_only: raw.decode_only,
        }
    }

    fn out(&mut self, raw: &RawOp, node: &Node, prompt: u64) -> Option<Array> {
        let clash = match (raw.out, raw.in_place) {
            (None, false) => Some((
                "the op has no output",
                "add `out: …`: the elements of its output for each token, or `in_place: true`",
            )),
            (Some(_), true) => Some((
                "an op that is in place has no output of its own",
                "keep one of `out` and `in_place`",
            )),
            _ if raw.in_place && raw.dtype.is_some() => Some((
                "an op that is in place has the type of what it reads",
                "remove `dtype`",
            )),
            _ => None,
        };
        if let Some((why, help)) = clash {
            self.wrong(node, DecodeProblem::Clash { why, help });
        }
        let tokens = if raw.decode_only { 1 } else { prompt };
        let elements = raw.out?;
        if elements.saturating_mul(tokens) > MOST_ELEMENTS {
            let problem = DecodeProblem::BadSize(format!(
                "{elements} elements for each of {tokens} tokens are more than an array of MLX's can have"
            ));
            self.wrong(node.key("out"), problem);
        }
        Some(Array {
            elements,
            dtype: raw.dtype.unwrap_or(ElementType::Float16),
        })
    }

    fn input(&mut self, name: &str, node: &Node, names: &[(String, bool)]) -> Option<Input> {
        if name == INPUT {
            return Some(Input::Layer);
        }
        let found = names.iter().position(|(known, _)| known == name);
        if found.is_none() {
            let known = names.iter().map(|(known, _)| known.as_str());
            self.unknown(
                name,
                node,
                "no op before this one in its layer",
                known.chain([INPUT]),
            );
        }
        found.map(Input::Op)
    }

    /// Of its own layer, else of the nearest one before that has it once.
    fn shared(&mut self, name: &str, node: &Node, names: &[(String, bool)]) -> Option<Shared> {
        if let Some(here) = names.iter().position(|(known, _)| known == name) {
            return Some(Shared::Here(here));
        }
        for (layer, names) in self.before.iter().enumerate().rev() {
            let once = names
                .iter()
                .position(|(known, once)| *once && known == name);
            if let Some(op) = once {
                return Some(Shared::Of(layer, op));
            }
        }
        let before = self.before.clone();
        let once = before.iter().flatten().filter(|(_, once)| *once);
        let known = names.iter().chain(once).map(|(known, _)| known.as_str());
        self.unknown(
            name,
            node,
            "no op before this one that is there once",
            known,
        );
        None
    }

    fn unknown<'n>(
        &mut self,
        name: &str,
        node: &Node,
        what: &'static str,
        known: impl Iterator<Item = &'n str>,
    ) {
        let problem = DecodeProblem::UnknownName {
            name: name.to_owned(),
            what,
            help: closest(name, known).map(|near| format!("did you mean `{near}`?")),
        };
        self.wrong(node, problem);
    }

    /// Words of 32 bits, then a scale and a bias for each group.
    fn quantized(&mut self, raw: &RawQuantized, node: &Node) -> Vec<Array> {
        let weights = raw.rows.saturating_mul(raw.columns);
        let bits = weights.saturating_mul(raw.bits);
        if !raw.columns.is_multiple_of(raw.group) {
            let problem = DecodeProblem::BadSize(format!(
                "rows of {} weights are no whole groups of {}",
                raw.columns, raw.group
            ));
            self.wrong(node.key("group"), problem);
        }
        if !raw.columns.saturating_mul(raw.bits).is_multiple_of(32) || raw.bits == 7 {
            let problem = DecodeProblem::BadSize(format!(
                "rows of {} weights of {} bits are no whole words of 32 bits",
                raw.columns, raw.bits
            ));
            self.wrong(node.key("bits"), problem);
        }
        if bits / 32 > MOST_ELEMENTS || weights / raw.group > MOST_ELEMENTS {
            let problem =
                DecodeProblem::BadSize("more words than an array of MLX's can have".to_owned());
            self.wrong(node, problem);
        }
        let of_groups = Array {
            elements: weights / raw.group,
            dtype: ElementType::Float16,
        };
        let words = Array {
            elements: bits / 32,
            dtype: ElementType::Uint32,
        };
        vec![words, of_groups, of_groups]
    }
}
