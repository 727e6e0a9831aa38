//! The sources, each over small repositories, folders and servers that the tests make themselves.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on fails"
)]

mod crates;
mod damaged;
mod directory;
mod local;
mod mlx;
mod order;
#[cfg(unix)]
mod packages;
#[cfg(unix)]
mod shop;
mod small;
mod url;
