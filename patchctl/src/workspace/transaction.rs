//! A set of writes of which all happen or none.
//!
//! The order of things: the journal says what will be done; the old bytes are copied into `.patchctl/undo`, the
//! new ones staged beside their targets, all synced; the journal says that this is so; the targets are
//! replaced by renames, the one that decides last; the journal is removed. Whoever is killed in between leaves
//! a journal from which [`recover`](super::recover) finishes or undoes, see there.

use std::collections::HashSet;

use camino::{Utf8Path, Utf8PathBuf};
use patchctl_apply::BlobId;
use patchctl_apply::beneath::{self, Root};

use super::journal::{self, Entry, Journal, Phase};
use super::recovery;
use super::steps::{MAKE_ROOM, StepFailed, step};
use super::targets::{Old, Target, refused, resolve};
use super::{Record, RepoLock, Steps};
use crate::report::{Code, Error};

/// Writes that are to be made together.
pub struct Transaction {
    command: String,
    decider: Utf8PathBuf,
    wishes: Vec<Wish>,
}

struct Wish {
    path: Utf8PathBuf,
    content: Content,
    /// The bytes that the writer has read there, if it has.
    read: Option<BlobId>,
}

enum Content {
    Bytes(Vec<u8>),
    /// With line feeds; the check reads what will stand in the file.
    Text(String, ReadBack),
    Nothing,
}

/// Reads the bytes of a file again and compares them with what was to be written.
type ReadBack = Box<dyn Fn(&Utf8Path, &[u8]) -> Result<(), String>>;

impl Transaction {
    /// No writes yet. `command` is told to a reader where they are interrupted (`bump --mlx 0.32.2`).
    /// `decider` is the file that is replaced last and decides, relative to the root: `lock.yaml`.
    pub fn new(command: impl Into<String>, decider: impl Into<Utf8PathBuf>) -> Self {
        Self {
            command: command.into(),
            decider: decider.into(),
            wishes: Vec::new(),
        }
    }

    /// `path`, relative to the root with `/`, is to have exactly these bytes. Missing folders are created.
    pub fn bytes(&mut self, path: impl Into<Utf8PathBuf>, bytes: impl Into<Vec<u8>>) -> &mut Self {
        self.wish(path, Content::Bytes(bytes.into()), None)
    }

    /// `path` is to hold this record. Where the file is there, and all its lines end in CRLF or it has a byte-order mark,
    /// the new one is so, too. The commit fails where the bytes would not read back as the record.
    pub fn record<R: Record>(&mut self, path: impl Into<Utf8PathBuf>, record: R) -> &mut Self {
        let text = record.to_text();
        let error = text.as_ref().err().cloned();
        let check = move |file: &Utf8Path, bytes: &[u8]| match &error {
            Some(error) => Err(error.clone()),
            None if R::read_back(file, bytes)? == record => Ok(()),
            None => Err("it reads back as something else".to_owned()),
        };
        let content = Content::Text(text.unwrap_or_default(), Box::new(check));
        self.wish(path, content, None)
    }

    /// `path` is to have this text; see [`Transaction::record`].
    #[cfg(test)]
    pub(super) fn text(
        &mut self,
        path: impl Into<Utf8PathBuf>,
        text: impl Into<String>,
    ) -> &mut Self {
        let unchecked = Box::new(|_: &Utf8Path, _: &[u8]| Ok(()));
        self.wish(path, Content::Text(text.into(), unchecked), None)
    }

    /// As [`Transaction::bytes`], and fails where the file is not what the writer has read, `read`.
    pub fn replace(
        &mut self,
        path: impl Into<Utf8PathBuf>,
        read: &[u8],
        bytes: impl Into<Vec<u8>>,
    ) -> &mut Self {
        self.wish(path, Content::Bytes(bytes.into()), Some(BlobId::of(read)))
    }

    /// `path` is to be deleted; where it is not there, there is nothing to do.
    pub fn delete(&mut self, path: impl Into<Utf8PathBuf>) -> &mut Self {
        self.wish(path, Content::Nothing, None)
    }

    fn wish(
        &mut self,
        path: impl Into<Utf8PathBuf>,
        content: Content,
        read: Option<BlobId>,
    ) -> &mut Self {
        self.wishes.push(Wish {
            path: path.into(),
            content,
            read,
        });
        self
    }

    /// The files that would change, as [`Transaction::commit`] gives them. Writes nothing; for a dry run.
    pub fn preview(&self, root: &Utf8Path) -> Result<Vec<Utf8PathBuf>, Error> {
        let root = root
            .canonicalize_utf8()
            .map_err(|source| refused(format!("cannot read {root}")).because(&source))?;
        let files = open(&root)?;
        let writes = self.resolve(&root, &files)?;
        Ok(writes.into_iter().map(|write| write.target.path).collect())
    }

