//! Fingerprints of the code that an anchor names: equal shapes are the same code to a reader, whatever
//! the white space and the comments.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::cpp::{Construct, Parsed};

/// A fingerprint, 16 hex digits.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Shape(pub String);

impl Shape {
    /// The shape of a function, class or member as a whole, or of one statement inside it.
    pub(super) fn of_code(
        parsed: &Parsed,
        construct: &Construct,
        statement: Option<(&std::ops::Range<usize>, &[String])>,
    ) -> Self {
        let mut parts = Parts::new(construct.kind.word());
        parts.add(construct.name.as_bytes());
        parts.add_all(construct.signature.iter().map(String::as_bytes));
        let body = construct.body.clone().unwrap_or(construct.range.clone());
        parts.add_all(parsed.tokens_in(&body));
        parts.add_stack(parsed, construct);
        if let Some((range, stack)) = statement {
            // Where in the body: the same statement may stand there twice with `nested`.
            let before = parsed.tokens_in(&(body.start..range.start)).len();
            parts.add(before.to_string().as_bytes());
            parts.add_all(parsed.tokens_in(range));
            parts.add_all(stack.iter().map(String::as_bytes));
        }
        parts.finish()
    }

    /// The shape of an include line.
    pub(super) fn of_include(parsed: &Parsed, construct: &Construct) -> Self {
        let mut parts = Parts::new("include");
        parts.add(construct.name.as_bytes());
        parts.add_stack(parsed, construct);
        parts.finish()
    }

    /// The shape of a namespace's first beginning or last end: its name and conditions, nothing inside it.
    pub(super) fn of_namespace(parsed: &Parsed, construct: &Construct, position: &str) -> Self {
        let mut parts = Parts::new("namespace");
        parts.add(construct.name.as_bytes());
        parts.add(position.as_bytes());
        parts.add_stack(parsed, construct);
        parts.finish()
    }
}

/// Hashes lists of byte strings so that no two lists look alike: each with its length, each list with its.
struct Parts(Sha256);

impl Parts {
    fn new(kind: &str) -> Self {
        let mut parts = Self(Sha256::new());
        parts.add(kind.as_bytes());
        parts
    }

    fn add(&mut self, part: &[u8]) {
        self.0.update((part.len() as u64).to_le_bytes());
        self.0.update(part);
    }

    fn add_all<'a>(&mut self, all: impl IntoIterator<Item = &'a [u8]>) {
        let all: Vec<&[u8]> = all.into_iter().collect();
        self.0.update((all.len() as u64).to_le_bytes());
        all.into_iter().for_each(|part| self.add(part));
    }

    fn add_stack(&mut self, parsed: &Parsed, construct: &Construct) {
        let stack = parsed.preprocessor_at(construct.range.start);
        self.add_all(stack.iter().map(String::as_bytes));
    }

    fn finish(self) -> Shape {
        let mut digits = patchctl_apply::hex(&self.0.finalize());
        digits.truncate(16);
        Shape(digits)
    }
}
