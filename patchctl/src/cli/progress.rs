//! Word of long work on standard error: a moving line on a terminal, notes anywhere, for people only.

use std::io::Write;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
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
    shared: Arc<Shared>,
}

struct Shared {
    line: Mutex<Line>,
    changed: Condvar,
}

struct Line {
    works: Works,
    bar: Option<ProgressBar>,
    watched: bool,
    over: bool,
}

impl Moving {
    /// Shows nothing before something takes long.
    pub fn new(notes: Notes) -> Self {
        let line = Line {
            works: Works::default(),
            bar: None,
            watched: false,
            over: false,
        };
        Self {
            notes,
            shared: Arc::new(Shared {
                line: Mutex::new(line),
                changed: Condvar::new(),
            }),
        }
    }
}

impl Drop for Moving {
    fn drop(&mut self) {
        let mut line = self.shared.lock();
        line.over = true;
        line.clear();
        self.shared.changed.notify_all();
    }
}

impl Progress for Moving {
    fn start(&self, what: &str) {
        let mut line = self.shared.lock();
        line.works.start(what, Instant::now());
        if !line.watched {
            line.watched = true;
            let shared = Arc::clone(&self.shared);
            // Without the thread the line stays away, which is no loss worth an error.
            let _ = thread::Builder::new().spawn(move || shared.watch());
        }
        line.refresh();
        self.shared.changed.notify_all();
    }

    fn step(&self, how_far: &str) {
        let mut line = self.shared.lock();
        line.works.step(how_far);
        line.refresh();
    }

    fn done(&self) {
        let mut line = self.shared.lock();
        line.works.done();
        if line.works.due_at().is_none() {
            line.clear();
        } else {
            line.refresh();
        }
    }

    fn note(&self, what: &str) {
        let line = self.shared.lock();
        match &line.bar {
            Some(bar) => bar.suspend(|| self.notes.note(what)),
            None => self.notes.note(what),
        }
    }
}

impl Shared {
    /// A panic elsewhere has no bearing on what is shown.
    fn lock(&self) -> MutexGuard<'_, Line> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Shows the line once work has gone on for long enough; the bar then ticks by itself.
    fn watch(&self) {
        let mut line = self.lock();
        while !line.over {
            let wait = match line.works.due_at() {
                Some(due) if line.bar.is_none() => {
                    let left = due.saturating_duration_since(Instant::now());
                    if left.is_zero() {
                        line.show();
                        continue;
                    }
                    Some(left)
                }
                _ => None,
            };
            line = match wait {
                Some(left) => {
                    let waited = self.changed.wait_timeout(line, left);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
                None => self
                    .changed
                    .wait(line)
                    .unwrap_or_else(PoisonError::into_inner),
            };
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

    /// The instant from which the current work is shown; `None` while there is none.
    fn due_at(&self) -> Option<Instant> {
        self.since.map(|since| since + PATIENCE)
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
        assert_eq!(works.due_at(), None);
        works.start("outer", now);
        works.start("inner", later);
        assert_eq!(works.due_at(), Some(now + PATIENCE));
        works.done();
        works.done();
        assert_eq!(works.due_at(), None);
        works.start("other", later);
        assert_eq!(works.due_at(), Some(later + PATIENCE));
        works.done();
        works.done();
        assert_eq!(works.words(), "", "one end too many does no harm");
    }
}
