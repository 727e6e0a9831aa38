//! patchctl keeps a small set of C++ changes alive on top of MLX, over every release, and proves that
//! they still work. The pipeline is in the module names: `overlay` (what to change), `upstream` (on
//! what), `cpp` (where that is), `patch` (how), `pins` (for which), `verify` (does it hold), `report`.
//!
//! Around it stands the edge: `cli` and `commands` (what is asked), `environment` (what surrounds it),
//! `terminal`, `besides`, `progress` and `exit` (how it is answered). Only the edge prints, reads the environment or ends.

mod abort_at;
pub mod besides;
pub mod bug;
pub mod build;
pub mod cli;
pub mod commands;
pub mod cpp;
pub mod document;
mod embedded;
pub mod environment;
pub mod exit;
pub mod overlay;
pub mod patch;
pub mod pins;
mod progress;
pub mod report;
pub mod review;
pub mod terminal;
pub mod upstream;
pub mod verify;
mod version;
