//! End-to-end tests: the program as a user starts it. One binary, so that they link once.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking, in the functions that it calls too"
)]

mod apply;
mod cli;
mod cmake_project;
mod needs_cmake;
mod program;
mod status;
#[allow(dead_code, reason = "the corpus joins when there is a bump to play")]
mod support;
