//! Word of long work on standard error: a moving line on a terminal, notes anywhere, for people only.

use std::io::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anstream::{AutoStream, ColorChoice};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::report::{render_note, visible};
use crate::upstream::Progress;

/// Work that ends sooner gets no line.
const PATIENCE: Duration = Duration::from_secs(1);
const TICK: Duration = Duration::from_millis(100);

/// Notes as lines on standard error, and nothing that moves: for a log.
#[derive(Debug, Clone, Copy)]
pub struct Notes {
    colors: ColorChoice,
}

impl Notes {
    /// With or without colours.
    pub fn new(colors: ColorChoice) -> Self {
        Self { colors }
    }
}

impl Progress for Notes {
    fn start(&self, _what: &str) {}

    fn done(&self) {}

    fn note(&self, what: &str) {
        let mut stream = AutoStream::new(std::io::stderr(), self.colors);
        // A stream that is gone cannot be told so.
        let _ = stream.write_all(render_note(what).as_bytes());
    }
}

/// A moving line on a terminal for what takes over a second, and notes above it.
pub struct Moving {
    notes: Notes,
    line: Arc<Mutex<Line>>,
}

#[derive(Default)]
struct Line {
    works: Works,
    bar: Option<ProgressBar>,
}

impl Moving {
    /// Shows nothing before something takes long.
    pub fn new(notes: Notes) -> Self {
        let line = Arc::default();
        Self { notes, line }
    }
}

/// A panic elsewhere has no bearing on what is shown.
fn lock(line: &Mutex<Line>) -> MutexGuard<'_, Line> {
    line.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Drop for Moving {
    fn drop(&mut self) {
        let mut line = lock(&self.line);
        line.works = Works::default();
        line.clear();
    }
}

impl Progress for Moving {
    fn start(&self, what: &str) {
        let (mut line, now) = (lock(&self.line), Instant::now());
        line.works.start(what, now);
        if line.works.stack.len() == 1 {
            let shared = Arc::clone(&self.line);
            let show = move || {
                thread::sleep(PATIENCE);
                let mut line = lock(&shared);
                if line.works.since == Some(now) {
                    line.show();
                }
            };
            // Without the thread the line stays away, which is no loss worth an error.
            let _ = thread::Builder::new().spawn(show);
        }
        line.refresh();
    }

    fn step(&self, how_far: &str) {
        let mut line = lock(&self.line);
        line.works.step(how_far);
        line.refresh();
    }

    fn done(&self) {
        let mut line = lock(&self.line);
        line.works.done();
        match line.works.since {
            None => line.clear(),
            Some(_) => line.refresh(),
        }
    }

    fn note(&self, what: &str) {
        let line = lock(&self.line);
        match &line.bar {
            Some(bar) => bar.suspend(|| self.notes.note(what)),
            None => self.notes.note(what),
        }
    }
}

impl Line {
    fn show(&mut self) {
        // `wide_msg` is cut at the terminal's width: a second line could not be cleared.
        let style = ProgressStyle::with_template("{spinner} {wide_msg}")
            .unwrap_or_else(|_| ProgressStyle::default_spinner());
        let bar =
            ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr()).with_style(style);
        bar.set_message(self.works.words());
        bar.enable_steady_tick(TICK);
        self.bar = Some(bar);
    }

    fn refresh(&self) {
        if let Some(bar) = &self.bar {
            bar.set_message(self.works.words());
        }
    }

    fn clear(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

/// The work that is going on, outermost first.
#[derive(Debug, Default)]
struct Works {
    stack: Vec<(String, String)>,
    since: Option<Instant>,
}

impl Works {
    fn start(&mut self, what: &str, now: Instant) {
        self.since.get_or_insert(now);
        self.stack.push((what.to_owned(), String::new()));
    }

    fn step(&mut self, how_far: &str) {
        if let Some((_, so_far)) = self.stack.last_mut() {
            how_far.clone_into(so_far);
        }
    }

    fn done(&mut self) {
        self.stack.pop();
        if self.stack.is_empty() {
            self.since = None;
        }
    }

    /// The innermost work, which is what is waited for, as one line.
    fn words(&self) -> String {
        let words = match self.stack.last() {
            Some((what, how_far)) if how_far.is_empty() => what.clone(),
            Some((what, how_far)) => format!("{what}: {how_far}"),
            None => String::new(),
        };
        visible(&words).replace('\n', " ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn innermost_work_is_named() {
        let now = Instant::now();
        let mut works = Works::default();
        works.start("resolving v0.32.4", now);
        works.start("fetching from git", now);
        works.step("3 of 9 objects");
        assert_eq!(works.words(), "fetching from git: 3 of 9 objects");
        works.done();
        assert_eq!(works.words(), "resolving v0.32.4");
    }

    #[test]
    fn patience_counts_from_the_outermost_start() {
        let now = Instant::now();
        let later = now + Duration::from_secs(5);
        let mut works = Works::default();
        assert_eq!(works.since, None);
        works.start("outer", now);
        works.start("inner", later);
        assert_eq!(works.since, Some(now));
        works.done();
        works.done();
        assert_eq!(works.since, None);
        works.start("other", later);
        assert_eq!(works.since, Some(later));
        works.done();
        works.done();
        assert_eq!(works.words(), "", "one end too many does no harm");
    }
}
