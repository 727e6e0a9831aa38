//! What stands in the way at one path, and what to do about it.

use std::fmt;
use std::io;
use std::path::PathBuf;

use super::LostBlock;
use crate::markers::MarkerError;
use crate::{Foreign, Known};

/// One path that keeps a tree from being changed.
#[derive(Debug)]
pub struct Problem {
    /// Relative to the tree's root, with `/`.
    pub path: String,
    /// What is wrong.
    pub obstacle: Obstacle,
}

/// What is wrong at a path.
#[derive(Debug)]
pub enum Obstacle {
    /// The lock's path would leave the tree.
    Escapes(String),
    /// There is no such file.
    Missing,
    /// Taken off, it is not upstream's file.
    Foreign(Foreign),
    /// Its markers do not pair.
    Broken(MarkerError),
    /// Taking a block off would lose lines that somebody wrote.
    Edited(LostBlock),
    /// It has the lock's patched bytes, and they do not come off to upstream's.
    NotRemovable,
    /// A part of the path is a symbolic link, and writing could leave the tree.
    Symlink(PathBuf),
    /// A folder or another thing stands where a file is expected, or a file where a folder is.
    NotAFile {
        /// The place.
        at: PathBuf,
        /// What stands there.
        found: &'static str,
    },
    /// It is larger than any source file.
    TooLarge {
        /// The most that is read, in bytes.
        limit: u64,
    },
    /// It cannot be read.
    Unreadable(io::Error),
}

impl Obstacle {
    /// Returns true if the file system is the cause, not what the file says.
    pub fn is_surroundings(&self) -> bool {
        matches!(
            self,
            Self::Symlink(_) | Self::NotAFile { .. } | Self::Unreadable(_)
        )
    }

    /// What to do about it, one line.
    pub fn help(&self) -> String {
        match self {
            Self::Escapes(_) => "write the lock anew with `patchctl bump`".to_owned(),
            Self::Missing => {
                "check that the folder is the root of the pin's upstream tree, and complete"
                    .to_owned()
            }
            Self::Foreign(Foreign {
                known: Some(Known::OfPins(releases)),
                ..
            }) => format!(
                "the file is that of {}: name that release, or get the tree of this one",
                releases.join(", ")
            ),
            Self::Foreign(Foreign {
                known: Some(Known::LineEnds),
                ..
            }) => "only its line ends differ: check the tree out with `core.autocrlf=false`"
                .to_owned(),
            Self::Foreign(_) | Self::Broken(_) | Self::NotRemovable => {
                "restore the file from upstream's revision, then apply again".to_owned()
            }
            Self::Edited(lost) if lost.foreign => {
                "it stays: take it out by hand, or restore the file from upstream's revision"
                    .to_owned()
            }
            Self::Edited(_) => {
                "take the lines over into the overlay, or lose them: `patchctl apply --discard-edits`"
                    .to_owned()
            }
            Self::Symlink(_) => "put the file itself in the link's place".to_owned(),
            Self::NotAFile { .. } => "move it away and restore upstream's file".to_owned(),
            Self::TooLarge { .. } => "check that the path names a source file".to_owned(),
            Self::Unreadable(_) => "give this user the right to read it".to_owned(),
        }
    }
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Escapes(why) => f.write_str(why),
            Self::Missing => f.write_str("the file is missing"),
            Self::Foreign(foreign) => {
                let without = match foreign.blocks.as_slice() {
                    [] => String::new(),
                    [one] => format!(" without the block {}", one.edit),
                    more => format!(" without its {} blocks", more.len()),
                };
                write!(
                    f,
                    "expected upstream's blob {}, found {}{without}",
                    foreign.expected, foreign.found
                )
            }
            Self::Broken(error) => write!(f, "its markers cannot be read: {error}"),
            Self::Edited(lost) if lost.foreign => write!(
                f,
                "the block {} in line {} is of an overlay that neither the lock nor the tree's record knows",
                lost.block.edit, lost.line
            ),
            Self::Edited(lost) => write!(
                f,
                "the block {} in line {} was changed after it was written",
                lost.block.edit, lost.line
            ),
            Self::NotRemovable => {
                f.write_str("its blocks do not come off to the lock's blob of upstream's file")
            }
            Self::Symlink(at) => write!(f, "{} is a symbolic link", at.display()),
            Self::NotAFile { at, found } => {
                write!(f, "expected a file, {} is {found}", at.display())
            }
            Self::TooLarge { limit } => {
                write!(
                    f,
                    "the file has more than {limit} bytes, the limit for files of a tree"
                )
            }
            Self::Unreadable(error) => write!(f, "cannot read it: {error}"),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.obstacle)
    }
}
