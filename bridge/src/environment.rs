//! The environment variables that have a say, read once and passed on as data.

use std::ffi::OsString;

/// Set to anything, it pins MLX's input budget for both phases and wins: no decode budget.
pub const MAX_MB_PER_BUFFER: &str = "MLX_MAX_MB_PER_BUFFER";
/// Tunes or turns off the decode budget.
pub const DECODE_MB_PER_BUFFER: &str = "MLXCEL_DECODE_MB_PER_BUFFER";
/// Set to anything, it pins MLX's ops limit.
pub const MAX_OPS_PER_BUFFER: &str = "MLX_MAX_OPS_PER_BUFFER";
/// Set to anything, it keeps every decode loop synchronous.
pub const FORCE_SYNC: &str = "MLXCEL_FORCE_SYNC";

/// What the environment says. A variable that is set but empty is `Some("")`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DecodeEnvironment {
    /// [`MAX_MB_PER_BUFFER`]
    pub max_mb_per_buffer: Option<OsString>,
    /// [`DECODE_MB_PER_BUFFER`]
    pub decode_mb_per_buffer: Option<OsString>,
    /// [`MAX_OPS_PER_BUFFER`]
    pub max_ops_per_buffer: Option<OsString>,
    /// [`FORCE_SYNC`]
    pub force_sync: Option<OsString>,
}

impl DecodeEnvironment {
    /// Asks `variable` for each of them, by name.
    pub fn read(variable: impl Fn(&str) -> Option<OsString>) -> Self {
        Self {
            max_mb_per_buffer: variable(MAX_MB_PER_BUFFER),
            decode_mb_per_buffer: variable(DECODE_MB_PER_BUFFER),
            max_ops_per_buffer: variable(MAX_OPS_PER_BUFFER),
            force_sync: variable(FORCE_SYNC),
        }
    }

    /// This process's, as it is now.
    pub fn of_process() -> Self {
        Self::read(|name| std::env::var_os(name))
    }

    /// Returns true if decode loops must stay synchronous. Presence counts, as users know it: `0` and the empty
    /// string force it too.
    pub fn forces_sync(&self) -> bool {
        self.force_sync.is_some()
    }
}
