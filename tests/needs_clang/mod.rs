//! What needs clang 19.

mod needs_crates;
