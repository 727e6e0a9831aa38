//! All or nothing, shown: every step killed, every step failing, and what others do in between.

mod interrupted;
mod others;
mod process;
mod proofs;
mod records;
mod refused;
mod repository;
mod tampered;
mod written;
