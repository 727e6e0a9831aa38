//! A speculative loop: a round that verifies a draft is waited for, since the next one starts from what it
//! accepts; plain rounds in between are pipelined. Only these hold the budget.

use mlx_bridge::{DecodeCommandBufferBudget, DecodePhase, InputBudget, Phases, Stepping};

use crate::TOKENS;
use crate::toy::{Prompt, Toy};

/// Generates from `prompt`, with a draft for every second round.
pub fn generate(
    toy: &mut Toy,
    phases: &mut Phases,
    budget: Option<InputBudget>,
    prompt: &[u32],
) -> Vec<u32> {
    {
        let _phase = phases.prefill();
        toy.encode_prompt(Prompt::Tokens(prompt));
    }
    let mut tokens = Vec::new();
    while tokens.len() < TOKENS {
        verify(toy, phases, &mut tokens);
        plain(toy, phases, budget, &mut tokens);
    }
    tokens
}

/// Encodes the draft's check and waits for how much of it is accepted.
fn verify(toy: &mut Toy, phases: &mut Phases, tokens: &mut Vec<u32>) {
    let _phase = phases.decode(Stepping::Synchronous);
    toy.encode_step("draft check", None);
    tokens.extend(toy.read_token());
}

/// Two steps without a draft, the second encoded while the first runs.
fn plain(toy: &mut Toy, phases: &mut Phases, budget: Option<InputBudget>, tokens: &mut Vec<u32>) {
    match phases.decode(Stepping::Pipelined) {
        DecodePhase::Pipelined(phase) => {
            let budget = DecodeCommandBufferBudget::enter(&phase, budget);
            toy.encode_step("plain round", Some(&budget));
            toy.encode_step("plain round", Some(&budget));
            tokens.extend(toy.read_token());
            tokens.extend(toy.read_token());
        }
        DecodePhase::Synchronous(_phase) => {
            for _ in 0..2 {
                toy.encode_step("plain round, waited", None);
                tokens.extend(toy.read_token());
            }
        }
    }
}
