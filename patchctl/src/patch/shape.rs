//! Fingerprints of the code that an anchor names: equal shapes are the same code to a reader, whatever
//! the white space and the comments.

use std::ops::Range;

use sha2::{Digest, Sha256};

use crate::cpp::{Construct, ConstructKind, Parsed};

/// The shape of a construct, or of one statement in it with its `#if` conditions, as 16 hex digits: its name, signature,
/// tokens and conditions. An include has nothing inside. Of a namespace the first beginning or the last end counts,
/// and nothing inside.
pub(super) fn shape(
    parsed: &Parsed,
    construct: &Construct,
    is_last: bool,
    statement: Option<(&Range<usize>, &[String])>,
) -> String {
    let mut parts = Parts(Sha256::new());
    parts.add(construct.kind.word().as_bytes());
    parts.add(construct.name.as_bytes());
    let body = construct.body.clone().unwrap_or(construct.range.clone());
    match construct.kind {
        ConstructKind::Include => {}
        ConstructKind::Namespace => parts.add(if is_last { b"last" } else { b"first" }),
        ConstructKind::Line => {
            let outline = parsed.outline(construct);
            parts.add_all(outline.iter().map(|line| line.as_bytes()));
        }
        _ => {
            parts.add_all(construct.signature.iter().map(String::as_bytes));
            parts.add_all(parsed.tokens_in(&body));
        }
    }
    let stack = parsed.preprocessor_at(construct.range.start);
    parts.add_all(stack.iter().map(String::as_bytes));
    if let Some((range, stack)) = statement {
        // Where in the body: the same statement may stand there twice with `nested`.
        let before = parsed.tokens_within(&(body.start..range.start)).len();
        parts.add(before.to_string().as_bytes());
        parts.add_all(parsed.tokens_in(range));
        parts.add_all(stack.iter().map(String::as_bytes));
    }
    let mut digits = patchctl_apply::hex(&parts.0.finalize());
    digits.truncate(16);
    digits
}

/// Hashes lists of byte strings so that no two lists look alike: each with its length, each list with its.
struct Parts(Sha256);

impl Parts {
    fn add(&mut self, part: &[u8]) {
        self.0.update((part.len() as u64).to_le_bytes());
        self.0.update(part);
    }

    fn add_all<'a>(&mut self, all: impl IntoIterator<Item = &'a [u8]>) {
        let all: Vec<&[u8]> = all.into_iter().collect();
        self.0.update((all.len() as u64).to_le_bytes());
        all.into_iter().for_each(|part| self.add(part));
    }
}
