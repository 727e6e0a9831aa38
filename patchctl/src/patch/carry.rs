//! Carrying overlays onto a revision: every hunk of every overlay is looked at, even after a failure;
//! then the edits of each file go in together, from the untouched text.

use crate::overlay::{EditText, Overlay};

use super::landing::{Landing, land};
use super::order;
use super::patched_file::{PatchedFile, write};
use super::select::{HunkProblem, LocatedEdit, Problem, has_landed, select};
use super::texts::Texts;

/// Overlays on a revision.
#[derive(Debug, Clone, Default)]
pub struct Carried<'o> {
    /// Where the edits landed, in the order of overlays, hunks and edits.
    pub landings: Vec<Landing>,
    /// Edits that upstream makes needless here (`unless`), as `overlay/hunk.edit`.
    pub needless: Vec<String>,
    /// The files that change; empty where there are problems.
    pub files: Vec<PatchedFile>,
    /// The obstacles.
    pub problems: Vec<Problem<'o>>,
}

/// Carries `overlays`, in the order in which they are applied, onto the revision whose files are `texts`.
pub fn carry<'o>(overlays: &[&'o Overlay], texts: &Texts) -> Carried<'o> {
    let mut carried = Carried::default();
    let mut located: Vec<LocatedEdit<'o>> = Vec::new();
    for overlay in overlays.iter().copied() {
        if let Some(why) = has_landed(overlay, texts) {
            carried.problems.push(Problem::Landed(overlay, why));
            continue;
        }
        for hunk in &overlay.hunks {
            match select(overlay, hunk, texts) {
                Ok(edits) => located.extend(edits),
                Err(problem) => carried.problems.push(Problem::Hunk(overlay, hunk, problem)),
            }
        }
    }
    for edit in &located {
        if let Some(why) = already_there(edit, texts) {
            carried.problems.push(Problem::Landed(edit.overlay, why));
        }
        let (Some(location), Some(text)) = (&edit.location, texts.get(&edit.edit.file)) else {
            carried.needless.push(edit.key().name());
            continue;
        };
        match land(edit, location, text.parsed.text()) {
            Ok(landing) => carried.landings.push(landing),
            Err(error) => {
                let problem = HunkProblem::Unwritable {
                    edit: edit.edit,
                    line: location.line,
                    why: error.to_string(),
                };
                let problem = Problem::Hunk(edit.overlay, edit.hunk, problem);
                carried.problems.push(problem);
            }
        }
    }
    let undeclared = order::undeclared(overlays, &carried.landings);
    carried.problems.extend(undeclared);
    if overlays.len() > 1 && carried.problems.is_empty() {
        carried.problems = order::commute(overlays, &located, &carried.landings, texts);
    }
    if carried.problems.is_empty() {
        match write(&carried.landings, texts) {
            Ok(files) => carried.files = files,
            Err(why) => carried.problems.push(Problem::Overlap(why)),
        }
    }
    carried
}

/// The place at which upstream already holds the code that an edit would insert, for a reader.
fn already_there(edit: &LocatedEdit<'_>, texts: &Texts) -> Option<String> {
    /// Fewer tokens than this (a brace, a `return`) may stand anywhere by chance.
    const ENOUGH: usize = 12;
    edit.location.as_ref()?;
    let EditText::Insert(text) = &edit.edit.text else {
        return None;
    };
    let tokens = crate::cpp::pattern(text).ok()?;
    let parsed = texts.parsed(&edit.edit.file, edit.overlay)?;
    if tokens.len() < ENOUGH {
        return None;
    }
    let hits = parsed.find_tokens(&(0..parsed.text().len()), &tokens);
    let line = parsed.lines().number(hits.first()?.start);
    let file = &edit.edit.file;
    Some(format!(
        "the code of {} stands in {file}:{line} already",
        edit.key().name()
    ))
}
