//! A small repository, and the writes of a bump in it.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use tempfile::TempDir;

use crate::report::Error;
use crate::workspace::{EveryStep, Recovery, RepoLock, STATE_DIR, Steps, Transaction, recover};

/// Every file and folder of a repository but `.patchctl`; a folder has no bytes.
pub type Listing = BTreeMap<String, Option<Vec<u8>>>;

pub struct Repository {
    _dir: TempDir,
    pub root: Utf8PathBuf,
}

impl Repository {
    pub fn new() -> Self {
        // Where there is one, a file system in memory: syncing hundreds of small files costs nothing there.
        let dir = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
        let dir = dir.unwrap();
        let root = Utf8PathBuf::from_path_buf(dir.path().canonicalize().unwrap()).unwrap();
        let repository = Self { _dir: dir, root };
        for folder in ["overlays/mlx", "tests"] {
            fs::create_dir_all(repository.root.join(folder)).unwrap();
        }
        for (path, text) in [
            ("overlays/mlx/lock.yaml", "old lock\n"),
            ("overlays/mlx/pins.yaml", "old pins\n"),
            ("overlays/mlx/same.yaml", "same\n"),
            ("CMakeLists.txt", "set(TAG old)\r\n"),
            ("tests/old.snap", "old snapshot\n"),
        ] {
            repository.put(path, text);
        }
        repository
    }

    pub fn put(&self, path: &str, text: &str) {
        fs::write(self.root.join(path), text).unwrap();
    }

    pub fn get(&self, path: &str) -> String {
        fs::read_to_string(self.root.join(path)).unwrap()
    }

    pub fn lock(&self) -> RepoLock {
        RepoLock::acquire(&self.root, "test", Duration::ZERO, &mut |_| {}).unwrap()
    }

    pub fn commit(&self, transaction: &Transaction) -> Result<Vec<Utf8PathBuf>, Error> {
        transaction.commit(&self.lock(), &EveryStep)
    }

    pub fn recover(&self) -> Option<Recovery> {
        recover(&self.lock(), &EveryStep).unwrap()
    }

    pub fn listing(&self) -> Listing {
        fn below(root: &Utf8Path, dir: &Utf8Path, into: &mut Listing) {
            for entry in dir.read_dir_utf8().unwrap() {
                let path = entry.unwrap().into_path();
                let name = path.strip_prefix(root).unwrap().to_string();
                if name == STATE_DIR {
                    continue;
                }
                if let Ok(to) = path.read_link_utf8() {
                    into.insert(name, Some(format!("-> {to}").into_bytes()));
                } else if path.is_dir() {
                    into.insert(name, None);
                    below(root, &path, into);
                } else {
                    into.insert(name, Some(fs::read(&path).unwrap()));
                }
            }
        }
        let mut listing = Listing::new();
        below(&self.root, &self.root, &mut listing);
        listing
    }

    /// What is left in `.patchctl` beside the lock file.
    pub fn left(&self) -> Vec<String> {
        let mut names: Vec<String> = self
            .root
            .join(STATE_DIR)
            .read_dir_utf8()
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_owned())
            .filter(|name| name != "lock" && name != ".gitignore")
            .collect();
        names.sort();
        names
    }
}

/// What a bump writes: two files replaced, one deleted, one made in new folders, one that stays, and the lock.
pub fn bump() -> Transaction {
    let mut bump = Transaction::new("bump --mlx 0.32.2", "overlays/mlx/lock.yaml");
    bump.text("overlays/mlx/lock.yaml", "new lock\n")
        .text("overlays/mlx/pins.yaml", "new pins\n")
        .text("overlays/mlx/same.yaml", "same\n")
        .text("CMakeLists.txt", "set(TAG new)\n")
        .delete("tests/old.snap")
        .delete("tests/never.snap")
        .bytes("tests/snapshots/0.32.2/new.snap", *b"new snapshot");
    bump
}

/// The same without a file that decides.
pub fn review() -> Transaction {
    let mut review = Transaction::new("bump --reviewed a/b", "overlays/mlx/lock.yaml");
    review
        .text("overlays/mlx/pins.yaml", "new pins\n")
        .text("CMakeLists.txt", "set(TAG new)\n")
        .delete("tests/old.snap")
        .bytes("tests/new/new.snap", *b"new snapshot");
    review
}

struct Killed;

/// Kills the run, or fails, when step `at` is reached (counted from 0).
pub struct At {
    pub at: usize,
    pub kill: bool,
    pub seen: Cell<usize>,
    /// The step that failed.
    pub failed: RefCell<String>,
}

impl At {
    pub fn kill(at: usize) -> Self {
        Self {
            at,
            kill: true,
            seen: Cell::default(),
            failed: RefCell::default(),
        }
    }

    pub fn fail(at: usize) -> Self {
        Self {
            kill: false,
            ..Self::kill(at)
        }
    }
}

impl Steps for At {
    fn reached(&self, step: &str) -> io::Result<()> {
        let now = self.seen.replace(self.seen.get() + 1);
        match (now == self.at, self.kill) {
            // Nothing in the code under test runs while unwinding but the repository's lock being let go,
            // which the system does for a killed process.
            (true, true) => resume_unwind(Box::new(Killed)),
            (true, false) => {
                self.failed.replace(step.to_owned());
                Err(io::Error::from(io::ErrorKind::StorageFull))
            }
            _ => Ok(()),
        }
    }
}

/// Runs `act`; `None` where it was killed.
pub fn killed_or<T>(act: impl FnOnce() -> T) -> Option<T> {
    match catch_unwind(AssertUnwindSafe(act)) {
        Ok(value) => Some(value),
        Err(payload) if payload.is::<Killed>() => None,
        Err(payload) => resume_unwind(payload),
    }
}
