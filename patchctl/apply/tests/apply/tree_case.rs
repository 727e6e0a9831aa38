//! A small tree and its lock.

use std::fs;
use std::path::Path;
use std::time::SystemTime;

use patchctl_apply::markers::{Block, Comment, Digest12, EditName, insertion};
use patchctl_apply::tree::{Cause, Mode, Obstacle, Options, RECORD_FILE, run};
use patchctl_apply::{
    ApplyError, BlobId, Lock, LockedFile, LockedPin, RevisionFrom, TreeReport, splice,
};
use tempfile::TempDir;

pub const DEVICE: &[u8] = b"#include <a>\n\nint budget() {\n  return 50;\n}\n";
pub const EVENT: &[u8] = b"void wait() {\r\n}";

pub fn block(name: &str, digest: &str) -> Block {
    Block {
        edit: EditName::parse(name).unwrap(),
        digest: Digest12::new(digest).unwrap(),
        comment: Comment::default(),
    }
}

pub fn locked(path: &str, upstream: &[u8], name: &str, text: &str) -> LockedFile {
    let splices =
        vec![insertion(upstream, upstream.len(), &block(name, "0123456789ab"), text).unwrap()];
    LockedFile {
        path: path.to_owned(),
        before: BlobId::of(upstream),
        after: BlobId::of(&splice(path, upstream, &splices).unwrap()),
        splices,
    }
}

pub fn pin(release: &str, files: Vec<LockedFile>) -> LockedPin {
    LockedPin {
        release: release.to_owned(),
        revision: format!("{:0<40}", release.replace('.', "")),
        revision_from: RevisionFrom::Git,
        source: "git:upstream".to_owned(),
        tree: None,
        overlays: Vec::new(),
        files,
        proven: Vec::new(),
        lowered_from: None,
    }
}

/// A tree of two files, and a lock that patches both.
pub struct Case {
    pub dir: TempDir,
    pub lock: Lock,
}

impl Case {
    pub fn new() -> Self {
        let case = Self {
            dir: tempfile::tempdir().unwrap(),
            lock: Lock {
                pins: vec![pin(
                    "0.32.2",
                    vec![
                        locked("metal/device.cpp", DEVICE, "budget/read.1", "int x;\n"),
                        locked("event.cpp", EVENT, "budget/event.1", "int y;\n"),
                    ],
                )],
                ..Lock::default()
            },
        };
        fs::create_dir(case.dir.path().join("metal")).unwrap();
        case.put("metal/device.cpp", DEVICE);
        case.put("event.cpp", EVENT);
        case.put(
            "readme.md",
            b"// patchctl:begin is what a block begins with\n",
        );
        case
    }

    pub fn put(&self, path: &str, bytes: &[u8]) {
        fs::write(self.dir.path().join(path), bytes).unwrap();
    }

    pub fn get(&self, path: &str) -> Vec<u8> {
        fs::read(self.dir.path().join(path)).unwrap()
    }

    pub fn run(&self, mode: Mode) -> Result<TreeReport, ApplyError> {
        self.run_with(mode, Options::default())
    }

    pub fn run_with(&self, mode: Mode, options: Options) -> Result<TreeReport, ApplyError> {
        let pin = self.lock.pins.last().unwrap();
        run(&self.lock, pin, self.dir.path(), mode, options)
    }

    /// Every file below the tree with its bytes and the time it was written, but for the record.
    pub fn listing(&self) -> Vec<(String, Vec<u8>, SystemTime)> {
        fn below(dir: &Path, into: &mut Vec<(String, Vec<u8>, SystemTime)>) {
            for entry in fs::read_dir(dir).unwrap() {
                let path = entry.unwrap().path();
                if path.ends_with(RECORD_FILE) {
                    continue;
                }
                if path.is_dir() {
                    below(&path, into);
                } else {
                    let modified = fs::symlink_metadata(&path).unwrap().modified().unwrap();
                    let bytes = fs::read(&path).unwrap();
                    into.push((path.display().to_string(), bytes, modified));
                }
            }
        }
        let mut found = Vec::new();
        below(self.dir.path(), &mut found);
        found.sort();
        found
    }

    /// Applies the files of an earlier lock, which the case's lock does not have.
    pub fn apply_earlier(&self, files: Vec<LockedFile>) {
        let lock = Lock {
            pins: vec![pin("0.32.2", files)],
            ..Lock::default()
        };
        run(
            &lock,
            &lock.pins[0],
            self.dir.path(),
            Mode::Apply,
            Options::default(),
        )
        .unwrap();
    }

    pub fn record(&self) -> Option<Vec<u8>> {
        fs::read(self.dir.path().join(RECORD_FILE)).ok()
    }

    /// That `mode` fails, and that no file was touched by it.
    pub fn refused(&self, mode: Mode) -> ApplyError {
        let before = (self.listing(), self.record());
        let error = self.run(mode).unwrap_err();
        assert_eq!((self.listing(), self.record()), before, "{error}");
        error
    }

    pub fn only_problem(&self, mode: Mode) -> (String, Obstacle, Cause) {
        let error = self.refused(mode);
        let cause = error.cause();
        let ApplyError::Refused { mut problems, .. } = error else {
            panic!("{error}");
        };
        assert_eq!(problems.len(), 1, "{problems:?}");
        let problem = problems.remove(0);
        assert!(!problem.obstacle.help().is_empty());
        (problem.path, problem.obstacle, cause)
    }
}

pub fn words(report: &TreeReport) -> Vec<(&str, &str, bool)> {
    report
        .files
        .iter()
        .map(|file| (file.path.as_str(), file.was.word(), file.written))
        .collect()
}
