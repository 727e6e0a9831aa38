//! Compilers and drivers are started without the user's environment, and with a limit.

use std::ffi::OsString;
use std::io;
use std::process::Command;
use std::time::Duration;

use super::ToolError;
use super::process::{Limit, Process, run};

/// A program to start.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Invocation {
    /// The program: a path, or a name to be looked up in the runner's `PATH`.
    pub program: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Its environment, beside what the runner gives to all.
    pub environment: Vec<(String, String)>,
    /// Its standard input.
    pub input: Vec<u8>,
    /// It is ended when it takes longer.
    pub limit: Duration,
}

/// The end of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    /// Its exit status; none where a signal or the limit ended it.
    pub code: Option<i32>,
    /// Set where it was ended because it took longer than its limit.
    pub too_long: bool,
    /// Its standard output.
    pub output: Vec<u8>,
    /// Its standard error, as text.
    pub errors: String,
}

impl Finished {
    /// Returns true if it ended with status 0.
    pub fn is_success(&self) -> bool {
        self.code == Some(0)
    }
}

/// Starts programs. A test can put its own in place.
pub trait Runner: Sync {
    /// Runs a program to its end.
    ///
    /// # Errors
    /// When it cannot be started; `NotFound` where there is no such program.
    fn run(&self, invocation: &Invocation) -> io::Result<Finished>;

    /// Runs a program that has to be there.
    ///
    /// # Errors
    /// When it cannot be started.
    fn start(&self, invocation: &Invocation) -> Result<Finished, ToolError> {
        self.run(invocation).map_err(|error| {
            ToolError::broken(format!("{} cannot be started: {error}", invocation.program))
        })
    }
}

/// Returns arguments as they are passed on.
pub(crate) fn texts(arguments: &[&str]) -> Vec<String> {
    arguments.iter().map(ToString::to_string).collect()
}

/// Programs of this machine, with nothing of the user's environment but what is given here.
#[derive(Debug, Clone)]
pub struct System {
    /// `PATH`, where a compiler looks for its linker.
    pub path: OsString,
    /// The folder for temporary files (`TMPDIR`).
    pub temporary: OsString,
}

impl Runner for System {
    fn run(&self, invocation: &Invocation) -> io::Result<Finished> {
        let mut command = Command::new(&invocation.program);
        command
            .args(&invocation.arguments)
            .env_clear()
            .env("PATH", &self.path)
            .env("TMPDIR", &self.temporary)
            .env("LC_ALL", "C")
            .envs(invocation.environment.iter().cloned());
        let process = Process {
            command,
            input: &invocation.input,
            limit: Limit::Total(invocation.limit),
            merged: false,
            line_ends: b"\n",
        };
        let ended = run(process, &mut |_| {})?;
        Ok(Finished {
            code: ended.status.ok().and_then(|status| status.code()),
            too_long: ended.status.is_err(),
            output: ended.stdout,
            errors: String::from_utf8_lossy(&ended.stderr).into_owned(),
        })
    }
}
