//! Places of a repository that hold its pin: the way to the value, reading it, comparing it, rewriting it.

mod agree;
mod cmake;
mod edit;
mod find;
mod keyed;
mod model;

#[cfg(test)]
mod tests;

pub use agree::{Role, place_disagreements};
pub use edit::{Rewrite, rewrites};
pub use find::{PinValue, find};
pub use keyed::in_yaml;
pub use model::{Form, PinPlace, PinPlaces, Way};

pub(super) use model::{RawPlace, one_group};

use crate::report::{Code, Finding};

/// An error in the file of a place, at the 1-based line `line`. Boxed, as findings are large.
fn bad(line: impl Into<Option<u64>>, code: Code, message: &str, help: &str) -> Box<Finding> {
    Finding::new(code, message).line(line).help(help).into()
}

/// The file does not parse.
fn not_parsed(line: u64, why: &str) -> Box<Finding> {
    let help = "mend the file, or name the place by `regex` in patchctl.yaml";
    let message = format!("the file does not parse: {why}");
    bad(line, Code::PlaceNotParsed, &message, help)
}

/// The 1-based line of a byte.
fn line(text: &str, at: usize) -> u64 {
    text.as_bytes()[..at]
        .iter()
        .filter(|byte| **byte == b'\n')
        .count() as u64
        + 1
}
