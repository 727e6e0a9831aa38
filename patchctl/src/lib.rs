//! patchctl keeps a small set of C++ changes alive on top of MLX, over every release, and proves that
//! they still work. The pipeline is in the module names: `overlay` (what to change), `upstream` (on
//! what), `cpp` (where that is), `patch` (how), `pins` (for which), `verify` (does it hold), `report`.

pub mod cpp;
pub mod overlay;
pub mod report;
pub mod upstream;
