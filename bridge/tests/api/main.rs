//! The crate as its users call it.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking, in the functions that it calls too"
)]

#[cfg(unix)]
mod precedence;
mod process_budget;
mod round_trip;
