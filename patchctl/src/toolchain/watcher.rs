//! Ends child processes when patchctl itself is killed, by whatever signal.
//!
//! No handler runs on SIGKILL, and `prctl(PR_SET_PDEATHSIG)` reaches neither grandchildren nor macOS. So a second process of
//! the program waits at a pipe that only patchctl holds open. Each child tells it of its process group before it runs its
//! program, patchctl tells it of each that has ended, and it ends those that are left when the pipe closes.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::{self, BufRead, Write};
use std::path::PathBuf;
use std::process::{ChildStdin, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// The argument that makes the program a watcher.
pub const WATCH: &str = "--watch-children";

/// The program to start as a watcher, set once by `main`.
static PROGRAM: OnceLock<PathBuf> = OnceLock::new();

/// The pipe to the watcher; none where it could not be started.
static PIPE: OnceLock<Option<ChildStdin>> = OnceLock::new();

/// Lets a watcher start before the first child. `program` takes [`WATCH`] and then calls [`serve`]. Without this call
/// children are not watched, as in tests of the library.
pub fn enable(program: PathBuf) {
    // A second call names the same program.
    let _ = PROGRAM.set(program);
}

/// Ends the groups that `input` leaves open, once it has come to its end. A line is `+NUMBER GROUP` or `-NUMBER`.
pub fn serve(input: impl BufRead) {
    let mut groups: BTreeMap<u64, u32> = BTreeMap::new();
    for line in input.lines().map_while(Result::ok) {
        match (line.strip_prefix('+'), line.strip_prefix('-')) {
            (Some(begun), _) => {
                let numbers = begun.split_once(' ');
                groups.extend(numbers.and_then(|(number, group)| {
                    Some((number.parse::<u64>().ok()?, group.parse::<u32>().ok()?))
                }));
            }
            (_, Some(ended)) => groups.retain(|number, _| ended.parse() != Ok(*number)),
            _ => {}
        }
    }
    groups.into_values().for_each(end_group);
}

/// Ends every process of a group.
pub(super) fn end_group(leader: u32) {
    #[cfg(unix)]
    if let Some(group) = i32::try_from(leader)
        .ok()
        .and_then(rustix::process::Pid::from_raw)
    {
        // Fails only where all of it has ended by itself.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    #[cfg(not(unix))]
    let _ = leader;
}

/// A child that the watcher knows by a number.
pub(super) struct Watched {
    number: u64,
    pipe: &'static ChildStdin,
}

/// Makes the child of `command`, which leads a process group, known to the watcher. It has to be called before the start: the
/// child itself says its number, so that there is no moment at which it runs and only patchctl knows of it.
pub(super) fn watch(command: &mut Command) -> Option<Watched> {
    let pipe = PIPE.get_or_init(|| PROGRAM.get().and_then(start));
    watch_by(pipe.as_ref()?, command).ok()
}

fn watch_by(pipe: &'static ChildStdin, command: &mut Command) -> io::Result<Watched> {
    static NUMBERS: AtomicU64 = AtomicU64::new(0);
    let number = NUMBERS.fetch_add(1, Ordering::Relaxed);
    // Fails where the watcher is gone. The child would end by writing to it.
    tell(pipe, "\n")?;
    #[cfg(unix)]
    {
        let begin = move || {
            let mut line = [0; 64];
            let mut rest = &mut line[..];
            writeln!(rest, "+{number} {}", std::process::id())?;
            let left = rest.len();
            let length = line.len() - left;
            // The pipe takes so short a line whole.
            rustix::io::write(pipe, &line[..length])?;
            Ok(())
        };
        #[expect(
            unsafe_code,
            reason = "between fork and exec it only writes: it takes no lock and no memory"
        )]
        unsafe {
            std::os::unix::process::CommandExt::pre_exec(command, begin);
        }
    }
    #[cfg(not(unix))]
    let _ = command;
    Ok(Watched { number, pipe })
}

impl Drop for Watched {
    fn drop(&mut self) {
        // A watcher that is gone watches nothing more.
        let _ = tell(self.pipe, &format!("-{}\n", self.number));
    }
}

/// Writes a line at once, so that no line of another thread or of a child comes into it.
fn tell(mut pipe: &ChildStdin, line: &str) -> io::Result<()> {
    pipe.write_all(line.as_bytes())
}

/// In a group of its own, so that it outlives the signals that a terminal sends.
fn start(program: &PathBuf) -> Option<ChildStdin> {
    let mut command = Command::new(program);
    command
        .arg(OsStr::new(WATCH))
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command.current_dir("/").spawn().ok()?.stdin
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::process::{CommandExt, ExitStatusExt};

    use super::*;

    fn sleeping() -> std::process::Child {
        let mut command = Command::new("sleep");
        command.arg("1000").process_group(0).spawn().unwrap()
    }

    #[test]
    fn open_groups_end_with_the_pipe() {
        let (mut open, mut closed) = (sleeping(), sleeping());
        let (first, second) = (open.id(), closed.id());
        serve(format!("+7 {first}\n\n+8 {second}\n-8\nnothing\n+\n-\n").as_bytes());
        assert_eq!(open.wait().unwrap().signal(), Some(9));
        assert_eq!(closed.try_wait().unwrap(), None);
        end_group(second);
        assert_eq!(closed.wait().unwrap().signal(), Some(9));
    }

    /// Also where patchctl is killed before it has heard of the start.
    #[test]
    fn child_tells_watcher_before_it_runs() {
        let mut watcher = Command::new("cat");
        let watcher = watcher.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut watcher = watcher.spawn().unwrap();
        let pipe: &ChildStdin = Box::leak(Box::new(watcher.stdin.take().unwrap()));
        let mut lines = io::BufReader::new(watcher.stdout.take().unwrap()).lines();
        let mut next = || lines.next().unwrap().unwrap();
        let mut command = Command::new("sleep");
        let watched = watch_by(pipe, command.arg("1000").process_group(0)).unwrap();
        let mut child = command.spawn().unwrap();
        assert_eq!(next(), "");
        assert_eq!(next(), format!("+{} {}", watched.number, child.id()));
        end_group(child.id());
        child.wait().unwrap();
        let ended = format!("-{}", watched.number);
        drop(watched);
        assert_eq!(next(), ended);
        // A program that is not there leaves nothing open.
        let mut command = Command::new("patchctl-no-such-program");
        let watched = watch_by(pipe, command.process_group(0)).unwrap();
        let number = watched.number;
        assert!(command.spawn().is_err());
        drop(watched);
        assert_eq!(next(), "");
        assert!(next().starts_with(&format!("+{number} ")));
        assert_eq!(next(), format!("-{number}"));
        watcher.kill().unwrap();
        watcher.wait().unwrap();
    }
}
