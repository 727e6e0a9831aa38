//! Looks at all files of a tree, decides, and only then writes.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;

use super::hold::Hold;
use super::options::{Leftovers, Mode, Options};
use super::ours::{Looked, Ours, Unlisted};
use super::place::{self, Place};
use super::record::{RECORD_FILE, TreeRecord, Update};
use super::walk;
use super::write::{Write, sweep, write_all};
use super::{
    ApplyError, FileReport, ForeignBlocks, Goal, LostBlock, Obstacle, Problem, TreeReport,
};
use crate::beneath::{Error, Root};
use crate::markers::{Block, MarkerError, scan};
use crate::state::Examined;
use crate::{BlobId, FileState, Foreign, Lock, LockedPin};

/// Brings the tree at `dir` into the state that `mode` wants, by `pin`, which is one of `lock`'s.
///
/// Every file is looked at before the first is written, all that is wrong is told at once, and then nothing
/// is written. A file that has its bytes already is not touched. Stale blocks are taken off first.
///
/// Only files that the lock or the tree's record names are written; ours are taken off files that the pin does not
/// name (an overlay was retired). Blocks elsewhere are reported. A block that somebody changed is a problem, unless
/// [`Options::discard_edits`] is set. What was written is recorded in the tree, see [`TreeRecord`]; with
/// [`Mode::Remove`] the record decides, where there is one, so that it works for a tree of another pin.
///
/// [`Mode::Check`] fails only on what cannot be looked at; what it found is in the report, see
/// [`TreeReport::holds`].
pub fn run(
    lock: &Lock,
    pin: &LockedPin,
    dir: &Path,
    mode: Mode,
    options: Options,
) -> Result<TreeReport, ApplyError> {
    let tree = open(dir)?;
    let _hold = hold(&tree, mode, options)?;
    let record = TreeRecord::read_in(&tree)?;
    carry_out(&tree, lock, record, Some(pin), mode, options)
}

/// As [`run`] with [`Mode::Remove`], for a tree that has a record: no pin is needed. `lock` may be empty; where it is
/// given, the files that it names are looked at too. Fails where there is no record.
pub fn take_off(lock: &Lock, dir: &Path, options: Options) -> Result<TreeReport, ApplyError> {
    let tree = open(dir)?;
    let _hold = hold(&tree, Mode::Remove, options)?;
    match TreeRecord::read_in(&tree)? {
        Some(record) => carry_out(&tree, lock, Some(record), None, Mode::Remove, options),
        None => Err(ApplyError::NoRecord {
            dir: dir.to_owned(),
        }),
    }
}

fn writes(mode: Mode, options: Options) -> bool {
    mode != Mode::Check && !options.dry_run
}

fn hold(tree: &Root, mode: Mode, options: Options) -> Result<Option<Hold>, ApplyError> {
    writes(mode, options)
        .then(|| Hold::on(tree, options.wait))
        .transpose()
}

fn carry_out(
    tree: &Root,
    lock: &Lock,
    record: Option<TreeRecord>,
    pin: Option<&LockedPin>,
    mode: Mode,
    options: Options,
) -> Result<TreeReport, ApplyError> {
    let mut plan = Plan {
        lock,
        ours: Ours::new(lock, record.as_ref()),
        tree,
        mode,
        options,
        seen: HashSet::new(),
        files: Vec::new(),
        foreign: Vec::new(),
        writes: Vec::new(),
        upstream: HashMap::new(),
        problems: Vec::new(),
    };
    let (mut release, mut revision) = (String::new(), String::new());
    if let Some(pin) = pin {
        (release, revision) = (pin.release.clone(), pin.revision.clone());
    }
    match (&record, mode) {
        (Some(record), Mode::Remove) => {
            (release, revision) = (record.release.clone(), record.revision.clone());
            plan.recorded(record);
            // The pin's other files are of this tree only if it is of the pin's revision.
            let same = pin.filter(|pin| pin.revision == record.revision);
            same.map_or(Ok(()), |pin| plan.listed(pin))?;
        }
        _ => pin.map_or(Ok(()), |pin| plan.listed(pin))?,
    }
    plan.leftovers(record.as_ref());
    if !plan.problems.is_empty() {
        return Err(ApplyError::Refused {
            dir: tree.path().to_owned(),
            problems: plan.problems,
        });
    }
    let Plan {
        mut files,
        foreign,
        writes: changes,
        upstream,
        ..
    } = plan;
    if writes(mode, options) {
        // A run that was killed may have left its staging file where there is nothing to write now.
        for path in files.iter().map(|file| file.path.as_str()) {
            sweep(tree, path)?;
        }
        sweep(tree, RECORD_FILE)?;
        let new = match (mode, pin) {
            (Mode::Apply, Some(pin)) => {
                Some(TreeRecord::of(pin, &|path| upstream.get(path).cloned()))
            }
            _ => None,
        };
        let update = Update::new(tree, record, new);
        if !changes.is_empty() {
            update.begin()?;
        }
        if let Err(error) = write_all(tree, &changes, &mut |_| {}) {
            update.undo();
            return Err(error);
        }
        update.finish();
        for file in &mut files {
            file.written = file.differs;
        }
    }
    Ok(TreeReport {
        release,
        revision,
        files,
        foreign,
        differing: Vec::new(),
    })
}

