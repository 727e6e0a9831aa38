//! Edits that touch each other: two overlays at one place need a declared order, and edits inside lines
//! that another replaces cannot be.

use patchctl_apply::Splice;

use crate::overlay::Overlay;

use super::carry::Problem;
use super::landing::Landing;

/// Finds overlays that insert at one place without an order between them.
pub fn undeclared<'o>(overlays: &[&Overlay], landings: &[Landing]) -> Vec<Problem<'o>> {
    let mut problems = Vec::new();
    for (index, one) in landings.iter().enumerate() {
        for other in &landings[index + 1..] {
            let is_there = |a: &Splice| other.splices().iter().any(|b| a.offset == b.offset);
            let touch = one.key.overlay != other.key.overlay
                && one.file == other.file
                && one.splices().iter().any(is_there);
            if touch && !is_declared(overlays, &one.key.overlay, &other.key.overlay) {
                problems.push(Problem::Undeclared {
                    one: one.key.name(),
                    other: other.key.name(),
                    file: one.file.clone(),
                    line: other.line,
                });
            }
        }
    }
    problems
}

/// Returns true if one of two overlays says that it comes after the other.
pub(super) fn is_declared(overlays: &[&Overlay], a: &str, b: &str) -> bool {
    comes_after(overlays, a, b) || comes_after(overlays, b, a)
}

/// Returns true if overlay `a` says, itself or through others, that it comes after `b`.
fn comes_after(overlays: &[&Overlay], a: &str, b: &str) -> bool {
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
