//! Runs a check of the repository's own, and counts the tests that it says it ran.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, PipeReader};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use camino::Utf8Path;
use regex::Regex;

/// Lines of its output that are kept for a reader.
const KEPT: usize = 60;
/// Characters of a line that are kept.
const LONGEST: usize = 2000;
/// How often it is asked whether it has ended.
const OFTEN: Duration = Duration::from_millis(50);
/// How long its output is waited for after its end: what it has started (a compiler's cache) may hold the pipe open
/// for ever.
const GRACE: Duration = Duration::from_secs(2);

/// A check that has ended.
#[derive(Debug)]
pub struct Ran {
    /// How.
    pub status: ExitStatus,
    /// The last lines of what it printed, on both streams.
    pub last: Vec<String>,
    /// The sum of what the pattern found; `None` where there is no pattern.
    pub tests: Option<u64>,
}

impl Ran {
    /// Why it has not passed; nothing where it has.
    pub fn failure(&self) -> Option<String> {
        match (self.status.success(), self.tests) {
            (true, Some(0)) => Some("ended well, and ran no test".to_owned()),
            (true, _) => None,
            (false, _) => Some(ended(self.status)),
        }
    }
}

fn ended(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return format!("was ended by signal {signal}");
    }
    match status.code() {
        Some(code) => format!("ended with status {code}"),
        None => "did not end by itself".to_owned(),
    }
}

/// Runs a program with its arguments in `folder`, with the user's environment and without input, for as long as it
/// takes. Each line that it prints goes to `on_line`.
///
/// # Errors
/// When it cannot be started.
pub fn run(
    words: &[&str],
    folder: &Utf8Path,
    count: Option<&Regex>,
    on_line: &mut dyn FnMut(&str),
) -> io::Result<Ran> {
    let Some((program, arguments)) = words.split_first() else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    let (reader, writer) = io::pipe()?;
    let mut command = Command::new(program);
    command
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(writer.try_clone()?)
        .stderr(writer);
    let mut child = command.spawn()?;
    // It holds the pipe's other end, which has to close with the child.
    drop(command);
    let mut heard = Heard {
        last: VecDeque::new(),
        tests: count.map(|_| 0),
    };
    let status = listen(&mut child, reader, &mut |line| {
        heard.line(line, count);
        on_line(line);
    })?;
    Ok(Ran {
        status,
        last: heard.last.into(),
        tests: heard.tests,
    })
}

struct Heard {
    last: VecDeque<String>,
    tests: Option<u64>,
}

impl Heard {
    fn line(&mut self, line: &str, count: Option<&Regex>) {
        for found in count
            .into_iter()
            .flat_map(|count| count.captures_iter(line))
        {
            let number = found
                .get(1)
                .and_then(|group| group.as_str().parse::<u64>().ok());
            let sum = self.tests.unwrap_or(0);
            self.tests = Some(sum.saturating_add(number.unwrap_or(0)));
        }
        if self.last.len() == KEPT {
            self.last.pop_front();
        }
        self.last.push_back(line.chars().take(LONGEST).collect());
    }
}

/// Passes the lines on until the child has ended and nothing more comes.
fn listen(
    child: &mut Child,
    reader: PipeReader,
    on_line: &mut dyn FnMut(&str),
) -> io::Result<ExitStatus> {
    let lines = lines(reader);
    let mut ended: Option<(ExitStatus, Instant)> = None;
    loop {
        match lines.recv_timeout(OFTEN) {
            Ok(line) => on_line(&line),
            Err(RecvTimeoutError::Disconnected) => return child.wait(),
            Err(RecvTimeoutError::Timeout) => {}
        }
        match ended {
            Some((status, at)) if at.elapsed() > GRACE => return Ok(status),
            Some(_) => {}
            None => ended = child.try_wait()?.map(|status| (status, Instant::now())),
        }
    }
}

/// The lines of a pipe, without colours, as they come.
fn lines(reader: PipeReader) -> Receiver<String> {
    let (sender, lines) = channel();
    thread::spawn(move || {
        let mut reader = BufReader::new(reader);
        let mut bytes = Vec::new();
        while let Ok(1..) = reader.read_until(b'\n', &mut bytes) {
            let line = String::from_utf8_lossy(&bytes);
            let line = anstream::adapter::strip_str(line.trim_end()).to_string();
            bytes.clear();
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    lines
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    fn sh(script: &str, count: Option<&str>) -> (Ran, Vec<String>) {
        let count = count.map(|text| Regex::new(text).unwrap());
        let mut heard = Vec::new();
        let here = Utf8Path::new("/");
        let ran = run(&["sh", "-c", script], here, count.as_ref(), &mut |line| {
            heard.push(line.to_owned());
        });
        (ran.unwrap(), heard)
    }

    #[test]
    fn both_streams_are_heard_in_order_and_counts_are_added_up() {
        let script =
            "pwd; echo '\u{1b}[32m3 passed\u{1b}[0m' >&2; echo 4 passed; printf '0 passed'";
        let (ran, heard) = sh(script, Some(r"^(\d+) passed$"));
        assert_eq!(heard, ["/", "3 passed", "4 passed", "0 passed"]);
        assert_eq!((ran.tests, ran.failure()), (Some(7), None));
        assert_eq!(ran.last, heard);
    }

    #[test]
    fn a_check_fails_by_its_status_by_a_signal_and_by_running_nothing() {
        let failure = |script, count| sh(script, count).0.failure();
        assert_eq!(failure("true", None), None);
        let nothing = Some("ended well, and ran no test".to_owned());
        assert_eq!(failure("echo no tests", Some(r"(\d+) passed")), nothing);
        assert_eq!(failure("echo 0 passed", Some(r"(\d+) passed")), nothing);
        let status = Some("ended with status 3".to_owned());
        assert_eq!(
            failure("echo 5 passed; exit 3", Some(r"(\d+) passed")),
            status
        );
        let signal = Some("was ended by signal 9".to_owned());
        assert_eq!(failure("kill -9 $$", None), signal);
    }

    #[test]
    fn only_the_last_lines_are_kept() {
        let (ran, heard) = sh("seq 1000", None);
        assert_eq!((heard.len(), ran.last.len()), (1000, KEPT));
        assert_eq!(ran.last.last().unwrap(), "1000");
    }

    #[test]
    fn what_it_leaves_running_is_not_waited_for() {
        let before = Instant::now();
        let (ran, heard) = sh("sleep 30 & echo done", None);
        assert!(before.elapsed() < Duration::from_secs(20));
        assert!(ran.status.success());
        assert_eq!(heard, ["done"]);
    }

    #[test]
    fn a_program_that_is_not_there_is_an_error() {
        let here = Utf8Path::new("/");
        let error = run(&["patchctl-no-such-program"], here, None, &mut |_| {});
        assert_eq!(error.unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}
