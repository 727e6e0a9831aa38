//! From a problem to findings: what is, what was expected, the code, the likeliest places, and the YAML to
//! add. A reader should be able to mend the overlay from this alone.

mod hunk;
mod mend;
mod miss;
mod review;
mod show;

use super::prove::Base;
use super::select::{HunkProblem, Problem};
use super::texts::Texts;
use crate::report::{Code, Finding};

use hunk::On;

pub use review::review_finding;

/// Gives the C++ files of a revision that hold a word, each with its bytes.
pub type Elsewhere<'a> = dyn Fn(&str) -> Vec<(String, Vec<u8>)> + 'a;

/// The files that an explanation can look at.
pub struct Where<'a> {
    /// The overlay folder, relative to the root: findings name the YAML's file and line.
    pub folder: &'a str,
    /// The revision's files.
    pub texts: &'a Texts,
    /// The nearest revision on which the overlays were accepted.
    pub base: Option<&'a Base>,
    /// The rest of the revision, where a deleted file's code may have gone.
    pub elsewhere: Option<&'a Elsewhere<'a>>,
}

/// Everything there is to say of one problem.
pub fn findings(problem: &Problem<'_>, around: &Where<'_>) -> Vec<Finding> {
    let folder = around.folder;
    let finding = match problem {
        Problem::Landed(overlay, why) => {
            let yaml = format!("{folder}/{}.yaml", overlay.id);
            let message = format!("upstream has taken `{}` in: {why}", overlay.id);
            let help = format!(
                "the overlay is ready to retire: `patchctl retire {} --since RELEASE` ends it before this release, and \
                 removes it when no older pin needs it. If this is another change that only looks alike, narrow \
                 `landed:`",
                overlay.id
            );
            Finding::new(Code::LandedUpstream, message)
                .file(yaml)
                .help(help)
        }
        Problem::Undeclared {
            one,
            other,
            file,
            line,
        } => {
            let overlay = |name: &str| name.split('/').next().unwrap_or_default().to_owned();
            let message =
                format!("{one} and {other} insert at the same place, and no order is declared");
            Finding::new(Code::OrderNeeded, message)
                .hunk(one.clone())
                .file(file.as_path())
                .line(*line as u64)
                .help(format!(
                    "add `after: [{}]` to {folder}/{}.yaml, or the other way round",
                    overlay(one),
                    overlay(other)
                ))
        }
        Problem::Overlap(why) => Finding::new(Code::EditsOverlap, why.clone())
            .help("put both changes into one edit, or move one of the anchors"),
        Problem::DoNotCommute(one, other, why) => {
            let message = format!("`{one}` and `{other}` do not commute: {why}");
            Finding::new(Code::OrderNeeded, message).help(format!(
                "make the anchor of one so narrow that the other's code cannot match it, or declare the order: \
                 `after: [{one}]` in {folder}/{other}.yaml"
            ))
        }
        Problem::Hunk(overlay, hunk, problem) => {
            let on = On {
                overlay,
                hunk,
                around,
            };
            match problem {
                HunkProblem::SeveralVariants(variants) => on.several(variants),
                HunkProblem::Premise(variant, unmet) => {
                    return unmet.iter().map(|it| on.premise(variant, it)).collect();
                }
                HunkProblem::Unwritable { edit, line, why } => on
                    .finding(Code::MarkerClash, format!("edit {}: {why}", edit.id))
                    .file(edit.file.as_path())
                    .line(*line as u64),
                HunkProblem::NoVariant(tries) => return on.none_fits(tries),
            }
        }
    };
    vec![finding]
}
