//! Level run on real MLX. The names of the tests say what they need: clang 19, and crates.io for the pins or other
//! projects' headers.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking, in the functions that it calls too"
)]

mod bench;

mod needs_clang {
    mod needs_crates {
        mod needs_mlx_git;
        mod needs_qemu;
        mod nightly;
        mod pins;
    }
}

const NEWEST: &str = "0.32.2";
