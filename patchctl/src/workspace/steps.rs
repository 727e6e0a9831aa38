//! A way to stop between two durable steps, so that a test can show what a killed run leaves.

use std::io;

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
