//! Runs the user's git or cargo with an end in sight: a child that falls silent is killed, and says so.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

/// How long a child may be silent.
#[derive(Debug, Clone, Copy)]
pub(super) struct Patience {
    /// Until its first word.
    pub(super) first: Duration,
    /// From then on, between two words.
    pub(super) then: Duration,
}

/// How a child ended.
#[derive(Debug)]
pub(super) enum Ended {
    /// By itself.
    Exit {
        status: ExitStatus,
        stdout: Vec<u8>,
        /// Its lines, for errors.
        stderr: Vec<String>,
    },
    /// Killed after it had been silent for so long.
    Silent(Duration),
}

enum Said {
    Stdout(Vec<u8>),
    Stderr(Vec<u8>),
}

/// Runs `command` without input; each line of its standard error goes to `on_line` when it comes.
///
/// # Errors
/// When it cannot be started; `NotFound` where there is no such program.
pub(super) fn run(
    mut command: Command,
    patience: Patience,
    mut on_line: impl FnMut(&str),
) -> io::Result<Ended> {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn()?;
    let (sender, said) = channel();
    if let Some(stdout) = child.stdout.take() {
        listen(stdout, sender.clone(), Said::Stdout);
    }
    if let Some(stderr) = child.stderr.take() {
        listen(stderr, sender, Said::Stderr);
    }
    let mut stdout = Vec::new();
    let mut lines = Lines::default();
    if let Err(silent) = hear(&said, patience, &mut |word| match word {
        Said::Stdout(bytes) => stdout.extend(bytes),
        Said::Stderr(bytes) => lines.push(&bytes, &mut on_line),
    }) {
        kill(&mut child);
        child.wait()?;
        return Ok(Ended::Silent(silent));
    }
    lines.finish(&mut on_line);
    Ok(Ended::Exit {
        status: child.wait()?,
        stdout,
        stderr: lines.whole,
    })
}

/// Passes on what is said until both ends are closed, or says for how long nothing came.
fn hear(
    said: &Receiver<Said>,
    patience: Patience,
    on_word: &mut dyn FnMut(Said),
) -> Result<(), Duration> {
    let mut wait = patience.first;
    loop {
        match said.recv_timeout(wait) {
            Ok(word) => on_word(word),
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
            Err(RecvTimeoutError::Timeout) => return Err(wait),
        }
        wait = patience.then;
    }
}

fn listen(mut pipe: impl Read + Send + 'static, to: Sender<Said>, as_said: fn(Vec<u8>) -> Said) {
    thread::spawn(move || {
        let mut buffer = [0; 8192];
        while let Ok(count) = pipe.read(&mut buffer) {
            if count == 0 || to.send(as_said(buffer[..count].to_vec())).is_err() {
                return;
            }
        }
    });
}

/// The child and what it started: git's helpers would otherwise wait on for minutes.
fn kill(child: &mut Child) {
    #[cfg(unix)]
    if let Some(group) = i32::try_from(child.id())
        .ok()
        .and_then(rustix::process::Pid::from_raw)
    {
        // Fails only where all of it has ended by itself.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    // The same for other systems; an error means that it has ended.
    let _ = child.kill();
}

/// Lines as they are completed; progress ends in a carriage return.
#[derive(Default)]
struct Lines {
    open: Vec<u8>,
    whole: Vec<String>,
}

/// More of a child's lines than anyone reads are not kept.
const KEPT_LINES: usize = 400;

impl Lines {
    fn push(&mut self, bytes: &[u8], on_line: &mut impl FnMut(&str)) {
        for &byte in bytes {
            match byte {
                b'\n' => self.end(true, on_line),
                b'\r' => self.end(false, on_line),
                _ => self.open.push(byte),
            }
        }
    }

    fn finish(&mut self, on_line: &mut impl FnMut(&str)) {
        self.end(true, on_line);
    }

    fn end(&mut self, keep: bool, on_line: &mut impl FnMut(&str)) {
        let line = String::from_utf8_lossy(&self.open).trim().to_owned();
        self.open.clear();
        if line.is_empty() {
            return;
        }
        on_line(&line);
        if keep && self.whole.len() < KEPT_LINES {
            self.whole.push(line);
        }
    }
}

/// A child that inherits the environment but for what would lead it astray.
pub(super) fn command(program: &OsStr, without: &[&str]) -> Command {
    let mut command = Command::new(program);
    for variable in without {
        command.env_remove(variable);
    }
    command
}

/// `git` for a message, whatever path it was given by.
pub(super) fn program_name(program: &OsString) -> String {
    program.to_string_lossy().into_owned()
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    fn sh(script: &str, patience: Patience) -> (Ended, Vec<String>) {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        let mut heard = Vec::new();
        let ended = run(command, patience, |line| heard.push(line.to_owned())).unwrap();
        (ended, heard)
    }

    const LONG: Duration = Duration::from_secs(600);
    const SHORT: Duration = Duration::from_millis(50);

    #[test]
    fn what_a_child_says_is_passed_on_by_line_and_kept() {
        let patience = Patience {
            first: LONG,
            then: LONG,
        };
        let (ended, heard) = sh(
            "printf out; printf '10%%\\r20%%\\rdone\\nlast' >&2; exit 3",
            patience,
        );
        assert_eq!(heard, ["10%", "20%", "done", "last"]);
        let Ended::Exit {
            status,
            stdout,
            stderr,
        } = ended
        else {
            panic!("{ended:?}");
        };
        assert_eq!(status.code(), Some(3));
        assert_eq!(stdout, b"out");
        assert_eq!(stderr, ["done", "last"]);
    }

    #[test]
    fn a_silent_child_is_killed_with_all_that_it_started() {
        // The grandchild holds the pipes open: without its death the readers would wait for it.
        let patience = Patience {
            first: SHORT,
            then: SHORT,
        };
        let (ended, _) = sh("sleep 1000 & sleep 1000", patience);
        assert!(matches!(ended, Ended::Silent(after) if after == SHORT));
    }

    #[test]
    fn a_child_that_speaks_once_and_hangs_is_killed() {
        let patience = Patience {
            first: LONG,
            then: SHORT,
        };
        let (ended, heard) = sh("echo begin >&2; sleep 1000", patience);
        assert_eq!(heard, ["begin"]);
        assert!(matches!(ended, Ended::Silent(after) if after == SHORT));
    }

    #[test]
    fn a_program_that_is_not_there_is_told_apart() {
        let error = run(
            Command::new("patchctl-no-such-program"),
            Patience {
                first: LONG,
                then: LONG,
            },
            |_| {},
        )
        .unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }
}
