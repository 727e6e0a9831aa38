//! Keeps a program busy with random sequences, to see whether it survives: with sanitizers compiled in, whether they
//! have anything to say.

use std::collections::BTreeMap;

use camino::Utf8Path;

use super::drive::{Ended, drive};
use super::scenario::{Scenario, default_architecture};
use super::sequence::{Random, busy_sequence};
use crate::toolchain::{Runner, ToolError};

/// So many sequences share a process: what one leaves behind, the next finds.
const IN_A_PROCESS: usize = 25;

/// Runs `sequences` random sequences on two threads; `environment` is the program's, such as `TSAN_OPTIONS`. Gives how
/// the first process that did not end well ended; none when all did.
///
/// # Errors
/// When the program cannot be started or prints what is no line of the driver's.
pub fn exercise(
    program: &Utf8Path,
    seed: u64,
    sequences: usize,
    environment: &BTreeMap<String, String>,
    runner: &dyn Runner,
) -> Result<Option<Ended>, ToolError> {
    let mut random = Random::new(seed);
    let all: Vec<Scenario> = (0..sequences)
        .map(|index| Scenario {
            name: format!("busy-{index}"),
            architecture: default_architecture(),
            environment: environment.clone(),
            steps: busy_sequence(&mut random),
            ..Scenario::default()
        })
        .collect();
    for chunk in all.chunks(IN_A_PROCESS) {
        let observed = drive(program, chunk, runner)?;
        if let Some(first) = observed.into_iter().find(|one| one.ended != Ended::Well) {
            return Ok(Some(first.ended));
        }
    }
    Ok(None)
}
