//! Finishes or undoes an interrupted set of writes.
//!
//! The file that decides (`lock.yaml`) is replaced last. Where it is the new one, all the others are, and only
//! the journal is left to clear away: the writes are finished. Else they are undone: what was replaced gets its
//! old bytes back. Where somebody has changed a file in the meantime, it stays as it is, and the old bytes
//! are put where they can be found. A recovery that is killed is begun anew by the next one.

use std::io;
use std::path::Path;

use camino::{Utf8Path, Utf8PathBuf};
use patchctl_apply::beneath::{Kind, Root};

use super::journal::{self, Entry, Journal, Phase};
use super::repo_lock::{Holder, RepoLock, holder};
use super::state_dir::STATE_DIR;
use super::steps::{StepFailed, Steps, step};
use crate::report::{Code, Error};

/// The end of an interrupted command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Its files are all the new ones.
    Finished,
    /// Its files are all the old ones.
    Undone,
}

/// The recovery of an interrupted command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recovery {
    /// Its words.
    pub command: String,
    /// Its end.
    pub outcome: Outcome,
    /// The files that were written or deleted for that, relative to the root.
    pub changed: Vec<Utf8PathBuf>,
    /// Files that somebody has changed after the interruption. The command at hand should stop here: they fit
    /// neither the old state nor the new one until a person has looked at them.
    pub kept: Vec<Kept>,
}

/// A file that was left as somebody made it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// The file, relative to the root.
    pub path: Utf8PathBuf,
    /// A copy of it from before the interrupted command, relative to the root; `None` where there was no file.
    pub before: Option<Utf8PathBuf>,
}

/// An interrupted or running command, as a reader sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pending {
    /// Its words.
    pub command: String,
    /// The files that it writes, relative to the root.
    pub files: Vec<Utf8PathBuf>,
    /// Its end when the next writing command recovers it.
    pub outcome: Outcome,
    /// Set where a process holds the repository: then it is not interrupted but at work (or recovering).
    pub running: Option<Option<Holder>>,
}

/// Finishes or undoes what an interrupted command left; `None` where there is nothing. To be called at the
/// start of every writing command, before it reads any file that it will write.
///
/// # Errors
/// The journal cannot be read, the bytes to put back are gone, or the file system failed: exit status 3. The journal stays.
pub fn recover(lock: &RepoLock, steps: &dyn Steps) -> Result<Option<Recovery>, Error> {
    let root = lock.files();
    let Some(mut journal) = Journal::read(root)? else {
        // A command that was killed before it had a journal, or after it had removed it.
        journal::clear_undo(root).map_err(|source| StepFailed {
            step: "clear what is kept".to_owned(),
            source,
        })?;
        return Ok(None);
    };
    let outcome = decided(root, &journal)?;
    let (changed, kept) = match outcome {
        Outcome::Finished => (finish(root, &journal, steps)?, Vec::new()),
        Outcome::Undone => undo(root, &mut journal, steps)?,
    };
    Ok(Some(Recovery {
        command: journal.command,
        outcome,
        changed,
        kept,
    }))
}

/// Returns what [`recover`] would find in the repository at `root`. Changes nothing on the disk.
pub fn pending(root: &Utf8Path) -> Result<Option<Pending>, Error> {
    let files = Root::open(root.as_std_path()).map_err(|error| StepFailed {
        step: "open the repository".to_owned(),
        source: error.into(),
    })?;
    let Some(journal) = Journal::read(&files)? else {
        return Ok(None);
    };
    Ok(Some(Pending {
        outcome: decided(&files, &journal)?,
        running: holder(root),
        files: journal.files.into_iter().map(|entry| entry.path).collect(),
        command: journal.command,
    }))
}

fn decided(root: &Root, journal: &Journal) -> Result<Outcome, Error> {
    let decider = journal.files.last().filter(|_| journal.decides);
    Ok(match (journal.phase, decider) {
        (Phase::Staging, _) | (Phase::Ready, None) => Outcome::Undone,
        (Phase::Committed, _) => Outcome::Finished,
        (Phase::Ready, Some(decider)) => {
            let now = current(root, decider)?;
            // Somebody may have changed it since; then the staged file tells whether it was replaced.
            if now == decider.new || (now != decider.old && !is_staged(root, decider)) {
                Outcome::Finished
            } else {
                Outcome::Undone
            }
        }
    })
}

type Undone = (Vec<Utf8PathBuf>, Vec<Kept>);

fn finish(root: &Root, journal: &Journal, steps: &dyn Steps) -> Result<Vec<Utf8PathBuf>, Error> {
    let mut changed = Vec::new();
    for entry in &journal.files {
        // Each was replaced and synced before the decision. A file system that does not keep that order may
        // have lost it; what differs otherwise is somebody's later change.
        if entry.new.is_some() && is_staged(root, entry) && current(root, entry)? == entry.old {
            step(steps, format!("write {}", entry.path), || {
                bring(root, &entry.staged(), entry.path.as_std_path())
            })?;
            changed.push(entry.path.clone());
        }
    }
    clear(root, journal, steps)?;
    Ok(changed)
}

