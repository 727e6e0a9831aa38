//! The four generate loops: two ways to report, each from tokens or from embeddings.

use std::time::{Duration, Instant};

use mlx_bridge::{DecodeCommandBufferBudget, DecodePhase, InputBudget, Phases, Stepping};

use crate::TOKENS;
use crate::toy::{Prompt, Toy};

/// Gives each token to `each` as soon as it is read.
pub fn streaming(
    toy: &mut Toy,
    phases: &mut Phases,
    budget: Option<InputBudget>,
    prompt: Prompt<'_>,
    each: impl FnMut(u32),
) {
    prefill(toy, phases, prompt);
    decode(toy, phases, budget, each);
}

/// Gives the tokens, and how long each phase took.
pub fn with_statistics(
    toy: &mut Toy,
    phases: &mut Phases,
    budget: Option<InputBudget>,
    prompt: Prompt<'_>,
) -> (Vec<u32>, Duration, Duration) {
    let start = Instant::now();
    prefill(toy, phases, prompt);
    let prefill_time = start.elapsed();
    let mut tokens = Vec::with_capacity(TOKENS);
    decode(toy, phases, budget, |token| tokens.push(token));
    (tokens, prefill_time, start.elapsed() - prefill_time)
}

fn prefill(toy: &mut Toy, phases: &mut Phases, prompt: Prompt<'_>) {
    let _phase = phases.prefill();
    toy.encode_prompt(prompt);
}

/// Pipelined where that is allowed: the guard is entered once the prompt has been encoded and lives until
/// the last step has been. Under `MLXCEL_FORCE_SYNC` there is nothing to enter it with.
fn decode(
    toy: &mut Toy,
    phases: &mut Phases,
    budget: Option<InputBudget>,
    mut each: impl FnMut(u32),
) {
    match phases.decode(Stepping::Pipelined) {
        DecodePhase::Pipelined(phase) => {
            let budget = DecodeCommandBufferBudget::enter(&phase, budget);
            toy.encode_step("pipelined step", Some(&budget));
            for step in 1..=TOKENS {
                if step < TOKENS {
                    toy.encode_step("pipelined step", Some(&budget));
                }
                toy.read_token().into_iter().for_each(&mut each);
            }
        }
        DecodePhase::Synchronous(_phase) => {
            for _ in 0..TOKENS {
                toy.encode_step("synchronous step", None);
                toy.read_token().into_iter().for_each(&mut each);
            }
        }
    }
}
