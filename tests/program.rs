//! The program under test, in surroundings that are the same on every machine.

use std::path::{Path, PathBuf};

use assert_cmd::Command;
use serde_json::Value;

/// Names another program to test, to see a test fail with an older one.
const OTHER: &str = "PATCHCTL_TEST_PROGRAM";

/// The program under test.
pub fn path() -> PathBuf {
    let other = std::env::var_os(OTHER);
    other.map_or_else(|| env!("CARGO_BIN_EXE_patchctl").into(), PathBuf::from)
}

/// Returns true if it is not the program that was just built, and so may not read the newest files.
pub fn is_another() -> bool {
    std::env::var_os(OTHER).is_some()
}

/// patchctl in `folder`, with nothing of the developer's environment but `PATH`. Its cache and home are
/// below `folder` too.
pub fn patchctl(folder: &Path) -> Command {
    let mut command = Command::new(path());
    command
        .current_dir(folder)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", folder)
        .env("PATCHCTL_CACHE", folder.join(".cache"));
    command
}

/// What a run left: its exit status and both streams.
#[derive(Debug)]
pub struct Ran {
    /// The exit status; a signal is a failure of the test.
    pub status: i32,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl Ran {
    /// Standard output as the one JSON document that it must be.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("not one JSON document ({error}): {self:?}"))
    }
}

/// Runs the command line `line` (words are split at blanks) in `folder`.
pub fn run(folder: &Path, line: &str) -> Ran {
    ran(patchctl(folder).args(line.split_whitespace()))
}

/// Runs a command that was made with [`patchctl`].
pub fn ran(command: &mut Command) -> Ran {
    let output = command.output().expect("patchctl starts");
    let text = |bytes| String::from_utf8(bytes).expect("patchctl prints UTF-8");
    Ran {
        status: output.status.code().expect("patchctl ends by itself"),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    }
}