/// Brings every target back to what it was, and clears away what was staged. Also what a failing transaction
/// does by itself.
pub(super) fn undo(root: &Root, journal: &mut Journal, steps: &dyn Steps) -> Result<Undone, Error> {
    let mut changed = Vec::new();
    let mut kept = Vec::new();
    if journal.phase != Phase::Staging {
        let plan = plan_undo(root, journal)?;
        for (index, entry, what) in plan {
            let target = entry.path.as_std_path();
            let old = journal::kept(index);
            match what {
                Undo::PutBack => {
                    step(steps, format!("put back {}", entry.path), || {
                        bring(root, old.as_std_path(), target)
                    })?;
                    changed.push(entry.path.clone());
                }
                Undo::Remove => {
                    step(steps, format!("remove {}", entry.path), || {
                        root.remove_file(target)?;
                        Ok(root.sync_folder_of(target)?)
                    })?;
                    changed.push(entry.path.clone());
                }
                Undo::Keep => {
                    let mut before = None;
                    step(steps, format!("keep {}", entry.path), || {
                        before = lay_aside(root, &old, &entry.path)?;
                        Ok(())
                    })?;
                    kept.push(Kept {
                        path: entry.path.clone(),
                        before,
                    });
                }
            }
        }
        // From here on nothing but staged files tells what was replaced, so their going must not be read.
        let undone = journal.in_phase(Phase::Staging);
        step(steps, "note that it is undone".to_owned(), || {
            undone.write(root)
        })?;
        *journal = undone;
    }
    clear(root, journal, steps)?;
    Ok((changed, kept))
}

#[derive(Clone, Copy)]
enum Undo {
    PutBack,
    Remove,
    Keep,
}

/// Looks at every file before the first is put back.
fn plan_undo<'a>(
    root: &Root,
    journal: &'a Journal,
) -> Result<Vec<(usize, &'a Entry, Undo)>, Error> {
    let mut plan = Vec::new();
    for (index, entry) in journal.files.iter().enumerate().rev() {
        let now = current(root, entry)?;
        let replaced = match entry.new {
            Some(_) => !is_staged(root, entry),
            None => now.is_none(),
        };
        if !replaced || now == entry.old {
            continue;
        }
        let what = match (&entry.old, now == entry.new || now.is_none()) {
            (Some(_), true) if is_file(root, &journal::kept(index)) => Undo::PutBack,
            (Some(_), true) => {
                let path = &entry.path;
                let message = format!(
                    "{path} cannot be put back: its old bytes are missing from {STATE_DIR}"
                );
                return Err(Error::new(Code::RecoveryFailed, message).help(format!(
                    "restore {path} from version control, then delete the folder {STATE_DIR}"
                )));
            }
            (None, true) => Undo::Remove,
            (_, false) => Undo::Keep,
        };
        plan.push((index, entry, what));
    }
    Ok(plan)
}

/// Takes away what was staged, the folders that were made for it and are empty, and the journal.
fn clear(root: &Root, journal: &Journal, steps: &dyn Steps) -> Result<(), Error> {
    for entry in &journal.files {
        if is_staged(root, entry) {
            step(steps, format!("unstage {}", entry.path), || {
                Ok(root.remove_file(entry.staged())?)
            })?;
        }
    }
    for folder in journal.folders.iter().rev() {
        step(steps, format!("remove {folder}"), || {
            match root.remove_folder(folder).map_err(io::Error::from) {
                // What the writes, or somebody else, have put there stays.
                Err(error) if !is_harmless(&error) => Err(error),
                _ => Ok(()),
            }
        })?;
    }
    step(steps, "clear the journal".to_owned(), || {
        Journal::remove(root)
    })?;
    Ok(())
}

fn is_harmless(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::DirectoryNotEmpty
    )
}

/// Moves a file into the place of a target, also from another file system.
fn bring(root: &Root, from: &Path, target: &Path) -> io::Result<()> {
    if let Err(error) = root.rename(from, target).map_err(io::Error::from) {
        if error.kind() != io::ErrorKind::CrossesDevices {
            return Err(error);
        }
        let (bytes, like) = root.read_with_metadata(from, journal::FILE_LIMIT)?;
        let staged = Root::staged(target);
        root.write_new(&staged, &bytes, Some(&like))?;
        root.rename(staged, target)?;
    }
    Ok(root.sync_folder_of(target)?)
}

/// Puts old bytes where a person finds them. A recovery that was killed behind this finds none any more.
fn lay_aside(root: &Root, old: &Utf8Path, path: &Utf8Path) -> io::Result<Option<Utf8PathBuf>> {
    if !is_file(root, old) {
        return Ok(None);
    }
    let dir = Utf8Path::new(STATE_DIR).join("kept");
    root.create_folders(&dir)?;
    let name = path.as_str().replace('/', "+");
    let free = (1..)
        .map(|number| dir.join(format!("{name}.{number}")))
        .find(|candidate| !matches!(root.kind(candidate), Ok(Some(_))));
    if let Some(free) = &free {
        root.rename(old, free)?;
    }
    Ok(free)
}

/// Only a file is one of ours.
fn is_staged(root: &Root, entry: &Entry) -> bool {
    matches!(root.kind(entry.staged()), Ok(Some(Kind::File)))
}

fn is_file(root: &Root, path: &Utf8Path) -> bool {
    matches!(root.kind(path), Ok(Some(Kind::File)))
}

fn current(root: &Root, entry: &Entry) -> Result<Option<patchctl_apply::BlobId>, StepFailed> {
    entry.current(root).map_err(|source| StepFailed {
        step: format!("read {}", entry.path),
        source: source.into(),
    })
}
