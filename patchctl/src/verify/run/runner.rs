//! How compilers and drivers are started: without the user's environment, and with an end in sight.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// A program to start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invocation {
    /// The program: a path, or a name to be looked up in the runner's `PATH`.
    pub program: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Its environment, beside what the runner gives to all.
    pub environment: Vec<(String, String)>,
    /// What it reads from standard input.
    pub input: Vec<u8>,
    /// It is killed when it takes longer.
    pub limit: Duration,
}

/// How a program ended and what it said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    /// Its exit status; none where a signal or the limit ended it.
    pub code: Option<i32>,
    /// Set where it was killed because it took longer than its limit.
    pub too_long: bool,
    /// Its standard output.
    pub output: Vec<u8>,
    /// Its standard error, as text.
    pub errors: String,
}

impl Finished {
    /// Whether it ended with status 0.
    pub fn is_success(&self) -> bool {
        self.code == Some(0)
    }
}

/// Starts programs. A test can put its own in place.
pub trait Runner: Sync {
    /// Runs it to its end.
    ///
    /// # Errors
    /// When it cannot be started; `NotFound` where there is no such program.
    fn run(&self, invocation: &Invocation) -> io::Result<Finished>;
}

/// Programs of this machine, with nothing of the user's environment but what is given here.
#[derive(Debug, Clone)]
pub struct System {
    /// `PATH`, where a compiler looks for its linker.
    pub path: OsString,
    /// The folder for temporary files (`TMPDIR`).
    pub temporary: OsString,
}

enum Said {
    Output(Vec<u8>),
    Errors(Vec<u8>),
}

impl Runner for System {
    fn run(&self, invocation: &Invocation) -> io::Result<Finished> {
        let mut child = Command::new(&invocation.program)
            .args(&invocation.arguments)
            .env_clear()
            .env("PATH", &self.path)
            .env("TMPDIR", &self.temporary)
            .env("LC_ALL", "C")
            .envs(invocation.environment.iter().cloned())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let (sender, said) = channel();
        if let Some(mut stdin) = child.stdin.take() {
            let input = invocation.input.clone();
            // A program that ends before it has read all of it says so by its status.
            thread::spawn(move || drop(stdin.write_all(&input)));
        }
        if let Some(stdout) = child.stdout.take() {
            let sender = sender.clone();
            thread::spawn(move || listen(stdout, |bytes| sender.send(Said::Output(bytes)).is_ok()));
        }
        if let Some(stderr) = child.stderr.take() {
            thread::spawn(move || listen(stderr, |bytes| sender.send(Said::Errors(bytes)).is_ok()));
        }
        let end = Instant::now() + invocation.limit;
        let (mut output, mut errors, mut too_long) = (Vec::new(), Vec::new(), false);
        loop {
            match said.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(Said::Output(bytes)) => output.extend(bytes),
                Ok(Said::Errors(bytes)) => errors.extend(bytes),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {
                    too_long = true;
                    child.kill()?;
                    break;
                }
            }
        }
        Ok(Finished {
            code: child.wait()?.code().filter(|_| !too_long),
            too_long,
            output,
            errors: String::from_utf8_lossy(&errors).into_owned(),
        })
    }
}

fn listen(mut pipe: impl Read, mut pass_on: impl FnMut(Vec<u8>) -> bool) {
    let mut buffer = [0; 8192];
    while let Ok(count) = pipe.read(&mut buffer) {
        if count == 0 || !pass_on(buffer[..count].to_vec()) {
            return;
        }
    }
}
