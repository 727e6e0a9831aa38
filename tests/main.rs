//! End-to-end tests: the program as a user starts it. One binary, so that they link once.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking, in the functions that it calls too"
)]

mod apply;
mod apply_keeps;
mod bad_input;
mod bad_sources;
mod bad_trees;
mod builds;
mod bump;
mod cargo_traps;
mod cli;
mod cmake_project;
mod corpus;
mod decode;
mod diff;
mod docs;
mod hostile;
mod killed;
mod kills;
mod large_texts;
mod lines;
mod lock_truth;
mod mend;
mod mlx_history;
mod needs_clang;
mod needs_cmake;
mod newer;
mod old_formats;
mod other_repository;
mod own_checks;
mod pins;
mod program;
mod release;
mod reports;
mod retire;
mod review;
mod scheduled;
mod signals;
mod snapshot_files;
mod state_folder;
mod status;
mod support;
mod tree_cache;
mod unwritable;
mod workflows;
