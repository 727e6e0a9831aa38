//! One writer at a time in a tree, without leaving a file in it.

use std::fs::{File, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use super::ApplyError;
use crate::beneath::Root;

const PAUSE: Duration = Duration::from_millis(20);

/// Keeps other writers out of a tree until it is dropped. The lock is on the folder itself, so a killed
/// process leaves none. Where the system cannot lock a folder there is none: then two writers of the same
/// lock file still write the same bytes.
#[derive(Debug)]
pub(super) struct Hold(#[expect(dead_code, reason = "dropping it lets go")] Option<File>);

impl Hold {
    pub(super) fn on(tree: &Root, wait: Duration) -> Result<Self, ApplyError> {
        // A folder that cannot be opened is said so where its files are read.
        let Ok(folder) = tree.lockable() else {
            return Ok(Self(None));
        };
        let begun = Instant::now();
        loop {
            match folder.try_lock() {
                Ok(()) => return Ok(Self(Some(folder))),
                Err(TryLockError::Error(_)) => return Ok(Self(None)),
                Err(TryLockError::WouldBlock) if begun.elapsed() >= wait => {
                    return Err(ApplyError::Busy {
                        dir: tree.path().to_owned(),
                        seconds: wait.as_secs(),
                    });
                }
                Err(TryLockError::WouldBlock) => thread::sleep(PAUSE),
            }
        }
    }
}
