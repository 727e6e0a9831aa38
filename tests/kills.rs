//! Commands that are killed at random moments by SIGKILL and by SIGTERM: the next ones find everything as it was before or as it
//! would have become, nothing of the killed one stays, and none of its processes lives on.
#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use patchctl_apply::tree::RECORD_FILE;

use crate::killed::{MEND, Patience, Random};
use crate::support::files::{self, Files};
use crate::support::play::Player;
use crate::support::quill;

/// The number of kills, and the seed of their moments.
const COUNT: &str = "PATCHCTL_TEST_KILLS";
const SEED: &str = "PATCHCTL_TEST_SEED";

/// The time in which all that a killed command has started must end.
const WITHIN: Duration = Duration::from_secs(5);

/// A command, and what it makes of a repository that it is not disturbed in.
struct Subject {
    line: &'static str,
    quill: Player,
    old: Files,
    new: Files,
    /// The cache is emptied before each start, so that there is something to be made in it.
    cold: bool,
    patience: Patience,
}

impl Subject {
    fn new(line: &'static str, quill: Player, cold: bool, ends: i32) -> Self {
        let mut subject = Self {
            line,
            old: files::read(&quill.scratch.root()),
            new: Files::new(),
            quill,
            cold,
            patience: Patience::of(Duration::ZERO),
        };
        subject.rewind();
        let began = Instant::now();
        let outcome = subject.quill.scratch.run(line);
        assert_eq!(outcome.code, Some(ends), "{outcome}");
        subject.patience = Patience::of(began.elapsed());
        subject.new = subject.state();
        subject
    }

    fn rewind(&self) {
        let root = self.quill.scratch.root();
        fs::remove_dir_all(&root).unwrap();
        files::write(&root, &self.old);
        if self.cold {
            let _ = fs::remove_dir_all(self.quill.scratch.cache());
        }
    }

    /// Everything in the repository that the command may have made.
    fn state(&self) -> Files {
        of_command(files::read_tree(&self.quill.scratch.root()))
    }

    /// Starts the command, kills it after a while, and looks at what it leaves. Gives the name of the state that was found.
    fn kill(&mut self, signal: &str, random: &mut Random, when: &str) -> &'static str {
        self.rewind();
        let delay = random.below(self.patience.micros);
        let mut child = self.quill.scratch.spawn(self.line);
        sleep(Duration::from_micros(delay));
        let pid = child.id().to_string();
        let _ = Command::new("kill").args(["-s", signal, &pid]).status();
        self.patience.saw(child.wait().unwrap());
        self.wait_for_processes(when);
        let mended = self.quill.scratch.run(MEND);
        assert_eq!(mended.code, Some(3), "{when}: {mended}");
        // Only a command that writes to the cache takes away what lies there, and beside the place of a tree.
        let last = self.quill.scratch.run("apply --materialise build/last");
        assert!(
            last.code == Some(0) || self.line == "review --accept",
            "{when}: {last}"
        );
        let found = self.state();
        let tree = |files: &Files| -> Files {
            let files = files.iter().filter(|(path, _)| path.starts_with("tree/"));
            files.map(|(a, b)| (a.clone(), b.clone())).collect()
        };
        let is_new = found == self.new;
        if self.line == "apply tree" {
            // Whole files, each old or new: the next `apply` ends it.
            for (path, bytes) in tree(&found) {
                let known = [self.old.get(&path), self.new.get(&path)];
                let is_ours = path.contains(".patchctl-");
                assert!(is_ours || known.contains(&Some(&bytes)), "{when}: {path}");
            }
            let again = self.quill.scratch.run("apply tree");
            assert_eq!(again.code, Some(0), "{when}: {again}");
            assert_eq!(self.state(), self.new, "{when}");
        } else {
            let is_old = found == of_command(self.old.clone());
            assert!(is_old || is_new, "{when}: {:?}", found.keys());
        }
        let status = self.quill.scratch.run("status --check");
        assert!(matches!(status.code, Some(0 | 1)), "{when}: {status}");
        let codes = status.codes();
        assert!(!codes.contains("pending-transaction"), "{when}: {status}");
        assert_eq!(self.left_over(), [""; 0].map(PathBuf::from), "{when}");
        match is_new {
            true => "new",
            false => "old",
        }
    }

    /// Waits until no process has this repository's cache in its environment.
    fn wait_for_processes(&self, when: &str) {
        let began = Instant::now();
        while let Some(process) = process_with(self.quill.scratch.cache()) {
            assert!(began.elapsed() < WITHIN, "{when}: {process} still runs");
            sleep(Duration::from_millis(10));
        }
    }

    /// Staging files and folders, journals and unfinished entries of the cache.
    fn left_over(&self) -> Vec<PathBuf> {
        let (root, cache) = (self.quill.scratch.root(), self.quill.scratch.cache());
        let mut open = vec![root.clone(), cache.to_owned()];
        let mut found = Vec::new();
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(&folder).into_iter().flatten() {
                let path = entry.unwrap().path();
                let name = path.file_name().unwrap().to_string_lossy().into_owned();
                let is_staged = name.contains(".patchctl-") && name != RECORD_FILE;
                let of_process = path.starts_with(cache.join("sources"))
                    && path
                        .extension()
                        .is_some_and(|it| it.to_string_lossy().parse::<u32>().is_ok());
                let is_journal =
                    folder == root.join(".patchctl") && (name == "journal.json" || name == "undo");
                let is_unfinished = folder == cache.join("unfinished");
                if is_staged || of_process || is_journal || is_unfinished {
                    found.push(path);
                } else if path.is_dir() && !path.is_symlink() {
                    open.push(path);
                }
            }
        }
        found
    }
}

