//! The companion of the budget: MLX's other trigger, the ops limit, which no override reaches.

use std::process::Command;

use crate::environment::{DecodeEnvironment, MAX_OPS_PER_BUFFER};
use crate::hardware::{AppleGpu, gains_from_longer_buffers};

/// What to do about `MLX_MAX_OPS_PER_BUFFER` before MLX is first used in a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OpsLimit {
    /// The user set it; whatever the value, it stays.
    UserSet,
    /// Set it to [`OpsLimit::RAISED`].
    Raise,
    /// Leave MLX's own.
    Leave,
}

/// Decides on the ops limit: on M1 to M4, where the user says nothing, it is raised. The gate is the decode
/// budget's; the budget's own variables have no say.
pub fn resolve_ops_limit(env: &DecodeEnvironment, hardware: Option<AppleGpu>) -> OpsLimit {
    if env.max_ops_per_buffer.is_some() {
        OpsLimit::UserSet
    } else if gains_from_longer_buffers(hardware) {
        OpsLimit::Raise
    } else {
        OpsLimit::Leave
    }
}

impl OpsLimit {
    /// Dispatches a command buffer (mlxcel #353: +11 to +13 % on Gemma 3n, M1 Ultra).
    pub const RAISED: u32 = 1000;

    /// The variable to set and its value, where there is one to set.
    pub fn variable(self) -> Option<(&'static str, String)> {
        matches!(self, Self::Raise).then(|| (MAX_OPS_PER_BUFFER, Self::RAISED.to_string()))
    }

    /// Sets it for a process that is about to be started.
    pub fn apply_to_command(self, command: &mut Command) {
        command.envs(self.variable());
    }

    /// Sets it for this process. MLX reads the variable when its device is made, and only then: call this
    /// before MLX's first use.
    ///
    /// # Safety
    /// No other thread may read or write the environment meanwhile, C++ code included: call it first thing
    /// in `main`, before any thread is started. See [`std::env::set_var`].
    #[expect(unsafe_code, reason = "the caller answers for the threads")]
    pub unsafe fn apply_to_process(self) {
        if let Some((name, value)) = self.variable() {
            // SAFETY: passed on to the caller.
            unsafe { std::env::set_var(name, value) };
        }
    }
}
