//! The reason why an anchor gives no place, with the candidates.

use std::ops::Range;

use camino::Utf8Path;

use crate::cpp::{Construct, Parsed};
use crate::overlay::Scope;
use crate::report::Code;

use super::scope::{describe, untrusted};

/// Candidates that an error shows.
pub(super) const SHOWN: usize = 50;

/// A piece of code that an anchor might mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// Kind and name, or the statement's first line, for a reader.
    pub what: String,
    /// Its bytes.
    pub range: Range<usize>,
}

impl Candidate {
    /// A construct.
    pub(in crate::patch) fn construct(construct: &Construct) -> Self {
        Self {
            what: format!("{} `{}`", construct.kind.word(), construct.display()),
            range: construct.range.clone(),
        }
    }

    /// The candidate with its `#if` conditions, for a reader.
    pub(in crate::patch) fn under(&self, parsed: &Parsed) -> String {
        match parsed.preprocessor_at(self.range.start).as_slice() {
            [] => self.what.clone(),
            stack => format!("{} under {}", self.what, conditions(stack)),
        }
    }

    /// A statement, named by its first line.
    pub(super) fn statement(parsed: &Parsed, range: &Range<usize>) -> Self {
        let text = String::from_utf8_lossy(&parsed.text()[range.clone()]);
        let first = text.lines().next().unwrap_or_default().trim();
        Self {
            what: format!("statement `{first}`"),
            range: range.clone(),
        }
    }
}

/// Conditions, for a reader.
pub(super) fn conditions(stack: &[String]) -> String {
    format!("`{}`", stack.join("`, `"))
}

/// The reason why an anchor gives no place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Miss {
    /// The code of its finding.
    pub(crate) code: Code,
    /// The message of its finding.
    pub message: String,
    /// The pieces of code that the anchor might mean, [`SHOWN`] at the most. Of a statement that is not there: its
    /// function.
    pub candidates: Vec<Candidate>,
}

impl Miss {
    /// A miss that is about one candidate.
    pub(super) fn one(code: Code, message: String, candidate: Candidate) -> Self {
        Self {
            code,
            message,
            candidates: vec![candidate],
        }
    }

    /// Whole lines cannot be put beside `candidate`.
    pub(super) fn not_on_own_line(candidate: Candidate, why: &str) -> Self {
        let message = format!("{}: {why}", candidate.what);
        Self::one(Code::AnchorNotOnOwnLine, message, candidate)
    }

    /// `candidate` is there, and the reading of it cannot be trusted.
    pub(super) fn untrusted(candidate: Candidate, why: &str) -> Self {
        let what = &candidate.what;
        let message = format!("{what} is there, and cannot be trusted: {why}");
        Self::one(Code::AnchorUntrusted, message, candidate)
    }

    /// The miss where the code that `scope` names may be in the file without being read.
    pub(in crate::patch) fn unread(
        parsed: &Parsed,
        file: &Utf8Path,
        scope: &Scope,
    ) -> Option<Self> {
        if let Some(exceeded) = parsed.exceeded() {
            return Some(Self {
                code: Code::AnchorUntrusted,
                message: format!("{file} is not read as C++: {exceeded}"),
                candidates: Vec::new(),
            });
        }
        let head = untrusted(parsed, scope)?;
        let candidate = Candidate {
            what: describe(scope),
            range: head.range,
        };
        Some(Self::untrusted(candidate, &head.why))
    }
}
