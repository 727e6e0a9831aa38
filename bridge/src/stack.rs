//! The guards that are alive, as layers over one override.
//!
//! The override is one number for the whole process, guards are many and may live on several threads. The
//! rule: each guard lays its budget on top, the topmost layer is what MLX reads, and a guard that goes takes
//! *its own* layer away, wherever that lies. Dropped in the order of nesting, each guard so restores what it
//! found. Dropped in any other order, the last one to go still restores what the first one found, and the
//! decode budget cannot stay behind for a prefill.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::InputBudget;

/// A place that holds an override, such as MLX's.
pub(crate) trait Slot {
    /// What is in force; 0 for none.
    fn get(&self) -> i32;
    /// Puts a value in force; 0 or less for none.
    fn set(&self, mebi_elements: i32);
}

/// Which layer a guard laid. Given out once, and taken back by [`BudgetStack::leave`].
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Ticket(u64);

/// The layers over a slot.
pub(crate) struct BudgetStack<S> {
    slot: S,
    layers: Mutex<Layers>,
}

struct Layers {
    next: u64,
    /// Bottom first.
    alive: Vec<Layer>,
}

/// Not the layer's budget, which the slot or the layer above knows, but what lies under it.
struct Layer {
    ticket: u64,
    found: i32,
}

impl<S: Slot> BudgetStack<S> {
    pub(crate) const fn new(slot: S) -> Self {
        Self {
            slot,
            layers: Mutex::new(Layers {
                next: 0,
                alive: Vec::new(),
            }),
        }
    }

    /// Lays `budget` on top.
    pub(crate) fn enter(&self, budget: InputBudget) -> Ticket {
        let mut layers = self.lock();
        let ticket = layers.next;
        layers.next += 1;
        let found = self.slot.get();
        layers.alive.push(Layer { ticket, found });
        self.slot.set(budget.get());
        Ticket(ticket)
    }

    /// Takes that layer away.
    pub(crate) fn leave(&self, Ticket(ticket): Ticket) {
        let mut layers = self.lock();
        let Some(at) = layers
            .alive
            .iter()
            .rposition(|layer| layer.ticket == ticket)
        else {
            return;
        };
        let gone = layers.alive.remove(at);
        match layers.alive.get_mut(at) {
            // The layer above now lies on what this one lay on.
            Some(above) => above.found = gone.found,
            None => self.slot.set(gone.found),
        }
    }

    /// No panic can happen while it is held, and the layers would be sound after one.
    fn lock(&self) -> MutexGuard<'_, Layers> {
        self.layers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
#[path = "stack_tests.rs"]
mod tests;
