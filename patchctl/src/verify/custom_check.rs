//! Runs a custom check of the repository, and counts the tests that it says it ran.

use std::collections::VecDeque;
use std::io;
use std::process::{Command, ExitStatus};

use camino::Utf8Path;
use regex::Regex;

use crate::toolchain::process::{self, Limit, Process};

/// Lines of its output that are kept for a reader.
const KEPT: usize = 60;
/// Characters of a line that are kept.
const LONGEST: usize = 2000;

/// A check that has ended.
#[derive(Debug)]
pub struct Ran {
    /// Its exit status.
    pub status: ExitStatus,
    /// The last lines that it printed, on both streams.
    pub last: Vec<String>,
    /// The sum of the numbers that the pattern found; `None` where there is no pattern.
    pub tests: Option<u64>,
}

impl Ran {
    /// Says why it has not passed; nothing where it has.
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
/// takes. Each line that it prints goes to `on_line`, without colours.
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
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder);
    let mut last = VecDeque::new();
    // The pattern's first group is a number.
    let mut tests = count.map(|_| 0);
    let mut hear = |line: &str| {
        let line = anstream::adapter::strip_str(line.trim_end()).to_string();
        if let (Some(count), Some(tests)) = (count, &mut tests) {
            let found = count.captures_iter(&line);
            let numbers = found.filter_map(|found| found.get(1)?.as_str().parse().ok());
            *tests = numbers.fold(*tests, u64::saturating_add);
        }
        if last.len() == KEPT {
            last.pop_front();
        }
        last.push_back(line.chars().take(LONGEST).collect());
        on_line(&line);
    };
    let process = Process {
        command,
        input: b"",
        limit: Limit::None,
        merged: true,
        line_ends: b"\n",
    };
    let ended = process::run(process, &mut hear)?;
    Ok(Ran {
        status: ended.status.map_err(|_| io::ErrorKind::TimedOut)?,
        last: last.into(),
        tests,
    })
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::time::{Duration, Instant};

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
    fn both_streams_are_counted_in_order() {
        let script =
            "pwd; echo '\u{1b}[32m3 passed\u{1b}[0m' >&2; echo 4 passed; printf '0 passed'";
        let (ran, heard) = sh(script, Some(r"^(\d+) passed$"));
        assert_eq!(heard, ["/", "3 passed", "4 passed", "0 passed"]);
        assert_eq!((ran.tests, ran.failure()), (Some(7), None));
        assert_eq!(ran.last, heard);
    }

    #[test]
    fn a_check_fails_by_status_signal_or_no_test() {
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
    fn left_processes_are_not_waited_for() {
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
