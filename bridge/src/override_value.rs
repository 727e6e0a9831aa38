//! MLX's override itself, without any bookkeeping.

use crate::ffi::bridge;

/// Sets the process-wide override of MLX's input budget, in mebi-elements a command buffer; 0 or less
/// takes it off, and MLX goes by its own limit again. A relaxed atomic store: encoders on other threads
/// see it at one of their next checks. On the stub it does nothing.
///
/// Prefer [`DecodeCommandBufferBudget`](crate::DecodeCommandBufferBudget), which takes it off again.
/// While guards live, a value set here holds until the next guard is entered or the youngest one is
/// dropped, whichever comes first.
pub fn set_mb_per_buffer_override(mebi_elements: i32) {
    bridge::set_mb_per_buffer_override(mebi_elements);
}

/// The override that MLX's encoders read, in mebi-elements; 0 means none. Never negative. On the stub
/// always 0.
pub fn mb_per_buffer_override() -> i32 {
    bridge::mb_per_buffer_override()
}