    /// Makes the writes. Gives the files that are other than before, in the order in which they were replaced; relative to
    /// the root, links resolved. On an error every file is as it was, and nothing staged is left, unless the error says
    /// otherwise.
    ///
    /// A file that has its bytes already is not touched. Permissions stay. A link is written through where it
    /// leads to a file of the repository.
    ///
    /// # Errors
    /// A file cannot be written as wanted or was changed since it was read, an interrupted command has not been recovered,
    /// or the file system failed: exit status 3.
    pub fn commit(&self, lock: &RepoLock, steps: &dyn Steps) -> Result<Vec<Utf8PathBuf>, Error> {
        let root = lock.files();
        if let Some(journal) = Journal::read(root)? {
            let command = journal.command;
            let message = format!("an interrupted `{command}` is to be finished or undone first");
            let help = "run the command again; it begins with that";
            return Err(Error::new(Code::Unwritable, message).help(help));
        }
        let writes = self.resolve(lock.root(), root)?;
        let changed: Vec<Utf8PathBuf> = writes.iter().map(|w| w.target.path.clone()).collect();
        if writes.is_empty() {
            return Ok(changed);
        }
        let mut journal = self.journal(&writes);
        let done =
            stage(root, &journal, &writes, steps).and_then(|()| replace(root, &mut journal, steps));
        if let Err(failure) = done {
            // After the decision there is nothing that can fail.
            let (after, advice) = undo(root, &mut journal, steps);
            return Err(match failure {
                Failure::Changed(path) => changed_meanwhile(&path, &after),
                Failure::Step(StepFailed { step, source }) => {
                    Error::new(Code::Unwritable, format!("cannot {step}; {after}"))
                        .because(&source)
                        .help(advice)
                }
            });
        }
        // It is done. What cannot be cleared away now, the next writing command clears away.
        let _ = steps
            .reached("clear the journal")
            .and_then(|()| Journal::remove(root));
        Ok(changed)
    }

    fn resolve(&self, root: &Utf8Path, files: &Root) -> Result<Vec<Write>, Error> {
        let mut writes = Vec::new();
        let mut seen = HashSet::new();
        for wish in &self.wishes {
            let deletes = matches!(wish.content, Content::Nothing);
            let target = resolve(root, files, &wish.path, deletes)?;
            if !seen.insert(target.path.clone()) {
                return Err(refused(format!("{} is to be written twice", target.path)));
            }
            let old = target.old.as_ref().map(|old| old.bytes.as_slice());
            if wish
                .read
                .as_ref()
                .is_some_and(|read| old.map(BlobId::of).as_ref() != Some(read))
            {
                return Err(changed_meanwhile(&target.path, UNDONE));
            }
            let new = match &wish.content {
                Content::Bytes(bytes) => Some(bytes.clone()),
                Content::Text(text, read_back) => {
                    let bytes = like_old(text, old.unwrap_or_default());
                    read_back(&wish.path, &bytes).map_err(|why| not_readable(&wish.path, &why))?;
                    Some(bytes)
                }
                Content::Nothing => None,
            };
            if new.as_deref() != old {
                writes.push(Write {
                    decides: wish.path == self.decider,
                    target,
                    new,
                });
            }
        }
        writes.sort_by_key(|write| write.decides);
        Ok(writes)
    }

    fn journal(&self, writes: &[Write]) -> Journal {
        let mut folders: Vec<Utf8PathBuf> = Vec::new();
        for folder in writes.iter().flat_map(|write| &write.target.missing) {
            if !folders.contains(folder) {
                folders.push(folder.clone());
            }
        }
        let files = writes
            .iter()
            .map(|write| Entry {
                path: write.target.path.clone(),
                old: write.target.old.as_ref().map(|old| BlobId::of(&old.bytes)),
                new: write.new.as_deref().map(BlobId::of),
            })
            .collect();
        let decides = writes.last().is_some_and(|write| write.decides);
        Journal {
            schema: journal::SCHEMA,
            phase: Phase::Staging,
            command: self.command.clone(),
            decides,
            folders,
            files,
        }
    }
}

fn open(root: &Utf8Path) -> Result<Root, Error> {
    Root::open(root.as_std_path())
        .map_err(|error| refused(format!("cannot read {root}")).because(&error))
}

/// A file that will be other than it is.
#[derive(Debug)]
struct Write {
    target: Target,
    /// `None` to delete it.
    new: Option<Vec<u8>>,
    decides: bool,
}

/// The end of the message of a failure that changed no file.
const UNDONE: &str = "every file is as it was";

/// The reason for which the writes were not made.
enum Failure {
    /// Somebody changed the file since it was read.
    Changed(Utf8PathBuf),
    Step(StepFailed),
}

impl From<StepFailed> for Failure {
    fn from(failed: StepFailed) -> Self {
        Self::Step(failed)
    }
}

