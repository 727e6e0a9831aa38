//! The sizes of a run of command buffers, as a scenario writes them: `51 x7, rest 43`.

use std::fmt;
use std::str::FromStr;

/// Command buffers in order, each by its number of ops.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Commits(pub Vec<Commit>);

/// One command buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Commit {
    /// The number of ops it holds.
    pub ops: u64,
    /// `rest`: committed because all was encoded, and not because the commit check said so.
    pub is_rest: bool,
}

impl FromStr for Commits {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut commits = Vec::new();
        for piece in text.split(',').map(str::trim) {
            let wrong = || {
                format!(
                    "'{piece}' is no command buffer: write '51', '51 x7' or 'rest 43', separated by commas"
                )
            };
            let (is_rest, sizes) = match piece.strip_prefix("rest ") {
                Some(rest) => (true, rest),
                None => (false, piece),
            };
            let (ops, times) = sizes.split_once(" x").unwrap_or((sizes, "1"));
            let ops = ops.parse().map_err(|_| wrong())?;
            let times = times.parse().map_err(|_| wrong())?;
            commits.extend(std::iter::repeat_n(Commit { ops, is_rest }, times));
        }
        Ok(Self(commits))
    }
}

impl fmt::Display for Commits {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return out.write_str("none");
        }
        for (index, run) in self.0.chunk_by(PartialEq::eq).enumerate() {
            if index > 0 {
                out.write_str(", ")?;
            }
            if run[0].is_rest {
                out.write_str("rest ")?;
            }
            write!(out, "{}", run[0].ops)?;
            if run.len() > 1 {
                write!(out, " x{}", run.len())?;
            }
        }
        Ok(())
    }
}