/// Opens the root of a tree. Its own path may hold links.
pub(super) fn open(dir: &Path) -> Result<Root, ApplyError> {
    Root::open(dir).map_err(|error| ApplyError::NoTree {
        dir: dir.to_owned(),
        source: match error {
            Error::Io { source, .. } => source,
            other => other.into(),
        },
    })
}

struct Plan<'a> {
    lock: &'a Lock,
    ours: Ours<'a>,
    tree: &'a Root,
    mode: Mode,
    options: Options,
    /// Paths that were decided.
    seen: HashSet<String>,
    files: Vec<FileReport>,
    foreign: Vec<ForeignBlocks>,
    writes: Vec<Write>,
    /// Upstream's bytes of the pin's files.
    upstream: HashMap<String, Vec<u8>>,
    problems: Vec<Problem>,
}

impl Plan<'_> {
    fn listed(&mut self, pin: &LockedPin) -> Result<(), ApplyError> {
        let goal = match self.mode {
            Mode::Apply | Mode::Check => Goal::Applied,
            Mode::Remove => Goal::Clean,
        };
        for file in &pin.files {
            if !self.seen.insert(file.path.clone()) {
                continue;
            }
            let place = match place::read(self.tree, &file.path) {
                Ok(place) => place,
                Err(Obstacle::Missing) if self.mode == Mode::Check => {
                    let looked = Looked::from(Examined {
                        state: FileState::Missing,
                        upstream: None,
                    });
                    self.report(&file.path, true, looked, goal, true);
                    continue;
                }
                Err(obstacle) => {
                    self.problem(&file.path, obstacle);
                    continue;
                }
            };
            let mut looked = self.ours.listed(file, &place.bytes);
            if self.mode == Mode::Check {
                let differs = looked.state != FileState::Applied;
                self.report(&file.path, true, looked, goal, differs);
                continue;
            }
            let upstream = looked.upstream.take();
            let new = match (goal, &looked.state, &upstream) {
                (Goal::Applied, FileState::Applied, _) => place.bytes.clone(),
                (Goal::Applied, _, Some(upstream)) => file.patch(upstream)?,
                (Goal::Clean, _, Some(upstream)) => upstream.clone(),
                (_, _, None) => {
                    self.not_upstreams(&file.path, looked.state);
                    continue;
                }
            };
            if let Some(upstream) = upstream {
                self.upstream.insert(file.path.clone(), upstream);
            }
            self.write(place, true, looked, goal, new);
        }
        Ok(())
    }

    /// The files of the record, back to upstream's bytes.
    fn recorded(&mut self, record: &TreeRecord) {
        for file in &record.files {
            if !self.seen.insert(file.path.clone()) {
                continue;
            }
            let place = match place::read(self.tree, &file.path) {
                Ok(place) => place,
                Err(obstacle) => {
                    self.problem(&file.path, obstacle);
                    continue;
                }
            };
            match self.ours.unlisted(&file.path, &place.bytes) {
                Unlisted::Ours(mut looked) => {
                    let blob = BlobId::of(&place.bytes);
                    if self.ours.is_recorded(&file.path, &blob) {
                        looked.state = FileState::Applied;
                    }
                    self.back(place, true, looked);
                }
                Unlisted::Foreign(blocks) => self.foreign(&file.path, Ok(blocks)),
                Unlisted::Free => {
                    let blob = BlobId::of(&place.bytes);
                    if self.ours.befores(&file.path).any(|before| *before == blob) {
                        let looked = Looked::from(Examined {
                            state: FileState::Clean,
                            upstream: None,
                        });
                        self.report(&file.path, true, looked, Goal::Clean, false);
                    } else {
                        let foreign = Foreign {
                            expected: file.before.clone(),
                            found: blob,
                            blocks: Vec::new(),
                            known: None,
                        };
                        self.problem(&file.path, Obstacle::Foreign(foreign));
                    }
                }
            }
        }
    }

    /// What is left in files that nothing above has decided.
    fn leftovers(&mut self, record: Option<&TreeRecord>) {
        // Whatever they are called: an overlay has written there once.
        let locked = self.lock.pins.iter().flat_map(|pin| &pin.files);
        let recorded = record.into_iter().flat_map(|record| &record.files);
        let named: BTreeSet<String> = locked
            .map(|file| &file.path)
            .chain(recorded.map(|file| &file.path))
            .cloned()
            .collect();
        for path in named {
            if self.seen.insert(path.clone()) {
                self.leftover(&path);
            }
        }
        if self.options.leftovers == Leftovers::Scan {
            for (path, bytes) in walk::marked(self.tree, &self.seen, &mut self.problems) {
                let blocks = scan(&bytes);
                let blocks = blocks.map(|all| all.into_iter().map(|found| found.block).collect());
                self.foreign(&path, blocks);
            }
        }
        self.foreign.sort_by(|a, b| a.path.cmp(&b.path));
    }

    fn leftover(&mut self, path: &str) {
        let place = match place::read(self.tree, path) {
            Ok(place) => place,
            // Not this release's file, or nothing that could have been patched.
            Err(Obstacle::Missing | Obstacle::Symlink(_) | Obstacle::NotAFile { .. }) => return,
            Err(obstacle) => return self.problem(path, obstacle),
        };
        match self.ours.unlisted(path, &place.bytes) {
            Unlisted::Free => {}
            Unlisted::Foreign(blocks) => self.foreign(path, Ok(blocks)),
            Unlisted::Ours(looked) if self.mode == Mode::Check => {
                self.report(path, false, looked, Goal::Clean, true);
            }
            Unlisted::Ours(looked) => self.back(place, false, looked),
        }
    }

    /// Brings a file back to upstream's bytes, or says why not.
    fn back(&mut self, place: Place, listed: bool, mut looked: Looked) {
        match looked.upstream.take() {
            Some(upstream) => self.write(place, listed, looked, Goal::Clean, upstream),
            None => self.not_upstreams(&place.path, looked.state),
        }
    }

    /// Plans that the file gets the bytes `new`, unless somebody's lines would be lost.
    fn write(&mut self, place: Place, listed: bool, looked: Looked, goal: Goal, new: Vec<u8>) {
        let stays = |lost: &&LostBlock| lost.foreign || !self.options.discard_edits;
        let kept: Vec<LostBlock> = looked.lost.iter().filter(stays).cloned().collect();
        if !kept.is_empty() {
            for lost in kept {
                self.problem(&place.path, Obstacle::Edited(lost));
            }
            return;
        }
        let differs = new != place.bytes;
        self.report(&place.path, listed, looked, goal, differs);
        if differs {
            self.writes.push(Write { place, new });
        }
    }

    fn not_upstreams(&mut self, path: &str, state: FileState) {
        let obstacle = match state {
            FileState::Broken(error) => Obstacle::Broken(error),
            FileState::Foreign(foreign) => Obstacle::Foreign(foreign),
            _ => Obstacle::NotRemovable,
        };
        self.problem(path, obstacle);
    }

    fn report(&mut self, path: &str, listed: bool, looked: Looked, goal: Goal, differs: bool) {
        self.files.push(FileReport {
            path: path.to_owned(),
            listed,
            was: looked.state,
            goal,
            differs,
            lost: looked.lost,
            written: false,
        });
    }

    fn foreign(&mut self, path: &str, blocks: Result<Vec<Block>, MarkerError>) {
        self.foreign.push(ForeignBlocks {
            path: path.to_owned(),
            blocks,
        });
    }

    fn problem(&mut self, path: &str, obstacle: Obstacle) {
        self.problems.push(Problem {
            path: path.to_owned(),
            obstacle,
        });
    }
}
