//! Which pin of the lock is meant.

use std::fmt;
use std::path::Path;

use super::place;
use super::{ApplyError, Obstacle};
use crate::beneath::Root;
use crate::state::examine;
use crate::{FileState, Lock, LockedPin};

/// How a pin is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PinChoice<'a> {
    /// By its release (`0.32.2`, `v0.32.2`) or its commit (at least seven hex digits).
    Named(&'a str),
    /// The one whose upstream files the tree has.
    Fitting,
}

/// The reason for which a tree is not of a pin.
#[derive(Debug)]
pub struct Misfit {
    /// The pin's release.
    pub release: String,
    /// A file that is not the pin's.
    pub path: String,
    /// What it is instead.
    pub obstacle: Obstacle,
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.release, self.path, self.obstacle)
    }
}

impl Lock {
    /// The pin that `choice` names; `dir` is the tree, for [`PinChoice::Fitting`].
    ///
    /// Where several pins fit and would write the same bytes, the last of them. Fails where none fits, or
    /// where those that fit would write different bytes.
    pub fn choose(&self, choice: PinChoice<'_>, dir: &Path) -> Result<&LockedPin, ApplyError> {
        match choice {
            PinChoice::Named(name) => self.pin(name).ok_or_else(|| ApplyError::NoSuchPin {
                wanted: name.to_owned(),
                has: self.pins.iter().map(|pin| pin.release.clone()).collect(),
            }),
            PinChoice::Fitting => self.fitting(dir),
        }
    }

    /// The pin of a release (`0.32.2`, `v0.32.2`) or commit (at least seven hex digits, of one pin only).
    pub fn pin(&self, name: &str) -> Option<&LockedPin> {
        let release = name.strip_prefix('v').unwrap_or(name);
        let by_release = self.pins.iter().find(|pin| {
            pin.release == name || pin.release.strip_prefix('v').unwrap_or(&pin.release) == release
        });
        by_release.or_else(|| {
            let mut by_commit = self
                .pins
                .iter()
                .filter(|pin| name.len() >= 7 && pin.revision.starts_with(name));
            by_commit.next().filter(|_| by_commit.next().is_none())
        })
    }

    fn fitting(&self, dir: &Path) -> Result<&LockedPin, ApplyError> {
        let tree = super::plan::open(dir)?;
        let mut fitting: Vec<&LockedPin> = Vec::new();
        let mut misfits = Vec::new();
        // A pin without files would fit everything.
        for pin in self.pins.iter().filter(|pin| !pin.files.is_empty()) {
            match self.misfit(pin, &tree) {
                None => fitting.push(pin),
                Some(misfit) => misfits.push(misfit),
            }
        }
        match fitting.as_slice() {
            [] => Err(ApplyError::NoPinFits {
                dir: dir.to_owned(),
                misfits,
            }),
            [rest @ .., last] if rest.iter().all(|pin| pin.files == last.files) => Ok(last),
            many => Err(ApplyError::ManyPinsFit {
                dir: dir.to_owned(),
                releases: many.iter().map(|pin| pin.release.clone()).collect(),
            }),
        }
    }

    fn misfit(&self, pin: &LockedPin, tree: &Root) -> Option<Misfit> {
        pin.files.iter().find_map(|file| {
            let obstacle = match place::read(tree, &file.path) {
                Err(obstacle) => obstacle,
                Ok(place) => match examine(self, file, &place.bytes).state {
                    FileState::Foreign(foreign) => Obstacle::Foreign(foreign),
                    FileState::Broken(error) => Obstacle::Broken(error),
                    FileState::Missing => Obstacle::Missing,
                    FileState::Clean | FileState::Applied | FileState::Stale { .. } => return None,
                },
            };
            Some(Misfit {
                release: pin.release.clone(),
                path: file.path.clone(),
                obstacle,
            })
        })
    }
}
