//! What the build script decides and looks for, for every target, on any machine.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking, in the functions that it calls too"
)]

#[path = "../../build/mod.rs"]
mod build;

mod choice;
mod cmake_plan;
mod consumer;
mod entry_points;
mod fixture;
mod linking;
mod looked_up;
mod needs_cmake;
mod plans;
mod tree_fixture;
mod trees;
mod warnings;
