//! Child processes: one way to run them, and to end them with all that they started.
//!
//! A child leads a process group of its own, which [`run`] ends at a limit and [`watcher`](super::watcher) when patchctl
//! itself is killed. std starts groups and rustix ends them; process-wrap adds nothing to that on Unix.

use std::ffi::OsStr;
use std::io::{self, Read, Write};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use super::watcher::{self, Watched, end_group};

/// The interval at which the end of a child and its limit are checked.
const POLL: Duration = Duration::from_millis(50);
/// The time after the end of a child in which its output may still arrive. A process that it left running, such as a
/// compiler's cache, may hold the pipe open for ever.
const GRACE: Duration = Duration::from_secs(2);
/// The bytes of output that are kept; a child that prints more is ended.
const MOST_BYTES: usize = 64 << 20;
/// The lines of an output that [`whole_lines`] gives.
const MOST_LINES: usize = 400;

/// A child process to run.
pub(crate) struct Process<'a> {
    /// The program, its arguments, environment and folder.
    pub command: Command,
    /// Its standard input.
    pub input: &'a [u8],
    /// The time that it may take.
    pub limit: Limit,
    /// Both of its streams come through one pipe, in the order in which they were written, and nothing is kept of them.
    pub merged: bool,
    /// The bytes that end a line; a carriage return is one where progress is told by it.
    pub line_ends: &'static [u8],
}

/// The time that a child may take.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Limit {
    /// As long as it wants.
    None,
    /// From its start.
    Total(Duration),
    /// Without any output.
    Silence {
        /// Before the first output.
        first: Duration,
        /// After any output.
        then: Duration,
    },
}

/// The end of a child.
#[derive(Debug)]
pub(crate) struct Ended {
    /// Its status; the limit after which it was ended where it did not end by itself.
    pub status: Result<ExitStatus, Duration>,
    /// Its standard output.
    pub stdout: Vec<u8>,
    /// Its standard error.
    pub stderr: Vec<u8>,
}

/// Runs a child to its end. `on_line` gets the lines of its standard error as they come, or of both streams where they are
/// merged.
///
/// # Errors
/// When it cannot be started (`NotFound` where there is no such program) or prints more than 64 MiB.
pub(crate) fn run(process: Process<'_>, on_line: &mut dyn FnMut(&str)) -> io::Result<Ended> {
    let (sender, pieces) = channel();
    let mut running = Running::start(process.command, process.input, process.merged, sender)?;
    let begin = Instant::now();
    let mut last_output = None;
    let mut exited: Option<(ExitStatus, Instant)> = None;
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let mut lines = Lines {
        ends: process.line_ends,
        open: Vec::new(),
    };
    let status = loop {
        let is_open = match pieces.recv_timeout(POLL) {
            Ok((stream, bytes)) => {
                last_output = Some(Instant::now());
                match stream {
                    Stream::Output => stdout.extend(bytes),
                    Stream::Errors => {
                        lines.push(&bytes, on_line);
                        if !process.merged {
                            stderr.extend(bytes);
                        }
                    }
                }
                true
            }
            Err(RecvTimeoutError::Timeout) => true,
            Err(RecvTimeoutError::Disconnected) => false,
        };
        if stdout.len() + stderr.len() > MOST_BYTES {
            let why = format!(
                "it printed more than {} MiB and was ended",
                MOST_BYTES >> 20
            );
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, why));
        }
        if exited.is_none() {
            exited = running.status()?.map(|status| (status, Instant::now()));
        }
        if let Some((status, at)) = exited
            && (!is_open || at.elapsed() > GRACE)
        {
            lines.finish(on_line);
            break Ok(status);
        }
        if let (None, Some(after)) = (exited, process.limit.reached(begin, last_output)) {
            break Err(after);
        }
        if !is_open {
            // Its status mostly follows the end of its output at once.
            thread::sleep(Duration::from_millis(1));
        }
    };
    Ok(Ended {
        status,
        stdout,
        stderr,
    })
}