/// Undoes what was done so far. Says how the files are then, and what to do about a failed step.
fn undo(root: &Root, journal: &mut Journal, steps: &dyn Steps) -> (String, String) {
    match recovery::undo(root, journal, steps) {
        Ok((_, kept)) if kept.is_empty() => (UNDONE.to_owned(), MAKE_ROOM.to_owned()),
        Ok((_, kept)) => {
            let names: Vec<&str> = kept.iter().map(|kept| kept.path.as_str()).collect();
            let names = names.join(", ");
            let after = format!("somebody changed {names}; every other file is as it was");
            (after, MAKE_ROOM.to_owned())
        }
        // The next writing command tries again.
        Err(error) => (
            format!("and not all could be undone: {error}"),
            error.advice().unwrap_or_default().to_owned(),
        ),
    }
}

fn changed_meanwhile(path: &Utf8Path, after: &str) -> Error {
    let message = format!("{path} was changed by somebody else meanwhile; {after}");
    Error::new(Code::Unwritable, message).help("run the command again when the file is at rest")
}

/// A file would not read back as it was meant: a fault of patchctl's own.
fn not_readable(path: &Utf8Path, why: &str) -> Error {
    let message = format!("{path} would not be readable as it is to be written: {why}");
    let help = "nothing was written; this is a fault of patchctl's own, please report it";
    Error::new(Code::Unwritable, message).help(help)
}

fn stage(
    root: &Root,
    journal: &Journal,
    writes: &[Write],
    steps: &dyn Steps,
) -> Result<(), Failure> {
    step(steps, "clear what is kept".to_owned(), || {
        journal::clear_undo(root)
    })?;
    step(steps, "begin the journal".to_owned(), || {
        journal.write(root)
    })?;
    let undo = journal::undo_dir();
    step(steps, "make room for what is kept".to_owned(), || {
        Ok(root.create_folders(&undo)?)
    })?;
    for folder in &journal.folders {
        step(steps, format!("create {folder}"), || {
            root.create_folders(folder)?;
            Ok(root.sync_folder_of(folder)?)
        })?;
    }
    for (index, (write, entry)) in writes.iter().zip(&journal.files).enumerate() {
        let like = write.target.old.as_ref().map(|old| &old.metadata);
        if let Some(Old { bytes, .. }) = &write.target.old {
            step(steps, format!("keep {}", entry.path), || {
                Ok(root.write_new(journal::kept(index), bytes, like)?)
            })?;
        }
        if let Some(new) = &write.new {
            let staged = entry.staged();
            step(steps, format!("stage {}", entry.path), || {
                root.write_new(&staged, new, like)?;
                Ok(root.sync_folder_of(&staged)?)
            })?;
        }
    }
    step(steps, "sync what is kept".to_owned(), || {
        root.sync_folder_of(undo.join("0"))?;
        Ok(root.sync_folder_of(&undo)?)
    })?;
    Ok(())
}

fn replace(root: &Root, journal: &mut Journal, steps: &dyn Steps) -> Result<(), Failure> {
    let ready = journal.in_phase(Phase::Ready);
    step(steps, "make the journal ready".to_owned(), || {
        ready.write(root)
    })?;
    *journal = ready;
    let last = journal.files.len() - 1;
    for (index, entry) in journal.files.iter().enumerate() {
        let target = &entry.path;
        let name = match (&entry.new, journal.decides && index == last) {
            (_, true) => format!("decide with {}", entry.path),
            (Some(_), _) => format!("write {}", entry.path),
            (None, _) => format!("delete {}", entry.path),
        };
        step(steps, name.clone(), || Ok(()))?;
        let failed = |error: beneath::Error| StepFailed {
            step: name.clone(),
            source: error.into(),
        };
        if entry.current(root).map_err(failed)? != entry.old {
            return Err(Failure::Changed(entry.path.clone()));
        }
        match &entry.new {
            Some(_) => root.rename(entry.staged(), target),
            None => root.remove_file(target),
        }
        .map_err(failed)?;
        match root.sync_folder_of(target) {
            Err(error) if !(journal.decides && index == last) => return Err(failed(error).into()),
            // The decision stands, synced or not.
            _ => {}
        }
    }
    if !journal.decides {
        let committed = journal.in_phase(Phase::Committed);
        step(steps, "decide with the journal".to_owned(), || {
            committed.write(root)
        })?;
    }
    Ok(())
}

/// `text` with the line ends and the byte-order mark of `old`.
fn like_old(text: &str, old: &[u8]) -> Vec<u8> {
    const BOM: &str = "\u{feff}";
    let feeds = old.iter().filter(|byte| **byte == b'\n').count();
    let pairs = old.windows(2).filter(|pair| pair == b"\r\n").count();
    let mut text = text.to_owned();
    if feeds > 0 && pairs == feeds {
        text = text.replace("\r\n", "\n").replace('\n', "\r\n");
    }
    if old.starts_with(BOM.as_bytes()) && !text.starts_with(BOM) {
        text.insert_str(0, BOM);
    }
    text.into_bytes()
}
