//! This process's decode budget, decided once.

use std::sync::OnceLock;

use crate::{AppleGpu, DecodeEnvironment, InputBudget, UnreadableBudget, resolve_decode_budget};

static BUDGET: OnceLock<Option<InputBudget>> = OnceLock::new();

/// This process's decode budget, from its environment and chip as they were at the first call. A value of
/// `MLXCEL_DECODE_MB_PER_BUFFER` that cannot be read is reported once, on standard error.
///
/// Programs that report elsewhere call [`decode_budget_or_warn`] first.
pub fn decode_budget() -> Option<InputBudget> {
    #[expect(
        clippy::print_stderr,
        reason = "a user's setting is passed over; documented"
    )]
    decode_budget_or_warn(|unreadable| eprintln!("warning: {unreadable}"))
}

/// As [`decode_budget`], with the one warning given to `warn`. Only the first call of the process decides,
/// so only its `warn` can be called; threads that come meanwhile wait for it.
pub fn decode_budget_or_warn(warn: impl FnOnce(&UnreadableBudget)) -> Option<InputBudget> {
    *BUDGET.get_or_init(|| {
        let decided = resolve_decode_budget(&DecodeEnvironment::of_process(), AppleGpu::detect());
        if let Some(unreadable) = &decided.unreadable {
            warn(unreadable);
        }
        decided.budget
    })
}
