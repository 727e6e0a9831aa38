//! Run-time override of MLX's command-buffer input budget, held around pipelined decode only.
//!
//! MLX commits a Metal command buffer when its ops, or the elements of its distinct inputs, pass a limit
//! that it reads once. Decoding a language model wants the second limit large (fewer command buffers a
//! token), prefill wants it small (a buffer's activations live until it completes). patchctl's overlay
//! `decode-input-budget` gives MLX an override that can change at any time; this crate reaches it.
//!
//! ```
//! use mlx_bridge::{DecodeCommandBufferBudget, DecodeEnvironment, DecodePhase, Phases, Stepping};
//!
//! let mut phases = Phases::new(&DecodeEnvironment::of_process());
//! // … prefill …
//! match phases.decode(Stepping::Pipelined) {
//!     DecodePhase::Pipelined(decode) => {
//!         let _budget = DecodeCommandBufferBudget::enter(&decode, mlx_bridge::decode_budget());
//!         // … encode step n + 1, then read the token of step n …
//!     }
//!     DecodePhase::Synchronous(_) => { /* … encode a step, wait for its token … */ }
//! }
//! ```
//! `examples/decode_loop.rs` shows the wiring of whole loops. [`backend`] says what is linked in: `metal`,
//! `host-metal` (Linux, no kernels), or `stub`, where the override takes nothing and gives 0.

mod backend;
mod budget;
mod environment;
mod ffi;
mod guard;
mod hardware;
mod ops_limit;
mod override_value;
mod phase;
mod process;
mod resolve;
mod stack;
mod sysctl;

pub use backend::{Backend, backend, mlx_version};
pub use budget::InputBudget;
pub use environment::{
    DECODE_MB_PER_BUFFER, DecodeEnvironment, FORCE_SYNC, MAX_MB_PER_BUFFER, MAX_OPS_PER_BUFFER,
};
pub use guard::DecodeCommandBufferBudget;
pub use hardware::AppleGpu;
pub use ops_limit::{OpsLimit, resolve_ops_limit};
pub use override_value::{mb_per_buffer_override, set_mb_per_buffer_override};
pub use phase::{DecodePhase, Phases, PipelinedDecode, Prefill, Stepping, SynchronousDecode};
pub use process::{decode_budget, decode_budget_or_warn};
pub use resolve::{BudgetSource, DecodeBudget, UnreadableBudget, resolve_decode_budget};
