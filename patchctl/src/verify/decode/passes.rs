//! A model written out: every op that one token, or a prompt, makes MLX encode, and every weight once.

use std::collections::HashMap;

use serde_json::json;

use super::model::{Array, ElementType, INPUT, Model, Op};
use crate::verify::run::{Step, step};

/// The name of what goes into the first layer.
const TOKENS: &str = "tokens";

/// The ops that all passes have in common, and their weights.
pub(super) struct Passes<'a> {
    ops: Vec<Written<'a>>,
    weights: Vec<Array>,
}

/// An op in its place.
struct Written<'a> {
    op: &'a Op,
    /// The arrays that it reads, by name, with the one that it is in place of first.
    uses: Vec<String>,
    output: String,
    times: u64,
}

impl<'a> Passes<'a> {
    pub(super) fn of(model: &'a Model) -> Self {
        let mut passes = Self {
            ops: Vec::new(),
            weights: Vec::new(),
        };
        let mut input = TOKENS.to_owned();
        // The weights of ops that are there once; a later op takes the name of one in a layer before.
        let mut once: HashMap<&str, Vec<String>> = HashMap::new();
        for layer in &model.layers {
            let mut weights: HashMap<&str, Vec<String>> = HashMap::new();
            for _ in 0..layer.times() {
                weights.clear();
                let mut outputs = HashMap::from([(INPUT, input.clone())]);
                for op in &layer.ops {
                    let shared = op.shares.iter().map(String::as_str);
                    let shared = shared.filter_map(|name| weights.get(name).or(once.get(name)));
                    let shared = shared.flatten().cloned().collect();
                    let reads = match &op.from {
                        // The output of the op before.
                        None => vec![input.clone()],
                        Some(from) => from
                            .iter()
                            .map(|name| outputs[name.as_str()].clone())
                            .collect(),
                    };
                    let (output, own) = passes.write(op, reads, shared);
                    weights.insert(&op.name, own);
                    outputs.insert(&op.name, output.clone());
                    input = output;
                }
            }
            for op in layer.ops.iter().filter(|op| layer.has_once(op)) {
                once.extend(weights.remove_entry(op.name.as_str()));
            }
        }
        passes
    }

    /// Appends an op with all its repetitions. Gives its output's name and the weights of the last repetition.
    fn write(
        &mut self,
        op: &'a Op,
        mut reads: Vec<String>,
        shared: Vec<String>,
    ) -> (String, Vec<String>) {
        let output = match op.out {
            Some(_) => format!("a{}", self.ops.len()),
            None => reads[0].clone(),
        };
        let mut left = op.times();
        loop {
            let first = self.weights.len();
            self.weights.extend(op.own_weights());
            let own: Vec<String> = (first..self.weights.len()).map(weight).collect();
            // The first reads what it was given, those after it their own output. Without weights they are alike.
            let times = match left == op.times() || !own.is_empty() {
                true => 1,
                false => left,
            };
            self.ops.push(Written {
                op,
                uses: [&reads[..], &shared, &own].concat(),
                output: output.clone(),
                times,
            });
            left -= times;
            if left == 0 {
                return (output, own);
            }
            reads[0].clone_from(&output);
        }
    }

    /// Makes every weight.
    pub(super) fn weights(&self) -> impl Iterator<Item = Step> + '_ {
        self.weights.iter().enumerate().map(|(index, array)| {
            step(json!({
                "step": "array",
                "name": weight(index),
                "elements": array.elements,
                "dtype": array.dtype,
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

    fn pass(&self, tokens: u64, is_in: impl Fn(&Op) -> bool) -> Vec<Step> {
        let ops = self.ops.iter().filter(|written| is_in(written.op));
        let input = step(json!({
            "step": "array", "name": TOKENS, "elements": tokens, "dtype": "uint32",
        }));
        std::iter::once(input)
            .chain(ops.map(|op| op.step(tokens)))
            .collect()
    }
}

impl Written<'_> {
    fn step(&self, tokens: u64) -> Step {
        let mut written = step(json!({"step": "op", "use": self.uses}));
        if let Some(elements) = self.op.out {
            let dtype = self.op.dtype.unwrap_or(ElementType::Float16);
            written.extend(step(json!({
                "out": elements * tokens, "dtype": dtype, "keep": self.output,
            })));
        }
        let dispatches = self.op.dispatches.unwrap_or(1);
        for (key, number) in [("dispatches", dispatches), ("times", self.times)] {
            if number != 1 {
                written.insert(key.to_owned(), number.into());
            }
        }
        written
    }
}

fn weight(index: usize) -> String {
    format!("w{index}")
}
