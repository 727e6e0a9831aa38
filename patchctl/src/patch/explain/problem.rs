//! Every kind of problem, and who explains it.

use crate::overlay::Overlay;
use crate::patch::carry::Problem;
use crate::patch::order::OrderProblem;
use crate::patch::prove::Base;
use crate::patch::select::HunkProblem;
use crate::patch::texts::Texts;
use crate::report::{Code, Finding};

use super::hunk::On;

/// Files of the revision beyond those that the overlays name: where a deleted file's code may have gone.
pub trait Elsewhere {
    /// Every path of the revision.
    fn paths(&self) -> Vec<String>;
    /// A file's bytes.
    fn read(&self, path: &str) -> Option<Vec<u8>>;
}

/// The files that an explanation can look at.
pub struct Where<'a> {
    /// The overlay folder, relative to the root: findings name the YAML's file and line.
    pub folder: &'a str,
    /// The revision's files.
    pub texts: &'a Texts,
    /// The nearest revision on which the overlays were accepted.
    pub base: Option<&'a Base>,
    /// The rest of the revision.
    pub elsewhere: Option<&'a dyn Elsewhere>,
}

/// Everything there is to say of one problem.
pub fn findings(problem: &Problem<'_>, around: &Where<'_>) -> Vec<Finding> {
    match problem {
        Problem::Landed(overlay, why) => vec![landed(overlay, why, around)],
        Problem::Order(problem) => vec![order(problem, around)],
        Problem::Hunk(overlay, hunk, problem) => {
            let on = On {
                overlay,
                hunk,
                around,
            };
            match problem {
                HunkProblem::SeveralVariants(variants) => vec![on.several(variants)],
                HunkProblem::Premise(variant, unmet) => unmet
                    .iter()
                    .map(|unmet| on.premise(variant, unmet))
                    .collect(),
                HunkProblem::Unwritable { edit, line, why } => {
                    let mut finding =
                        on.finding(Code::MarkerClash, &format!("edit {}: {why}", edit.id));
                    finding.file = Some(edit.file.to_string());
                    finding.line = Some(*line as u64);
                    vec![finding]
                }
                HunkProblem::NoVariant(tries) => on.none_fits(tries),
            }
        }
    }
}

fn landed(overlay: &Overlay, why: &str, around: &Where<'_>) -> Finding {
    let yaml = format!("{}/{}.yaml", around.folder, overlay.id);
    Finding::new(Code::LandedUpstream, format!("upstream has taken `{}` in: {why}", overlay.id)).file(yaml.clone()).help(format!(
            "the overlay is ready to retire: end `releases:` in {yaml} before this release (`, <X.Y.Z`), or \
             delete the file when no older pin needs it. If this is another change that only looks alike, \
             narrow `landed:`"
        ))
}

fn order(problem: &OrderProblem, around: &Where<'_>) -> Finding {
    match problem {
        OrderProblem::Undeclared {
            one,
            other,
            place: (file, line),
        } => {
            let first = one.split('/').next().unwrap_or_default();
            let second = other.split('/').next().unwrap_or_default();
            Finding::new(Code::OrderNeeded, format!(
                    "{one} and {other} insert at the same place, and no order is declared"
                )).hunk(one.clone()).file(file.clone()).line(*line as u64).help(format!(
                    "add `after: [{first}]` to {}/{second}.yaml, or the other way round",
                    around.folder
                ))
        }
        OrderProblem::Overlap { why } => Finding::new(Code::EditsOverlap, why.clone()).help("put both changes into one edit, or move one of the anchors"),
        OrderProblem::DoNotCommute {
            overlays: (one, other),
            why,
        } => Finding::new(Code::OrderNeeded, format!("`{one}` and `{other}` do not commute: {why}")).help(format!(
                "make the anchor of one so narrow that the other's code cannot match it, or declare the order: \
                 `after: [{one}]` in {}/{other}.yaml",
                around.folder
            )),
    }
}
