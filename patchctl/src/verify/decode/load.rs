//! Reads a decode model, and checks that what it says can be dispatched.

use camino::Utf8Path;

use super::model::{INPUT, Layer, Model, Op, Quantized};
use crate::report::Code;
use crate::yaml::{self, Faults, Node, Problems, closest, read_limited, schema_of};

/// MLX counts elements in an `int`.
const MOST_ELEMENTS: u64 = i32::MAX as u64;
/// Ops of all passes together: some seconds.
const MOST_OPS: u64 = 1_000_000;

/// Reads the model in `file`.
///
/// # Errors
/// As [`parse`], and where the file cannot be read.
pub fn load(file: &Utf8Path) -> Result<Model, Faults> {
    match read_limited(file) {
        Ok(bytes) => parse(file, &bytes),
        Err(problem) => Err(Faults::of(file, &problem)),
    }
}

/// Reads a model's bytes; `file` is its name, for messages.
///
/// # Errors
/// All that is wrong with its form, or then with its meaning.
pub fn parse(file: &Utf8Path, bytes: &[u8]) -> Result<Model, Faults> {
    yaml::read(file, bytes, |model: Model, root| {
        let mut checker = Checker {
            problems: root.problems,
            prompt: model.tokens.prompt,
            once: Vec::new(),
        };
        checker.model(&model, root.node);
        Some(model)
    })
}

impl yaml::Form for Model {}

/// The JSON Schema of a decode model, for editors.
pub fn decode_schema() -> serde_json::Value {
    schema_of::<Model>()
}

struct Checker<'a> {
    problems: &'a Problems<'a>,
    prompt: u64,
    /// The names of the ops so far that are there once.
    once: Vec<String>,
}

impl Checker<'_> {
    fn wrong(&mut self, node: &Node, code: Code, message: impl Into<String>, help: Option<&str>) {
        self.problems.note(node.mark, code, message, help);
    }

    fn bad_size(&mut self, node: &Node, message: impl Into<String>) {
        self.wrong(node, Code::DecodeBadSize, message, None);
    }

    fn nothing(&mut self, node: &Node, message: &str) {
        self.wrong(node, Code::DecodeNothingThere, message, None);
    }

    fn model(&mut self, model: &Model, node: &Node) {
        let architecture = model.architecture();
        let letter = architecture.strip_prefix("applegpu_").unwrap_or_default();
        let is_plain = letter
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
        if !is_plain || !letter.ends_with(|c: char| c.is_ascii_lowercase()) {
            self.wrong(
                node.key("architecture"),
                Code::DecodeBadArchitecture,
                format!("`{architecture}` is no GPU architecture as Metal names them"),
                Some("write one such as `applegpu_g13d` (M1 Ultra) or `applegpu_g16s` (M4 Max)"),
            );
        }
        let layers = node.key("layers");
        if model.layers.is_empty() {
            self.nothing(layers, "there is no layer");
        }
        let mut ops: u64 = 0;
        for (index, layer) in model.layers.iter().enumerate() {
            self.layer(layer, layers.item(index));
            let of_layer: u64 = layer.ops.iter().map(Op::times).sum();
            ops = ops.saturating_add(of_layer.saturating_mul(layer.times()));
        }
        let tokens = model.tokens.decode;
        if ops.saturating_mul(1 + 2 * tokens) > MOST_OPS {
            self.bad_size(
                layers,
                format!(
                    "{ops} ops a token are too many for {tokens} tokens: over {MOST_OPS} in all"
                ),
            );
        }
    }

    fn layer(&mut self, layer: &Layer, node: &Node) {
        let nodes = node.key("ops");
        if layer.ops.is_empty() {
            self.nothing(nodes, "the layer has no op");
        }
        for (index, op) in layer.ops.iter().enumerate() {
            let (before, node) = (&layer.ops[..index], nodes.item(index));
            let name = node.key("name");
            if let Some(first) = before.iter().position(|one| one.name == op.name) {
                let line = nodes.item(first).key("name").mark.line;
                let message = format!(
                    "the op `{}` is here twice in this layer, first on line {line}",
                    op.name
                );
                self.wrong(name, Code::DecodeOpTwice, message, None);
            }
            if op.name.is_empty() || op.name == INPUT {
                self.nothing(name, "an op needs a name, and `input` is the layer's own");
            }
            self.reads(op, node, before);
            if let Some(quantized) = &op.quantized {
                self.quantized(quantized, node.key("quantized"));
            }
            self.out(op, node);
        }
        let once = layer.ops.iter().filter(|op| layer.has_once(op));
        self.once.extend(once.map(|op| op.name.clone()));
    }

    /// Checks the names that an op reads by; `before` are the ops before it in its layer.
    fn reads(&mut self, op: &Op, node: &Node, before: &[Op]) {
        let once = self.once.clone();
        let before = before.iter().map(|op| op.name.as_str());
        if let Some(from) = &op.from {
            let nodes = node.key("from");
            if from.is_empty() {
                self.nothing(nodes, "an op reads something");
            }
            let known: Vec<&str> = before.clone().chain([INPUT]).collect();
            self.names(from, nodes, &known, "no op before this one in its layer");
        }
        let known: Vec<&str> = before.chain(once.iter().map(String::as_str)).collect();
        let what = "no op before this one that is there once";
        self.names(&op.shares, node.key("shares"), &known, what);
    }

    fn names(&mut self, names: &[String], nodes: &Node, known: &[&str], what: &str) {
        for (index, name) in names.iter().enumerate() {
            if !known.contains(&name.as_str()) {
                let near = closest(name, known.iter().copied());
                self.wrong(
                    nodes.item(index),
                    Code::DecodeUnknownOp,
                    format!("`{name}` is {what}"),
                    near.map(|near| format!("did you mean `{near}`?"))
                        .as_deref(),
                );
            }
        }
    }

    fn out(&mut self, op: &Op, node: &Node) {
        let clash = match (op.out, op.in_place) {
            (None, false) => Some((
                "the op has no output",
                "add `out: …`: the elements of its output for each token, or `in_place: true`",
            )),
            (Some(_), true) => Some((
                "an op that is in place has no output of its own",
                "keep one of `out` and `in_place`",
            )),
            _ if op.in_place && op.dtype.is_some() => Some((
                "an op that is in place has the type of what it reads",
                "remove `dtype`",
            )),
            _ => None,
        };
        if let Some((why, help)) = clash {
            self.wrong(node, Code::DecodeKeysClash, why, Some(help));
        }
        let tokens = if op.decode_only { 1 } else { self.prompt };
        let Some(elements) = op
            .out
            .filter(|out| out.saturating_mul(tokens) > MOST_ELEMENTS)
        else {
            return;
        };
        let message = format!(
            "{elements} elements for each of {tokens} tokens are more than an array of MLX's can have"
        );
        self.bad_size(node.key("out"), message);
    }

    fn quantized(&mut self, matrix: &Quantized, node: &Node) {
        let (columns, bits, group) = (matrix.columns, matrix.bits, matrix.group);
        if !columns.is_multiple_of(group) {
            let message = format!("rows of {columns} weights are no whole groups of {group}");
            self.bad_size(node.key("group"), message);
        }
        if !columns.saturating_mul(bits).is_multiple_of(32) || bits == 7 {
            let message =
                format!("rows of {columns} weights of {bits} bits are no whole words of 32 bits");
            self.bad_size(node.key("bits"), message);
        }
        if matrix.arrays().iter().any(|it| it.elements > MOST_ELEMENTS) {
            self.bad_size(node, "more words than an array of MLX's can have");
        }
    }
}
