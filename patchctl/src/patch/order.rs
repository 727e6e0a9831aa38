//! Edits that touch each other: two overlays at one place need a declared order, and edits inside lines
//! that another replaces cannot be.

use crate::overlay::Overlay;

use super::landing::Landing;

/// The reason why edits cannot go in together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OrderProblem {
    /// Two overlays insert at one place, and neither says `after` the other.
    Undeclared {
        /// `overlay/hunk.edit` of one.
        one: String,
        /// And of the other.
        other: String,
        /// File and 1-based line.
        place: (String, usize),
    },
    /// One edit lies inside lines that another replaces.
    Overlap {
        /// Which, for a reader.
        why: String,
    },
    /// Patched in the other order, the same two overlays land elsewhere.
    DoNotCommute {
        /// The overlays' ids.
        overlays: (String, String),
        /// The difference.
        why: String,
    },
}

/// Finds overlays that insert at one place without an order between them.
pub fn check(overlays: &[&Overlay], landings: &[Landing]) -> Vec<OrderProblem> {
    let mut problems = Vec::new();
    for (index, one) in landings.iter().enumerate() {
        for other in &landings[index + 1..] {
            let touch = one.key.overlay != other.key.overlay
                && one.file == other.file
                && one
                    .splices()
                    .iter()
                    .any(|a| other.splices().iter().any(|b| a.offset == b.offset));
            let (a, b) = (one.key.overlay.as_str(), other.key.overlay.as_str());
            if touch && !comes_after(overlays, a, b) && !comes_after(overlays, b, a) {
                problems.push(OrderProblem::Undeclared {
                    one: one.key.name(),
                    other: other.key.name(),
                    place: (one.file.to_string(), other.line),
                });
            }
        }
    }
    problems
}

/// Returns true if overlay `a` says, itself or through others, that it comes after `b`.
pub(super) fn comes_after(overlays: &[&Overlay], a: &str, b: &str) -> bool {
    let mut seen = vec![a];
    let mut next = 0;
    while let Some(&id) = seen.get(next) {
        let of_this = overlays.iter().filter(|overlay| overlay.id == id);
        for name in of_this.flat_map(|overlay| &overlay.after) {
            if name == b {
                return true;
            }
            if !seen.contains(&name.as_str()) {
                seen.push(name);
            }
        }
        next += 1;
    }
    false
}
