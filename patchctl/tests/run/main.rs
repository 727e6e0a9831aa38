//! Level run on real MLX. The names of the tests say what they need: clang 19, and crates.io for the pins or other
//! projects' headers.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test fails by panicking, in the functions that it calls too, and says what it saw"
)]

mod bench;
mod exercise;

mod needs_clang {
    mod needs_crates {
        const PINS: [&str; 3] = ["0.31.2", "0.32.0", "0.32.2"];

        mod decode;
        mod held_back;
        mod mutants;
        mod needs_mlx_git;
        mod needs_qemu;
        mod nightly;
        mod pins;
    }
}

const NEWEST: &str = "0.32.2";
