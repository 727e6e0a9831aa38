//! A model written out: every op that one token, or a prompt, makes MLX encode, and every weight once.

use serde_json::{Map, Value, json};

use super::model::{Array, Input, Model, Op, Shared};

/// A step, as the driver reads it.
pub(super) type Step = Map<String, Value>;

/// The name of what goes into the first layer.
const TOKENS: &str = "tokens";

/// What all passes have in common.
pub(super) struct Passes {
    ops: Vec<Written>,
    weights: Vec<Array>,
}

/// An op in its place.
struct Written {
    /// The activations that it reads, by name, with the one that it is in place of first.
    reads: Vec<String>,
    weights: Vec<usize>,
    /// Its own output's name, where it has one.
    makes: Option<(String, Array)>,
    dispatches: u64,
    times: u64,
    decode_only: bool,
}

impl Passes {
    pub(super) fn of(model: &Model) -> Self {
        let mut passes = Self {
            ops: Vec::new(),
            weights: Vec::new(),
        };
        let mut input = TOKENS.to_owned();
        // The weights of each op, by layer, as the last of its repetitions has them.
        let mut all: Vec<Vec<Vec<usize>>> = Vec::new();
        for layer in &model.layers {
            let mut of_layer: Vec<Vec<usize>> = Vec::new();
            for _ in 0..layer.times {
                of_layer = Vec::new();
                let mut outputs: Vec<String> = Vec::new();
                for op in &layer.ops {
                    let shared = op.shares.iter().flat_map(|shared| match *shared {
                        Shared::Here(op) => of_layer[op].clone(),
                        Shared::Of(layer, op) => all[layer][op].clone(),
                    });
                    let shared: Vec<usize> = shared.collect();
                    let reads = op.from.iter().map(|from| match *from {
                        Input::Layer => input.clone(),
                        Input::Op(op) => outputs[op].clone(),
                    });
                    let (output, own) = passes.write(op, reads.collect(), &shared);
                    of_layer.push(own);
                    outputs.push(output);
                }
                if let Some(last) = outputs.pop() {
                    input = last;
                }
            }
            all.push(of_layer);
        }
        passes
    }

    /// Appends an op with all its repetitions. Gives its output's name and the weights of the last repetition.
    fn write(&mut self, op: &Op, reads: Vec<String>, shared: &[usize]) -> (String, Vec<usize>) {
        let place = reads.first().cloned().unwrap_or_else(|| TOKENS.to_owned());
        let output = match op.out {
            Some(_) => format!("a{}", self.ops.len()),
            None => place,
        };
        let mut reads = reads;
        let mut left = op.times;
        loop {
            let mut weights = shared.to_vec();
            let own: Vec<usize> = op.weights.iter().map(|array| self.weight(*array)).collect();
            weights.extend(&own);
            // The first reads what it was given, those after it their own output. Without weights they are alike.
            let is_first = left == op.times;
            let times = if is_first || !op.weights.is_empty() {
                1
            } else {
                left
            };
            self.ops.push(Written {
                reads: reads.clone(),
                weights,
                makes: op.out.map(|out| (output.clone(), out)),
                dispatches: op.dispatches,
                times,
                decode_only: op.decode_only,
            });
            left -= times;
            if left == 0 {
                return (output, own);
            }
            if let Some(first) = reads.first_mut() {
                first.clone_from(&output);
            }
        }
    }

    fn weight(&mut self, array: Array) -> usize {
        self.weights.push(array);
        self.weights.len() - 1
    }

    /// Makes every weight.
    pub(super) fn weights(&self) -> impl Iterator<Item = Step> + '_ {
        self.weights.iter().enumerate().map(|(index, array)| {
            step(json!({
                "step": "array",
                "name": format!("w{index}"),
                "elements": array.elements,
                "dtype": array.dtype.name(),
                "weight": true,
            }))
        })
    }

    /// The whole prompt at once.
    pub(super) fn prefill(&self, tokens: u64) -> Vec<Step> {
        self.pass(tokens, |op| !op.decode_only)
    }

    /// One token.
    pub(super) fn token(&self) -> Vec<Step> {
        self.pass(1, |_| true)
    }

    fn pass(&self, tokens: u64, is_in: impl Fn(&Written) -> bool) -> Vec<Step> {
        let ops = self.ops.iter().filter(|op| is_in(op));
        let input = step(json!({
            "step": "array", "name": TOKENS, "elements": tokens, "dtype": "uint32",
        }));
        std::iter::once(input)
            .chain(ops.map(|op| written(op, tokens)))
            .collect()
    }
}

fn written(op: &Written, tokens: u64) -> Step {
    let weights = op.weights.iter().map(|index| format!("w{index}"));
    let uses: Vec<String> = op.reads.iter().cloned().chain(weights).collect();
    let mut written = step(json!({"step": "op", "use": uses}));
    if let Some((name, array)) = &op.makes {
        written.insert("out".to_owned(), (array.elements * tokens).into());
        written.insert("dtype".to_owned(), array.dtype.name().into());
        written.insert("keep".to_owned(), name.clone().into());
    }
    for (key, number) in [("dispatches", op.dispatches), ("times", op.times)] {
        if number != 1 {
            written.insert(key.to_owned(), number.into());
        }
    }
    written
}

pub(super) fn step(value: Value) -> Step {
    match value {
        Value::Object(members) => members,
        _ => Step::new(),
    }
}
