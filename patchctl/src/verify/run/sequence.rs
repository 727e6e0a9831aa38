//! Random sequences of steps that a program may give to an encoder, made from a seed.

use serde_json::json;

use super::scenario::{Step, step};

/// SplitMix64: small, and the same numbers everywhere.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// Starts at a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns the next number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        self.number() % end
    }

    /// Returns one of some choices, of which there is at least one.
    pub fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u64) as usize]
    }
}

/// Around the places where something changes: whole Mi, one less, and the devices' own budgets.
const ELEMENTS: [u64; 12] = [
    1,
    1000,
    (1 << 20) - 1,
    1 << 20,
    3 << 20,
    4 << 20,
    10 << 20,
    (17 << 20) - 1,
    20 << 20,
    40 << 20,
    51 << 20,
    150 << 20,
];

const DTYPES: [&str; 3] = ["int8", "float16", "int64"];

/// The arrays that a sequence uses again and again, as a model its weights.
pub const NAMED: u64 = 4;

/// Makes a sequence of 5 to 24 steps.
pub fn sequence(random: &mut Random) -> Vec<Step> {
    let mut steps = Vec::new();
    for index in 0..NAMED {
        steps.push(step(json!({
            "step": "array",
            "name": name(index),
            "elements": random.one_of(&ELEMENTS),
            "dtype": random.one_of(&DTYPES),
            "broadcast": random.below(8) == 0,
        })));
    }
    for _ in 0..5 + random.below(20) {
        steps.push(any_step(random));
    }
    steps.push(step(json!({"step": "synchronize"})));
    steps
}

fn any_step(random: &mut Random) -> Step {
    match random.below(16) {
        0 => return step(json!({"step": "flush"})),
        1 => return step(json!({"step": "event"})),
        2 => return step(json!({"step": "synchronize"})),
        _ => {}
    }
    let mut op = step(json!({"step": "op", "times": 1 + random.below(30)}));
    if random.below(2) == 0 {
        let uses: Vec<String> = (0..1 + random.below(3))
            .map(|_| name(random.below(NAMED)))
            .collect();
        op.insert("use".to_owned(), uses.into());
    }
    if random.below(2) == 0 {
        op.insert("elements".to_owned(), random.one_of(&ELEMENTS).into());
        op.insert("dtype".to_owned(), random.one_of(&DTYPES).into());
    }
    if random.below(4) == 0 {
        op.insert("out".to_owned(), random.one_of(&ELEMENTS).into());
    }
    if random.below(8) == 0 {
        op.insert("dispatches".to_owned(), (1 + random.below(7)).into());
    }
    op
}

/// Names an array of a sequence.
pub fn name(index: u64) -> String {
    format!("w{index}")
}
