//! The user's own programs, git and cargo, which run as long as they say something.

use std::io;
use std::process::{Command, ExitStatus};
use std::time::Duration;

use super::Working;
use crate::toolchain::process::{self, Limit, Process, whole_lines};

/// The end of a program that gave no answer.
pub(super) enum Failed {
    /// It did not start, for this reason.
    NotStarted(String),
    /// It ended with this status and these lines of standard error.
    Exit(ExitStatus, Vec<String>),
    /// It was ended after it was silent for so long.
    Silent(Duration),
}

/// Runs a program to its end, and gives its standard output. Lines of its standard error are steps of `working`. It may be
/// silent for `first` until its first output, then for `then`. `fetched` names what it fetches.
pub(super) fn run(
    command: Command,
    (first, then): (Duration, Duration),
    fetched: &str,
    working: &Working,
) -> Result<Vec<u8>, Failed> {
    let program = command.get_program().to_string_lossy().into_owned();
    let process = Process {
        command,
        input: b"",
        limit: Limit::Silence { first, then },
        merged: false,
        line_ends: b"\r\n",
    };
    let ended = process::run(process, &mut |line| {
        if !line.trim().is_empty() {
            working.step(line.trim());
        }
    });
    match ended {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(Failed::NotStarted(format!(
            "there is no `{program}` on PATH, and {fetched} are fetched with it"
        ))),
        Err(error) => Err(Failed::NotStarted(format!(
            "`{program}` cannot be started: {error}"
        ))),
        Ok(ended) => match ended.status {
            Ok(status) if status.success() => Ok(ended.stdout),
            Ok(status) => Err(Failed::Exit(status, whole_lines(&ended.stderr))),
            Err(after) => Err(Failed::Silent(after)),
        },
    }
}
