//! Word of long work, for whoever sits at the terminal. The domain reports, the edge prints.

use std::sync::Arc;

/// Told what takes long while it goes on. Calls come from any thread, and nest.
pub trait Progress: Send + Sync {
    /// Some work begins; `what` is a lowercase phrase such as `fetching v0.32.4 from git:https://…`.
    fn start(&self, what: &str);
    /// How far the work begun last is: a line of its own words, replaced by the next one.
    fn step(&self, _how_far: &str) {}
    /// The work begun last ended, well or not.
    fn done(&self);
    /// A thing worth a line that is no error: a source that was passed over, and why.
    fn note(&self, _what: &str) {}
}

/// Says nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Quiet;

impl Progress for Quiet {
    fn start(&self, _what: &str) {}
    fn done(&self) {}
}

/// Work that is going on: reports the start when made and the end when dropped, also on an early return.
pub struct Working {
    progress: Arc<dyn Progress>,
}

impl Working {
    /// Reports that `what` begins.
    pub fn on(progress: &Arc<dyn Progress>, what: &str) -> Self {
        progress.start(what);
        Self {
            progress: Arc::clone(progress),
        }
    }

    /// Reports how far it is.
    pub fn step(&self, how_far: &str) {
        self.progress.step(how_far);
    }
}

impl Drop for Working {
    fn drop(&mut self) {
        self.progress.done();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[derive(Default)]
    struct Heard(Mutex<Vec<String>>);

    impl Progress for Heard {
        fn start(&self, what: &str) {
            self.0.lock().unwrap().push(format!("start {what}"));
        }
        fn done(&self) {
            self.0.lock().unwrap().push("done".into());
        }
    }

    #[test]
    fn work_that_ends_early_is_reported_as_ended() {
        let heard = Arc::new(Heard::default());
        let progress: Arc<dyn Progress> = heard.clone();
        let fails = || -> Result<(), ()> {
            let _working = Working::on(&progress, "counting");
            Err(())
        };
        assert!(fails().is_err());
        assert_eq!(*heard.0.lock().unwrap(), ["start counting", "done"]);
    }
}
