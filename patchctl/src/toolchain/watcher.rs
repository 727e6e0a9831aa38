//! Ends child processes when patchctl itself is killed, by whatever signal.
//!
//! No handler runs on SIGKILL, and `prctl(PR_SET_PDEATHSIG)` reaches neither grandchildren nor macOS. So a second process of
//! the program waits at a pipe that only patchctl holds open. It is told of every process group that begins and ends, and
//! ends those that are left when the pipe closes.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::{BufRead, Write};
use std::path::PathBuf;
use std::process::{ChildStdin, Command, Stdio};
use std::sync::{Mutex, OnceLock, PoisonError};

/// The argument that makes the program a watcher.
pub const WATCH: &str = "--watch-children";

/// The program to start as a watcher, set once by `main`.
static PROGRAM: OnceLock<PathBuf> = OnceLock::new();

/// The pipe to the watcher; none where it could not be started.
static PIPE: OnceLock<Option<Mutex<ChildStdin>>> = OnceLock::new();

/// Lets a watcher start before the first child. `program` takes [`WATCH`] and then calls [`serve`]. Without this call
/// children are not watched, as in tests of the library.
pub fn enable(program: PathBuf) {
    // A second call names the same program.
    let _ = PROGRAM.set(program);
}

/// Ends the groups that `input` leaves open, once it has come to its end.
pub fn serve(input: impl BufRead) {
    let mut groups: BTreeSet<u32> = BTreeSet::new();
    for line in input.lines().map_while(Result::ok) {
        match line.split_at_checked(1) {
            Some(("+", group)) => groups.extend(group.parse::<u32>().ok()),
            Some((_, group)) => {
                let ended: Option<u32> = group.parse().ok();
                groups.retain(|group| Some(*group) != ended);
            }
            None => {}
        }
    }
    groups.into_iter().for_each(end_group);
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

/// A process group that the watcher has been told of.
pub(super) struct Watched(u32);

/// Tells the watcher of a group.
pub(super) fn watch(group: u32) -> Option<Watched> {
    tell('+', group).then_some(Watched(group))
}

impl Drop for Watched {
    fn drop(&mut self) {
        tell('-', self.0);
    }
}

fn tell(sign: char, group: u32) -> bool {
    let pipe = PIPE.get_or_init(|| PROGRAM.get().and_then(start).map(Mutex::new));
    let Some(pipe) = pipe else { return false };
    let mut pipe = pipe.lock().unwrap_or_else(PoisonError::into_inner);
    // A watcher that is gone watches nothing more.
    pipe.write_all(format!("{sign}{group}\n").as_bytes())
        .is_ok()
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
        serve(format!("+{first}\n+{second}\n-{second}\nnothing\n\n").as_bytes());
        assert_eq!(open.wait().unwrap().signal(), Some(9));
        assert_eq!(closed.try_wait().unwrap(), None);
        end_group(second);
        assert_eq!(closed.wait().unwrap().signal(), Some(9));
    }
}
