//! The offset at which whole lines go in, or the lines that are replaced.

use std::ops::Range;

use crate::cpp::{ConstructKind, Parsed};
use crate::overlay::Position;

use super::miss::{Candidate, Miss};
use super::target::Target;

/// The byte offset at which whole lines go in.
pub(super) fn insertion_point(
    parsed: &Parsed,
    target: &Target<'_>,
    position: Position,
) -> Result<usize, Miss> {
    let lines = parsed.lines();
    let own_line = |ok: bool, why: &str| match ok {
        true => Ok(()),
        false => Err(Miss::NotOnOwnLine {
            candidate: Candidate::new(parsed, &target.range, target.what.clone()),
            why: why.to_owned(),
        }),
    };
    let body = target
        .construct
        .body
        .clone()
        .unwrap_or(target.range.clone());
    match position {
        Position::Before => {
            own_line(
                parsed.is_first_on_line(target.range.start),
                "other code stands before it on its line",
            )?;
            match target.construct.kind {
                ConstructKind::Include => Ok(lines.start_of(target.range.start)),
                _ => Ok(parsed.with_comment_above(target.range.start)),
            }
        }
        Position::After => {
            own_line(
                parsed.is_last_on_line(target.range.end),
                "other code follows it on its line",
            )?;
            Ok(lines.next_start(target.range.end - 1))
        }
        Position::Begin => {
            let open = body.start;
            own_line(
                parsed.is_last_on_line(open + 1),
                "other code follows its opening brace",
            )?;
            Ok(lines.next_start(open))
        }
        Position::End => {
            let close = body.end - 1;
            own_line(
                parsed.is_first_on_line(close),
                "other code stands before its closing brace",
            )?;
            Ok(lines.start_of(close))
        }
    }
}

/// The whole lines of a statement that is to be replaced.
pub(super) fn whole_lines(parsed: &Parsed, target: &Target<'_>) -> Result<Range<usize>, Miss> {
    let refuse = |why: &str| {
        let candidate = Candidate::new(parsed, &target.range, target.what.clone());
        Err(Miss::NotReplaceable {
            candidate,
            why: why.to_owned(),
        })
    };
    if !target.is_statement {
        return refuse("only whole statements can be replaced");
    }
    if !parsed.is_first_on_line(target.range.start) || !parsed.is_last_on_line(target.range.end) {
        return refuse("its lines hold other code too");
    }
    let lines = parsed.lines();
    let range = lines.start_of(target.range.start)..lines.next_start(target.range.end - 1);
    if parsed.has_directive_or_raw_string(&range) {
        return refuse("a directive or a raw string in it would not survive under `#if 0`");
    }
    if !parsed.text()[range.clone()].ends_with(b"\n") {
        return refuse("it ends the file without a line feed");
    }
    Ok(range)
}
