//! A server's scheduler: one thread, a tick at a time. The budget is held within a tick that looks ahead, in
//! its prime and in the steady state, and never from one tick to the next: the next may prefill.

use mlx_bridge::{DecodeCommandBufferBudget, DecodePhase, InputBudget, Phases, Stepping};

use crate::TOKENS;
use crate::toy::{Prompt, Toy};

/// Serves one request after the other.
pub struct Server {
    pub toy: Toy,
    phases: Phases,
    budget: Option<InputBudget>,
    tokens: Vec<u32>,
    /// Whether a step is in flight, encoded by an earlier tick.
    primed: bool,
}

impl Server {
    pub fn new(phases: Phases, budget: Option<InputBudget>) -> Self {
        Self {
            toy: Toy::default(),
            phases,
            budget,
            tokens: Vec::new(),
            primed: false,
        }
    }

    /// Takes a request in; what was encoded ahead for the one before is dropped.
    pub fn admit(&mut self, prompt: &[u32]) {
        self.toy.drop_in_flight();
        self.primed = false;
        self.tokens.clear();
        let _phase = self.phases.prefill();
        self.toy.encode_prompt(Prompt::Tokens(prompt));
    }

    /// One tick: a token. Says whether there is more to do.
    pub fn tick(&mut self) -> bool {
        match self.phases.decode(Stepping::Pipelined) {
            DecodePhase::Pipelined(phase) => {
                let budget = DecodeCommandBufferBudget::enter(&phase, self.budget);
                if !self.primed {
                    self.toy.encode_step("lookahead prime", Some(&budget));
                    self.primed = true;
                }
                if self.tokens.len() + 1 < TOKENS {
                    self.toy.encode_step("lookahead tick", Some(&budget));
                }
            }
            DecodePhase::Synchronous(_phase) => self.toy.encode_step("synchronous tick", None),
        }
        self.tokens.extend(self.toy.read_token());
        self.tokens.len() < TOKENS
    }
}
