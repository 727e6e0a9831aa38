//! The phases of generating text, as values: only one of them can hold the decode budget.

use std::marker::PhantomData;

use crate::DecodeEnvironment;

/// Gives out the phase that a generation (or a server's scheduler) is in. Each phase borrows it mutably, so
/// there is one at a time, and none begins while a guard of the one before lives.
///
/// ```
/// use mlx_bridge::{DecodeCommandBufferBudget, DecodeEnvironment, DecodePhase, Phases, Stepping};
///
/// let mut phases = Phases::new(&DecodeEnvironment::default());
/// let prefill = phases.prefill();
/// // … encode the prompt …
/// if let DecodePhase::Pipelined(decode) = phases.decode(Stepping::Pipelined) {
///     let budget = DecodeCommandBufferBudget::enter(&decode, None);
///     // … encode step after step …
///     drop(budget);
/// }
/// let next_prompt = phases.prefill();
/// ```
///
/// The same with the guard still alive is refused:
/// ```compile_fail,E0499
/// use mlx_bridge::{DecodeCommandBufferBudget, DecodeEnvironment, DecodePhase, Phases, Stepping};
///
/// let mut phases = Phases::new(&DecodeEnvironment::default());
/// if let DecodePhase::Pipelined(decode) = phases.decode(Stepping::Pipelined) {
///     let budget = DecodeCommandBufferBudget::enter(&decode, None);
///     let next_prompt = phases.prefill();
///     drop(budget);
/// }
/// ```
///
/// So is a guard in prefill:
/// ```compile_fail,E0308
/// use mlx_bridge::{DecodeCommandBufferBudget, DecodeEnvironment, Phases};
///
/// let mut phases = Phases::new(&DecodeEnvironment::default());
/// let prefill = phases.prefill();
/// let budget = DecodeCommandBufferBudget::enter(&prefill, None);
/// ```
///
/// So is a guard around a synchronous step, whether it was asked for or `MLXCEL_FORCE_SYNC` made it so:
/// ```compile_fail,E0308
/// use mlx_bridge::{DecodeCommandBufferBudget, DecodeEnvironment, DecodePhase, Phases, Stepping};
///
/// let mut phases = Phases::new(&DecodeEnvironment::default());
/// if let DecodePhase::Synchronous(step) = phases.decode(Stepping::Synchronous) {
///     let budget = DecodeCommandBufferBudget::enter(&step, None);
/// }
/// ```
///
/// And nobody makes a phase of their own:
/// ```compile_fail,E0451
/// let decode = mlx_bridge::PipelinedDecode { phases: std::marker::PhantomData };
/// ```
#[derive(Debug)]
pub struct Phases {
    force_sync: bool,
}

/// How the caller steps: whether it encodes the next step before it has read this one's token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stepping {
    /// The next step is encoded while the GPU runs this one.
    Pipelined,
    /// The caller waits for each step's result. A long command buffer would keep the GPU waiting until the
    /// whole step is encoded.
    Synchronous,
}

/// Encoding a prompt, or a chunk of one. Cannot hold the budget: it would double peak memory.
#[derive(Debug)]
#[must_use = "name the phase for as long as it lasts"]
pub struct Prefill<'phases> {
    phases: PhantomData<&'phases mut Phases>,
}

/// Decode steps, of one of two kinds.
#[derive(Debug)]
#[must_use = "only its pipelined form can hold the budget"]
pub enum DecodePhase<'phases> {
    /// Can hold the budget.
    Pipelined(PipelinedDecode<'phases>),
    /// Cannot.
    Synchronous(SynchronousDecode<'phases>),
}

/// Decode steps whose next is encoded while the GPU runs this one.
#[derive(Debug)]
pub struct PipelinedDecode<'phases> {
    phases: PhantomData<&'phases mut Phases>,
}

/// A decode step that is waited for.
#[derive(Debug)]
pub struct SynchronousDecode<'phases> {
    phases: PhantomData<&'phases mut Phases>,
}

impl Phases {
    /// The phases under this environment.
    pub fn new(env: &DecodeEnvironment) -> Self {
        Self {
            force_sync: env.forces_sync(),
        }
    }

    /// Begins prefill.
    pub fn prefill(&mut self) -> Prefill<'_> {
        Prefill {
            phases: PhantomData,
        }
    }

    /// Begins decode steps of the kind the caller makes. Under `MLXCEL_FORCE_SYNC` they are synchronous
    /// whatever was asked for, and the caller must step so.
    pub fn decode(&mut self, stepping: Stepping) -> DecodePhase<'_> {
        match stepping {
            Stepping::Pipelined if !self.force_sync => DecodePhase::Pipelined(PipelinedDecode {
                phases: PhantomData,
            }),
            Stepping::Pipelined | Stepping::Synchronous => {
                DecodePhase::Synchronous(SynchronousDecode {
                    phases: PhantomData,
                })
            }
        }
    }
}
