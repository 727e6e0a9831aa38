//! Keeps a program busy with random sequences, to see whether it survives: with sanitizers compiled in, whether they
//! have anything to say.

use std::collections::BTreeMap;

use camino::Utf8Path;

use patchctl::toolchain::Runner;
use patchctl::verify::run::sequence::{NAMED, Random, name, sequence};
use patchctl::verify::run::{Ended, Scenario, Step, drive};
use serde_json::{Value, json};

/// So many sequences share a process: what one leaves behind, the next finds.
const IN_A_PROCESS: usize = 25;

/// Runs `sequences` random sequences on two threads; `environment` is the program's, such as `TSAN_OPTIONS`. Gives how
/// the first process that did not end well ended; none when all did.
pub fn exercise(
    program: &Utf8Path,
    seed: u64,
    sequences: usize,
    environment: &BTreeMap<String, String>,
    runner: &dyn Runner,
) -> Option<Ended> {
    let mut random = Random::new(seed);
    let all: Vec<Scenario> = (0..sequences)
        .map(|index| Scenario {
            name: format!("busy-{index}"),
            architecture: "applegpu_g16s".to_owned(),
            environment: environment.clone(),
            steps: busy_sequence(&mut random),
            ..Scenario::default()
        })
        .collect();
    for chunk in all.chunks(IN_A_PROCESS) {
        let observed = drive(program, chunk, runner).unwrap();
        if let Some(first) = observed.into_iter().find(|one| one.ended != Ended::Well) {
            return Some(first.ended);
        }
    }
    None
}

/// A sequence in which two threads encode at the same time while the override goes up and down and command buffers complete
/// now and later: for sanitizers, which look for what is wrong whatever the command buffers come to.
fn busy_sequence(random: &mut Random) -> Vec<Step> {
    let mut steps = sequence(random);
    for one in &mut steps {
        if random.below(4) == 0 {
            *one = object(match random.below(5) {
                0 => json!({"step": "lag", "commits": random.one_of(&[0, 1, 10])}),
                1 => json!({"step": "peak"}),
                2 => json!({"step": "event", "host": true}),
                _ => json!({"step": "override", "mb": random.one_of(&[-1, 0, 1, 100, 1000])}),
            });
        } else if one["step"] != "array" && random.below(2) == 0 {
            one.insert("on".to_owned(), "second".into());
            one.insert("meanwhile".to_owned(), true.into());
        }
        if one.contains_key("out") && random.below(2) == 0 {
            one.insert("keep".to_owned(), name(random.below(NAMED)).into());
        }
    }
    // A step that replaced an array would leave its name without one.
    let names = (0..NAMED).map(|index| object(json!({"step": "array", "name": name(index)})));
    names.chain(steps).collect()
}

fn object(value: Value) -> Step {
    match value {
        Value::Object(members) => members,
        _ => Step::new(),
    }
}
