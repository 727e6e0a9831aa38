//! Looks at all files of a tree, decides, and only then writes.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::Path;
use std::time::Duration;

use super::hold::Hold;
use super::place;
use super::walk;
use super::write::{Write, sweep, write_all};
use super::{ApplyError, FileReport, Goal, Obstacle, Problem, TreeReport};
use crate::state::{Leftover, examine, examine_leftover};
use crate::{FileState, Lock, LockedPin};

/// What to do with a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Bring every file to the lock's patched bytes.
    Apply,
    /// Only look.
    Check,
    /// Bring every file back to upstream's bytes.
    Remove,
}

/// Where to look for what a retired overlay left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leftovers {
    /// In every source file of the tree. That costs 13 ms on MLX's 940 files, so there is no stamp that could
    /// save it and be wrong.
    Scan,
    /// Only in the files that other pins of the lock name.
    Named,
}

/// How to do it.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Decide, and write nothing.
    pub dry_run: bool,
    /// Where to look beyond the pin's files.
    pub leftovers: Leftovers,
    /// How long to wait for another process that writes in the tree.
    pub wait: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            dry_run: false,
            leftovers: Leftovers::Scan,
            wait: Duration::from_secs(60),
        }
    }
}

/// Brings the tree at `dir` into the state that `mode` wants, by `pin`, which is one of `lock`'s.
///
/// Every file is looked at before the first is written, all that is wrong is told at once, and then nothing
/// is written. A file that has its bytes already is not touched. Stale blocks are taken off first. Files that
/// the pin does not name and that have blocks (an overlay was retired) are taken off, too.
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
    let no_tree = |source| ApplyError::NoTree {
        dir: dir.to_owned(),
        source,
    };
    if !fs::metadata(dir).map_err(no_tree)?.is_dir() {
        return Err(no_tree(io::ErrorKind::NotADirectory.into()));
    }
    let writes = mode != Mode::Check && !options.dry_run;
    let _hold = writes.then(|| Hold::on(dir, options.wait)).transpose()?;

    let mut plan = Plan {
        lock,
        dir,
        mode,
        files: Vec::new(),
        writes: Vec::new(),
        problems: Vec::new(),
    };
    plan.listed(pin)?;
    plan.leftovers(pin, options.leftovers);
    if !plan.problems.is_empty() {
        return Err(ApplyError::Refused {
            dir: dir.to_owned(),
            problems: plan.problems,
        });
    }
    if writes {
        // A run that was killed may have left its staging file where there is nothing to write now.
        for file in &plan.files {
            let path = dir.join(&file.path);
            sweep(&path).map_err(|source| ApplyError::Write {
                path,
                source,
                left: Vec::new(),
            })?;
        }
        write_all(&plan.writes, &mut |_| {})?;
        for file in &mut plan.files {
            file.written = file.differs;
        }
    }
    Ok(TreeReport {
        release: pin.release.clone(),
        revision: pin.revision.clone(),
        files: plan.files,
    })
}

struct Plan<'a> {
    lock: &'a Lock,
    dir: &'a Path,
    mode: Mode,
    files: Vec<FileReport>,
    writes: Vec<Write>,
    problems: Vec<Problem>,
}

impl Plan<'_> {
    fn listed(&mut self, pin: &LockedPin) -> Result<(), ApplyError> {
        let goal = match self.mode {
            Mode::Apply | Mode::Check => Goal::Applied,
            Mode::Remove => Goal::Clean,
        };
        for file in &pin.files {
            let place = match place::read(self.dir, &file.path) {
                Ok(place) => place,
                Err(Obstacle::Missing) if self.mode == Mode::Check => {
                    self.report(&file.path, true, FileState::Missing, goal, true);
                    continue;
                }
                Err(obstacle) => {
                    self.problem(&file.path, obstacle);
                    continue;
                }
            };
            let examined = examine(self.lock, file, &place.bytes);
            if self.mode == Mode::Check {
                let differs = examined.state != FileState::Applied;
                self.report(&file.path, true, examined.state, goal, differs);
                continue;
            }
            let new = match (goal, &examined.state, examined.upstream) {
                (Goal::Applied, FileState::Applied, _) => place.bytes.clone(),
                (Goal::Applied, _, Some(upstream)) => file.patch(&upstream)?,
                (Goal::Clean, _, Some(upstream)) => upstream,
                (_, state, None) => {
                    let obstacle = match state {
                        FileState::Broken(error) => Obstacle::Broken(error.clone()),
                        FileState::Foreign(foreign) => Obstacle::Foreign(foreign.clone()),
                        _ => Obstacle::NotRemovable,
                    };
                    self.problem(&file.path, obstacle);
                    continue;
                }
            };
            let differs = new != place.bytes;
            self.report(&file.path, true, examined.state, goal, differs);
            if differs {
                self.writes.push(Write { place, new });
            }
        }
        Ok(())
    }

    fn leftovers(&mut self, pin: &LockedPin, leftovers: Leftovers) {
        let listed: HashSet<&str> = pin.files.iter().map(|file| file.path.as_str()).collect();
        let mut paths: Vec<String> = match leftovers {
            Leftovers::Scan => walk::marked(self.dir, &listed, &mut self.problems),
            Leftovers::Named => Vec::new(),
        };
        // Whatever they are called: an overlay has written there once.
        let named = self.lock.pins.iter().flat_map(|pin| &pin.files);
        paths.extend(
            named
                .map(|file| file.path.clone())
                .filter(|path| !listed.contains(path.as_str())),
        );
        paths.sort();
        paths.dedup();
        for path in paths {
            self.leftover(&path);
        }
    }

    fn leftover(&mut self, path: &str) {
        let place = match place::read(self.dir, path) {
            Ok(place) => place,
            // Not this release's file, or nothing that could have been patched.
            Err(Obstacle::Missing | Obstacle::Symlink(_) | Obstacle::NotAFile { .. }) => return,
            Err(obstacle) => return self.problem(path, obstacle),
        };
        match examine_leftover(&place.bytes) {
            None => {}
            Some(Leftover::Stale { blocks, upstream }) => {
                let state = FileState::Stale { blocks };
                self.report(path, false, state, Goal::Clean, true);
                self.writes.push(Write {
                    place,
                    new: upstream,
                });
            }
            Some(Leftover::Broken(error)) if self.mode == Mode::Check => {
                let state = FileState::Broken(error);
                self.report(path, false, state, Goal::Clean, true);
            }
            Some(Leftover::Broken(error)) => self.problem(path, Obstacle::Broken(error)),
        }
    }

    fn report(&mut self, path: &str, listed: bool, was: FileState, goal: Goal, differs: bool) {
        self.files.push(FileReport {
            path: path.to_owned(),
            listed,
            was,
            goal,
            differs,
            written: false,
        });
    }

    fn problem(&mut self, path: &str, obstacle: Obstacle) {
        self.problems.push(Problem {
            path: path.to_owned(),
            obstacle,
        });
    }
}
