//! The same with real processes: aborted, out of room, two at once.
#![cfg(unix)]

use std::io;
use std::process::{Command, Stdio};
use std::time::Duration;

use camino::Utf8PathBuf;

use super::repository::{At, Repository, bump};
use crate::workspace::{EveryStep, Outcome, RepoLock, Steps};

const ROOT: &str = "PATCHCTL_TEST_ROOT";
const STEP: &str = "PATCHCTL_TEST_ABORT_AT";
const LARGE: &str = "PATCHCTL_TEST_LARGE";

struct AbortAt(At);

impl Steps for AbortAt {
    fn reached(&self, step: &str) -> io::Result<()> {
        if self.0.seen.get() == self.0.at {
            std::process::abort();
        }
        self.0.reached(step)
    }
}

/// Not a test: what the tests below run as a process of its own.
#[test]
#[ignore = "run by other tests, in a process of its own"]
fn child() {
    // Whoever runs all ignored tests comes by here, too.
    let Ok(root) = std::env::var(ROOT) else {
        return;
    };
    let lock = RepoLock::acquire(root.as_str().into(), "child", Duration::ZERO, &mut |_| {});
    let mut transaction = bump();
    if std::env::var(LARGE).is_ok() {
        transaction.bytes("large", vec![b'x'; 1 << 20]);
    }
    let committed = match std::env::var(STEP) {
        Ok(step) => {
            let steps = AbortAt(At::fail(step.parse().unwrap()));
            transaction.commit(&lock.unwrap(), &steps)
        }
        Err(_) => transaction.commit(&lock.unwrap(), &EveryStep),
    };
    if let Err(error) = committed {
        println!("child: {}", error.findings()[0].message);
    }
}

fn child_command(limit: Option<u32>, root: &Utf8PathBuf) -> Command {
    let exe = std::env::current_exe().unwrap();
    let mut command = match limit {
        None => Command::new(exe),
        // A file that grows beyond the limit is a write error, as on a full disk.
        Some(blocks) => {
            let mut shell = Command::new("sh");
            shell
                .arg("-c")
                .arg(format!(
                    "trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\""
                ))
                .arg(exe);
            shell
        }
    };
    command
        .args([
            "--exact",
            "workspace::tests::process::child",
            "--ignored",
            "--nocapture",
        ])
        .env(ROOT, root)
        .stderr(Stdio::null());
    command
}

#[test]
fn an_aborted_process_is_recovered() {
    let old = Repository::new().listing();
    let new = {
        let repository = Repository::new();
        repository.commit(&bump()).unwrap();
        repository.listing()
    };
    let mut aborted = 0;
    for at in 0.. {
        let repository = Repository::new();
        let status = child_command(None, &repository.root)
            .env(STEP, at.to_string())
            .stdout(Stdio::null())
            .status()
            .unwrap();
        if status.success() {
            assert_eq!(repository.listing(), new);
            break;
        }
        aborted += 1;
        let outcome = repository.recover().map(|recovery| recovery.outcome);
        let expected = if outcome == Some(Outcome::Finished) {
            &new
        } else {
            &old
        };
        assert_eq!(&repository.listing(), expected, "aborted at step {at}");
        assert_eq!(repository.left(), Vec::<String>::new());
    }
    assert!(aborted > 15, "{aborted}");
}

#[test]
fn a_full_disk_changes_no_file() {
    let repository = Repository::new();
    let old = repository.listing();
    let output = child_command(Some(256), &repository.root)
        .env(LARGE, "1")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        said.contains("child: cannot stage large; every file is as it was: "),
        "{said}"
    );
    assert!(said.contains("File too large"), "{said}");
    assert_eq!(repository.listing(), old);
    assert_eq!(repository.left(), Vec::<String>::new());
}

#[test]
fn a_second_process_is_refused() {
    let repository = Repository::new();
    let lock = repository.lock();
    let old = repository.listing();
    let status = child_command(None, &repository.root)
        .stdout(Stdio::null())
        .status()
        .unwrap();
    assert!(!status.success());
    assert_eq!(repository.listing(), old);
    drop(lock);
    assert!(
        child_command(None, &repository.root)
            .stdout(Stdio::null())
            .status()
            .unwrap()
            .success()
    );
    assert_ne!(repository.listing(), old);
}
