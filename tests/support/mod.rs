//! What the end-to-end tests build on: upstreams, scratch repositories, and proofs that nothing changed.

pub mod case;
pub mod files;
pub mod locked;
pub mod outcome;
pub mod patched;
pub mod pinned;
pub mod play;
pub mod quill;
pub mod reviewing;
pub mod scratch;
pub mod upstream;
