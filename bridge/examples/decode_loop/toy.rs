//! A model that takes no time, and remembers how its work was encoded.

use std::collections::VecDeque;

use mlx_bridge::{DecodeCommandBufferBudget, mb_per_buffer_override};

/// What a generation starts from.
#[derive(Clone, Copy)]
pub enum Prompt<'p> {
    Tokens(&'p [u32]),
    Embeddings(&'p [f32]),
}

/// Stands for a model on a GPU: work is encoded, runs, and is read later, in order.
#[derive(Default)]
pub struct Toy {
    state: u32,
    in_flight: VecDeque<u32>,
    encoded: Vec<Encoded>,
}

/// A kind of work, what was in force when it was encoded, and how often that was so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Encoded {
    pub work: &'static str,
    pub held: bool,
    pub seen: i32,
    pub times: usize,
}

impl Toy {
    /// Encodes a prompt or a chunk of one.
    pub fn encode_prompt(&mut self, prompt: Prompt<'_>) {
        self.state = match prompt {
            Prompt::Tokens(tokens) => tokens.iter().fold(1, |sum, token| sum * 3 + token),
            Prompt::Embeddings(values) => values.iter().map(|value| (value * 8.0) as u32).sum(),
        } % 97;
        self.note("prefill", None);
    }

    /// Encodes the next decode step. It follows the last one encoded, which may still run.
    pub fn encode_step(
        &mut self,
        work: &'static str,
        budget: Option<&DecodeCommandBufferBudget<'_>>,
    ) {
        self.state = (self.state * 31 + 7) % 97;
        self.in_flight.push_back(self.state);
        self.note(work, budget);
    }

    /// Waits for the oldest step in flight and reads its token.
    pub fn read_token(&mut self) -> Option<u32> {
        self.in_flight.pop_front()
    }

    /// Takes back what was encoded ahead and is not wanted.
    pub fn drop_in_flight(&mut self) {
        self.in_flight.clear();
    }

    /// What was encoded, in order of first appearance.
    pub fn summary(&self) -> &[Encoded] {
        &self.encoded
    }

    fn note(&mut self, work: &'static str, budget: Option<&DecodeCommandBufferBudget<'_>>) {
        let held = budget.is_some_and(DecodeCommandBufferBudget::is_active);
        let seen = mb_per_buffer_override();
        let same = |row: &&mut Encoded| (row.work, row.held, row.seen) == (work, held, seen);
        match self.encoded.iter_mut().find(same) {
            Some(row) => row.times += 1,
            None => self.encoded.push(Encoded {
                work,
                held,
                seen,
                times: 1,
            }),
        }
    }
}
