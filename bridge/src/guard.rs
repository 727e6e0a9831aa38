//! The guard that raises the budget around pipelined decode.

use std::marker::PhantomData;

use crate::stack::{BudgetStack, Slot, Ticket};
use crate::{InputBudget, PipelinedDecode, mb_per_buffer_override, set_mb_per_buffer_override};

/// MLX's override, through the bridge.
struct LinkedMlx;

impl Slot for LinkedMlx {
    fn get(&self) -> i32 {
        mb_per_buffer_override()
    }

    fn set(&self, mebi_elements: i32) {
        set_mb_per_buffer_override(mebi_elements);
    }
}

static PROCESS: BudgetStack<LinkedMlx> = BudgetStack::new(LinkedMlx);

/// Raises MLX's input budget for as long as it lives, and puts back what it found, on a panic too.
///
/// Enter it after the prompt has been encoded and keep it until the last step of the loop, or the tick, has
/// been encoded. Guards nest. The budget is process-wide: whatever another thread encodes while a guard
/// lives goes by it too. That moves where command buffers end and changes no result, but a prefill on
/// another thread then needs as much memory as with `MLX_MAX_MB_PER_BUFFER` raised; so encode from one
/// thread, or keep prefill and decode apart in time.
///
/// Guards of several threads may end in any order. The one entered last among the living is in force, and
/// when the last of them has gone, what the first one found is in force again.
/// [`std::mem::forget`] on a guard leaves its budget in force.
///
/// ```
/// use mlx_bridge::{DecodeCommandBufferBudget, DecodeEnvironment, DecodePhase, InputBudget, Phases, Stepping};
///
/// let mut phases = Phases::new(&DecodeEnvironment::default());
/// let DecodePhase::Pipelined(decode) = phases.decode(Stepping::Pipelined) else { unreachable!() };
/// let budget = DecodeCommandBufferBudget::enter(&decode, InputBudget::new(400));
/// assert!(budget.is_active());
/// ```
///
/// It stays on the thread that entered it:
/// ```compile_fail,E0277
/// use mlx_bridge::{DecodeCommandBufferBudget, DecodeEnvironment, DecodePhase, InputBudget, Phases, Stepping};
///
/// let mut phases = Phases::new(&DecodeEnvironment::default());
/// let DecodePhase::Pipelined(decode) = phases.decode(Stepping::Pipelined) else { unreachable!() };
/// let budget = DecodeCommandBufferBudget::enter(&decode, InputBudget::new(400));
/// std::thread::scope(|scope| { scope.spawn(move || budget.is_active()); });
/// ```
///
/// One that nothing holds is refused where unused values are:
/// ```compile_fail
/// #![deny(unused_must_use)]
/// use mlx_bridge::{DecodeCommandBufferBudget, DecodeEnvironment, DecodePhase, InputBudget, Phases, Stepping};
///
/// let mut phases = Phases::new(&DecodeEnvironment::default());
/// let DecodePhase::Pipelined(decode) = phases.decode(Stepping::Pipelined) else { unreachable!() };
/// DecodeCommandBufferBudget::enter(&decode, InputBudget::new(400));
/// ```
#[must_use = "the budget is put back as soon as the guard is dropped"]
#[derive(Debug)]
pub struct DecodeCommandBufferBudget<'phase> {
    ticket: Option<Ticket>,
    /// Borrows the phase, so that a prefill cannot begin meanwhile; the pointer keeps it on its thread.
    phase: PhantomData<(&'phase (), *const ())>,
}

impl<'phase> DecodeCommandBufferBudget<'phase> {
    /// Lays `budget` over what is in force. Without a budget, it does nothing, now and when it is dropped.
    pub fn enter(_decode: &'phase PipelinedDecode<'_>, budget: Option<InputBudget>) -> Self {
        Self {
            ticket: budget.map(|budget| PROCESS.enter(budget)),
            phase: PhantomData,
        }
    }

    /// Returns true if it was given a budget.
    pub const fn is_active(&self) -> bool {
        self.ticket.is_some()
    }
}

impl Drop for DecodeCommandBufferBudget<'_> {
    fn drop(&mut self) {
        if let Some(ticket) = self.ticket.take() {
            PROCESS.leave(ticket);
        }
    }
}
