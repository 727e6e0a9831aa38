//! Programs that patchctl has started end when it is killed, with all that they started, by whatever signal.
#![cfg(unix)]

use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::support::pinned::pinned;

/// After a signal that cannot be caught, all has to end within this time.
const WITHIN: Duration = Duration::from_secs(5);

/// The number of processes that sleep for so many seconds.
fn sleeping(seconds: &str) -> usize {
    let all = Command::new("ps").args(["-eo", "args="]).output().unwrap();
    let all = String::from_utf8_lossy(&all.stdout);
    let wanted = format!("sleep {seconds}");
    all.lines().filter(|line| line.trim() == wanted).count()
}

fn wait_for(count: usize, seconds: &str, within: Duration, what: &str) {
    let start = Instant::now();
    loop {
        let found = sleeping(seconds);
        if found == count {
            return;
        }
        assert!(
            start.elapsed() < within,
            "{what}: {found} processes, not {count}"
        );
        sleep(Duration::from_millis(20));
    }
}

#[test]
fn children_end_when_patchctl_is_killed() {
    let scratch = pinned();
    let config = scratch.read("patchctl.yaml");
    for (index, signal) in ["TERM", "INT", "HUP", "KILL"].iter().enumerate() {
        // No other process sleeps for just this time.
        let seconds = format!("{}.{index}", 10_000_000 + u64::from(std::process::id()));
        let check = format!("command: [sh, -c, 'sleep {seconds} & sleep {seconds}; true']");
        scratch.write(
            "patchctl.yaml",
            format!("{config}checks:\n  - {{ name: own, {check} }}\n"),
        );
        let mut patchctl = scratch.spawn("verify --check own");
        wait_for(2, &seconds, Duration::from_secs(60), "started");
        let pid = patchctl.id().to_string();
        let killed = Command::new("kill").args(["-s", signal, &pid]).status();
        assert!(killed.unwrap().success());
        patchctl.wait().unwrap();
        wait_for(0, &seconds, WITHIN, signal);
    }
}