impl Limit {
    /// Returns the limit that has been reached.
    fn reached(self, begin: Instant, last_output: Option<Instant>) -> Option<Duration> {
        let (since, limit) = match (self, last_output) {
            (Self::None, _) => return None,
            (Self::Total(limit), _) => (begin, limit),
            (Self::Silence { first, .. }, None) => (begin, first),
            (Self::Silence { then, .. }, Some(last)) => (last, then),
        };
        (since.elapsed() >= limit).then_some(limit)
    }
}

#[derive(Clone, Copy)]
enum Stream {
    Output,
    Errors,
}

/// A running child. Its process group ends with this value, unless the child has ended by itself.
struct Running {
    child: std::process::Child,
    has_ended: bool,
    _watched: Option<Watched>,
}

impl Running {
    fn start(
        mut command: Command,
        input: &[u8],
        merged: bool,
        to: Sender<(Stream, Vec<u8>)>,
    ) -> io::Result<Self> {
        command.stdin(match input.is_empty() {
            true => Stdio::null(),
            false => Stdio::piped(),
        });
        if merged {
            let (reader, writer) = io::pipe()?;
            command.stdout(writer.try_clone()?).stderr(writer);
            listen(reader, Stream::Errors, to.clone());
        } else {
            command.stdout(Stdio::piped()).stderr(Stdio::piped());
        }
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let watched = watcher::watch(&mut command);
        let mut child = command.spawn()?;
        // It holds the writing ends of the merged pipe, which have to close with the child.
        drop(command);
        if let Some(mut stdin) = child.stdin.take() {
            let input = input.to_vec();
            // A program that ends before it has read all of it says so by its status.
            thread::spawn(move || drop(stdin.write_all(&input)));
        }
        if let Some(stdout) = child.stdout.take() {
            listen(stdout, Stream::Output, to.clone());
        }
        if let Some(stderr) = child.stderr.take() {
            listen(stderr, Stream::Errors, to);
        }
        Ok(Self {
            child,
            has_ended: false,
            _watched: watched,
        })
    }

