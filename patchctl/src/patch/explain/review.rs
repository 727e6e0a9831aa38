//! Findings for landings that are not accepted: both places, and how to accept.

use crate::cpp::Parsed;
use crate::patch::landing::Landing;
use crate::patch::prove::Verdict;
use crate::report::{Code, Finding};

use super::show::{lines_from, numbered};

/// The finding for a verdict that is not accepted.
pub fn review_finding(
    verdict: &Verdict,
    landing: &Landing,
    text: &Parsed,
    (file, line): (String, u64),
) -> Option<Finding> {
    let address = landing.key.hunk_name();
    let at = landing
        .splices()
        .first()
        .map_or(0, |splice| splice.offset as usize);
    let insert_line = text.lines().number(at);
    let (code, message, more) = match verdict {
        Verdict::Reviewed | Verdict::Locked | Verdict::Merged(_) => return None,
        Verdict::UnknownShape { why } => (
            Code::NeedsReviewShape,
            format!(
                "edit {} would go in at line {insert_line}, in {}, whose code nobody has reviewed ({why})",
                landing.key.edit, landing.scope
            ),
            String::new(),
        ),
        Verdict::Disagree { base, elsewhere } => (
            Code::LocatorsDisagree,
            format!(
                "the anchor puts edit {} at line {insert_line}, in {}; a three-way merge from {base} puts it at \
                 line {}",
                landing.key.edit,
                landing.scope,
                text.lines().number(*elsewhere)
            ),
            format!("the merge's place is:\n{}\n", numbered(text, *elsewhere, 6)),
        ),
    };
    let help = format!(
        "{more}look at the code. If the edit is right there, run the command again with \
         `--reviewed {address}`; if not, change its anchor in {file}:{line}"
    );
    let start = text.lines().number(at).saturating_sub(4).max(1);
    Some(
        Finding::new(code, message)
            .hunk(address)
            .file(landing.file.as_str())
            .line(insert_line as u64)
            .help(help)
            .excerpt_from(start as u64, lines_from(text, start, 9)),
    )
}
