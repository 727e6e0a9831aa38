//! One writing command at a time in a repository.

use std::fs::{File, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use camino::{Utf8Path, Utf8PathBuf};
use patchctl_apply::beneath::{self, Root};

use super::state_dir::{self, STATE_DIR};
use crate::report::{Code, Error};

const PAUSE: Duration = Duration::from_millis(25);

/// A reader looks whether a writer is there, and for that instant is in a writer's way.
const AT_LEAST: Duration = Duration::from_millis(200);

/// Who holds the lock, as far as it says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    /// Process id.
    pub pid: u32,
    /// The command line's words, such as `bump --mlx 0.32.2`.
    pub command: String,
    /// When it took the lock, in seconds since 1970 (UTC).
    pub since: u64,
}

impl Holder {
    /// Returns the seconds for which it has held the lock, by the clock.
    pub fn seconds(&self) -> u64 {
        now().saturating_sub(self.since)
    }

    fn text(&self) -> String {
        let Self {
            pid,
            command,
            since,
        } = self;
        format!("{pid}\n{since}\n{command}\n")
    }

    fn parse(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        Some(Self {
            pid: lines.next()?.parse().ok()?,
            since: lines.next()?.parse().ok()?,
            command: lines.next()?.to_owned(),
        })
    }
}

fn held_by(holder: Option<&Holder>) -> String {
    match holder {
        Some(holder) => format!(
            "another patchctl is writing here: `{}`, process {}, for {} s",
            holder.command,
            holder.pid,
            holder.seconds()
        ),
        None => "another patchctl is writing here".to_owned(),
    }
}

/// The right to write in a repository, until it is dropped or the process ends.
#[derive(Debug)]
pub struct RepoLock {
    file: File,
    root: Utf8PathBuf,
    files: Root,
}

impl RepoLock {
    /// Locks the repository at `root`, an existing folder. `command` is what others are told.
    ///
    /// While another process holds it, `waiting` is called once with who that is, and for at most `wait` it is
    /// tried again.
    pub fn acquire(
        root: &Utf8Path,
        command: &str,
        wait: Duration,
        waiting: &mut dyn FnMut(Option<&Holder>),
    ) -> Result<Self, Error> {
        let path = root.join(STATE_DIR).join("lock");
        let unusable = |source: io::Error| {
            let message = format!("cannot lock the repository with {path}");
            Error::new(Code::RepositoryHeld, message)
                .because(&source)
                .help("see that the folder is writable and on a file system that can lock files")
        };
        // Links in the root's own path are followed once, so that later ones can be told from it.
        let root = root.canonicalize_utf8().map_err(unusable)?;
        let files = Root::open(root.as_std_path()).map_err(|error| unusable(error.into()))?;
        state_dir::create(&files)?;
        let mut file = match files.lock_file(state_dir::LOCK) {
            Ok(file) => file,
            Err(error @ beneath::Error::Unexpected { .. }) => {
                return Err(state_dir::untrusted(&error));
            }
            Err(error) => return Err(unusable(error.into())),
        };
        let begun = Instant::now();
        let mut told = false;
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::Error(source)) => return Err(unusable(source)),
                Err(TryLockError::WouldBlock) => {}
            }
            if begun.elapsed() >= wait.max(AT_LEAST) {
                let held = held_by(read_holder(&mut file).as_ref());
                let message = format!("{held}, waited {} s", wait.as_secs());
                return Err(Error::new(Code::RepositoryHeld, message)
                    .help("let it end, or end it, and run the command again"));
            }
            if !told && begun.elapsed() >= AT_LEAST {
                told = true;
                waiting(read_holder(&mut file).as_ref());
            }
            thread::sleep(PAUSE);
        }
        let holder = Holder {
            pid: std::process::id(),
            command: command.lines().collect::<Vec<_>>().join(" "),
            since: now(),
        };
        let mut lock = Self { file, root, files };
        lock.say(&holder.text()).map_err(unusable)?;
        Ok(lock)
    }

    /// The repository's root, without links in its path.
    pub fn root(&self) -> &Utf8Path {
        &self.root
    }

    /// The repository's files.
    pub(super) fn files(&self) -> &Root {
        &self.files
    }

    fn say(&mut self, text: &str) -> io::Result<()> {
        self.file.set_len(0)?;
        self.file.rewind()?;
        self.file.write_all(text.as_bytes())
    }
}

impl Drop for RepoLock {
    fn drop(&mut self) {
        // So that the next holder is not taken for this one before it has written who it is.
        let _ = self.file.set_len(0);
    }
}

/// Who is writing in the repository at `root` now: `None` where nobody is, `Some(None)` where somebody is who
/// does not say. Changes nothing on the disk.
pub fn holder(root: &Utf8Path) -> Option<Option<Holder>> {
    let files = Root::open(root.as_std_path()).ok()?;
    let mut file = files.open_file(state_dir::LOCK).ok()?;
    match file.try_lock_shared() {
        Err(TryLockError::WouldBlock) => Some(read_holder(&mut file)),
        _ => None,
    }
}

fn read_holder(file: &mut File) -> Option<Holder> {
    let mut text = String::new();
    file.rewind().ok()?;
    // A holder's words are short; whatever else stands there is not read to its end.
    file.take(4096).read_to_string(&mut text).ok()?;
    Holder::parse(&text)
}

fn now() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs())
}
