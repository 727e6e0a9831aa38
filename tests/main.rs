//! End-to-end tests: the program as a user starts it. One binary, so that they link once.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking, in the functions that it calls too"
)]

mod cli;
mod program;
