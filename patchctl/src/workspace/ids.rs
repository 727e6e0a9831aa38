//! Commit ids and digests in the repository's files.

use std::ops::RangeInclusive;

use crate::report::Code;
use crate::yaml::{Cursor, NO_HELP};

/// Returns true if `text` is made of lower-case hex digits, `digits` of them.
pub(super) fn is_hex(text: &str, digits: RangeInclusive<usize>) -> bool {
    let is_digit = |byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    digits.contains(&text.len()) && text.bytes().all(is_digit)
}

/// Checks that `text` is a whole commit id.
pub(super) fn check_commit(text: &str, at: Cursor<'_>) {
    if !is_hex(text, 40..=40) {
        let message = format!("`{text}` is no commit id: expected 40 hex digits in lower case");
        at.fault(Code::PinsBadId, message, NO_HELP);
    }
}

/// Checks that `text` is made of hex digits, `digits` of them. `what` is what it should be.
pub(super) fn check_digest(what: &str, text: &str, digits: RangeInclusive<usize>, at: Cursor<'_>) {
    if !is_hex(text, digits) {
        let message = format!("`{text}` is no {what}: expected hex digits in lower case");
        at.fault(Code::PinsBadId, message, NO_HELP);
    }
}
