//! A way to stop between two durable steps, so that a test can show what a killed run leaves.

use std::io;

use crate::report::{Code, Error};

/// Told before each step that changes something on the disk.
pub trait Steps {
    /// `step` is about to happen; its words are for a reader (`write overlays/mlx/pins.yaml`). An error counts
    /// as the step's own failure. An implementation may end the process.
    fn reached(&self, step: &str) -> io::Result<()>;
}

/// Lets every step happen.
#[derive(Debug, Clone, Copy, Default)]
pub struct EveryStep;

impl Steps for EveryStep {
    fn reached(&self, _: &str) -> io::Result<()> {
        Ok(())
    }
}

/// A step that failed.
#[derive(Debug)]
pub(super) struct StepFailed {
    /// Its words.
    pub step: String,
    /// The reason.
    pub source: io::Error,
}

/// The advice where a step fails.
pub(super) const MAKE_ROOM: &str =
    "see that there is room and the right to write, then run the command again";

/// Announces a step, and does it.
pub(super) fn step(
    steps: &dyn Steps,
    step: String,
    act: impl FnOnce() -> io::Result<()>,
) -> Result<(), StepFailed> {
    let done = steps.reached(&step).and_then(|()| act());
    done.map_err(|source| StepFailed { step, source })
}

/// A failed step of a recovery.
impl From<StepFailed> for Error {
    fn from(StepFailed { step, source }: StepFailed) -> Self {
        Self::new(Code::RecoveryFailed, format!("cannot {step}: {source}"))
            .because(&source)
            .help(MAKE_ROOM)
    }
}
