//! Dying at a chosen durable step, so that a test can show what a killed bump leaves. Debug builds only.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::workspace::{EveryStep, Steps};

/// Aborts the process at the step with this number, from 1.
struct AbortAt {
    step: u64,
    reached: AtomicU64,
}

impl Steps for AbortAt {
    fn reached(&self, _: &str) -> io::Result<()> {
        if self.reached.fetch_add(1, Ordering::Relaxed) + 1 == self.step {
            std::process::abort();
        }
        Ok(())
    }
}

/// The steps of a run. `step` is `PATCHCTL_TEST_ABORT_AT`, which a release build does not heed.
pub(crate) fn steps(step: Option<u64>) -> Arc<dyn Steps + Send + Sync> {
    match step.filter(|_| cfg!(debug_assertions)) {
        Some(step) => Arc::new(AbortAt {
            step,
            reached: AtomicU64::new(0),
        }),
        None => Arc::new(EveryStep),
    }
}