/// Without patchctl's own folder, and without the tree that is made after each kill.
fn of_command(mut files: Files) -> Files {
    files.retain(|path, _| !path.starts_with(".patchctl/") && !path.starts_with("build/last/"));
    files
}

/// The command line of a process that was started with this cache.
fn process_with(cache: &Path) -> Option<String> {
    let variable = format!("PATCHCTL_CACHE={}", cache.display());
    let processes = fs::read_dir("/proc").ok()?;
    processes.flatten().find_map(|entry| {
        let environment = fs::read(entry.path().join("environ")).ok()?;
        let mut variables = environment.split(|byte| *byte == 0);
        variables.find(|it| *it == variable.as_bytes())?;
        let line = fs::read(entry.path().join("cmdline")).ok()?;
        Some(String::from_utf8_lossy(&line).replace('\0', " "))
    })
}

/// A repository whose snapshots wait for a review.
fn waiting() -> Player {
    let quill = quill::fresh();
    let outcome = quill.scratch.run("bump --mlx 1.0.0");
    assert_eq!(outcome.code, Some(1), "{outcome}");
    quill
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

#[test]
fn killed_commands_leave_the_old_or_the_new_and_nothing_else() {
    let (mut random, seed) = match number(SEED) {
        Some(seed) => (Random::from(seed), seed),
        None => Random::fresh(),
    };
    let count = number(COUNT).unwrap_or(20);
    let mut subjects = [
        Subject::new("bump --mlx 1.1.0", quill::pinned(), false, 0),
        Subject::new("review --accept", waiting(), false, 0),
        Subject::new("apply tree", quill::with_tree(), false, 0),
        Subject::new("apply --materialise build/tree", quill::pinned(), true, 0),
        Subject::new("build --backend stub", quill::pinned(), true, 0),
        Subject::new("test", quill::pinned(), true, 0),
    ];
    let mut seen = std::collections::BTreeMap::new();
    for point in 0..count {
        let signal = ["KILL", "TERM"][(point % 2) as usize];
        let subject = &mut subjects[(point / 2 % 6) as usize];
        let when = format!("seed {seed}, point {point}, {}, {signal}", subject.line);
        let state = subject.kill(signal, &mut random, &when);
        *seen.entry((subject.line, signal, state)).or_insert(0) += 1;
    }
    let mut killed = 0;
    for subject in &subjects {
        killed += subject.patience.killed;
        println!(
            "{}: {} of {} were killed before they ended",
            subject.line, subject.patience.killed, subject.patience.tried
        );
    }
    println!("seed {seed}: {killed} of {count}; {seen:?}");
    assert!(
        u64::from(killed) * 4 >= count,
        "only {killed} of {count} were killed"
    );
}