    fn status(&mut self) -> io::Result<Option<ExitStatus>> {
        let status = self.child.try_wait()?;
        self.has_ended |= status.is_some();
        Ok(status)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.has_ended {
            end_group(self.child.id());
            // For systems without groups. An error means that the child has ended.
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

fn listen<R: Read + Send + 'static>(mut pipe: R, stream: Stream, to: Sender<(Stream, Vec<u8>)>) {
    thread::spawn(move || {
        let mut buffer = [0; 8192];
        while let Ok(count @ 1..) = pipe.read(&mut buffer) {
            if to.send((stream, buffer[..count].to_vec())).is_err() {
                return;
            }
        }
    });
}

/// Splits an output into lines as it comes.
struct Lines {
    ends: &'static [u8],
    open: Vec<u8>,
}

impl Lines {
    /// Takes a piece, and passes on the lines that it completes.
    fn push(&mut self, piece: &[u8], on_line: &mut dyn FnMut(&str)) {
        for &byte in piece {
            if self.ends.contains(&byte) {
                on_line(&String::from_utf8_lossy(&self.open));
                self.open.clear();
            } else {
                self.open.push(byte);
            }
        }
    }

    /// Passes on the last line, where nothing ends it.
    fn finish(self, on_line: &mut dyn FnMut(&str)) {
        if !self.open.is_empty() {
            on_line(&String::from_utf8_lossy(&self.open));
        }
    }
}

/// Returns the first lines of an output, without progress, which ends in a carriage return, and without empty lines.
pub(crate) fn whole_lines(output: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(output);
    let lines = text.split('\n');
    let lines = lines.filter_map(|line| line.rsplit('\r').next());
    let lines = lines.map(str::trim).filter(|line| !line.is_empty());
    lines.take(MOST_LINES).map(str::to_owned).collect()
}

/// Returns a command that inherits the environment without the variables `without`.
pub(crate) fn command(program: &OsStr, without: &[&str]) -> Command {
    let mut command = Command::new(program);
    for variable in without {
        command.env_remove(variable);
    }
    command
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    fn sh(script: &str, limit: Limit, merged: bool) -> (Ended, Vec<String>) {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        let process = Process {
            command,
            input: b"",
            limit,
            merged,
            line_ends: b"\r\n",
        };
        let mut heard = Vec::new();
        let ended = run(process, &mut |line| heard.push(line.to_owned())).unwrap();
        (ended, heard)
    }

    const LONG: Duration = Duration::from_secs(600);
    const SHORT: Duration = Duration::from_millis(50);

    fn silence(first: Duration, then: Duration) -> Limit {
        Limit::Silence { first, then }
    }

    #[test]
    fn lines_are_passed_on_and_kept() {
        let (ended, heard) = sh(
            "printf out; printf '10%%\\r20%%\\rdone\\nlast' >&2; exit 3",
            silence(LONG, LONG),
            false,
        );
        assert_eq!(heard, ["10%", "20%", "done", "last"]);
        assert_eq!(ended.status.unwrap().code(), Some(3));
        assert_eq!(ended.stdout, b"out");
        assert_eq!(whole_lines(&ended.stderr), ["done", "last"]);
    }

    #[test]
    fn a_limit_ends_a_child_with_its_children() {
        for limit in [silence(SHORT, SHORT), Limit::Total(SHORT)] {
            // Without its death the grandchild would be found by its argument.
            let seconds = format!("{}.{}", 1000, std::process::id());
            let (ended, _) = sh(&format!("sleep {seconds} & sleep 1000"), limit, false);
            assert_eq!(ended.status, Err(SHORT));
            let deadline = Instant::now() + LONG / 60;
            let is_running = || {
                let all = Command::new("ps").args(["-eo", "args"]).output().unwrap();
                String::from_utf8_lossy(&all.stdout).contains(&format!("sleep {seconds}"))
            };
            while is_running() {
                assert!(Instant::now() < deadline, "sleep {seconds} still runs");
                thread::sleep(SHORT);
            }
        }
    }

    #[test]
    fn a_child_that_speaks_once_and_hangs_is_ended() {
        let (ended, heard) = sh("echo begin >&2; sleep 1000", silence(LONG, SHORT), false);
        assert_eq!(heard, ["begin"]);
        assert_eq!(ended.status, Err(SHORT));
    }

    #[test]
    fn a_child_without_open_streams_is_waited_for() {
        let (ended, _) = sh("exec >&- 2>&-; sleep 0.2; exit 4", Limit::None, false);
        assert_eq!(ended.status.unwrap().code(), Some(4));
        let (ended, _) = sh("exec >&- 2>&-; sleep 1000", Limit::Total(SHORT), false);
        assert!(ended.status.is_err());
    }

    #[test]
    fn too_much_output_ends_a_child() {
        let mut command = Command::new("yes");
        command.arg("y".repeat(4000));
        let process = Process {
            command,
            input: b"",
            limit: Limit::None,
            merged: false,
            line_ends: b"\n",
        };
        let error = run(process, &mut |_| {}).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
    }

    #[test]
    fn input_is_passed_on() {
        let process = Process {
            command: Command::new("cat"),
            input: b"text",
            limit: Limit::None,
            merged: false,
            line_ends: b"\n",
        };
        let ended = run(process, &mut |_| {}).unwrap();
        assert_eq!(ended.stdout, b"text");
    }

    #[test]
    fn a_missing_program_is_not_found() {
        let process = Process {
            command: Command::new("patchctl-no-such-program"),
            input: b"",
            limit: Limit::None,
            merged: true,
            line_ends: b"\n",
        };
        let error = run(process, &mut |_| {}).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }
}
