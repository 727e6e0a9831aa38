//! Chooses the variant of a hunk that fits a revision, and locates its edits there.

use camino::{Utf8Path, Utf8PathBuf};

use crate::cpp::{Parsed, same_conditions};
use crate::overlay::{Anchor, Condition, Edit, EditText, Hunk, Overlay, Variant};
use crate::report::Code;

use super::condition::{self, Unmet};
use super::locate::{self, Location, Miss};
use super::texts::Texts;

/// An edit with its place on upstream's text; without one where upstream has what it would bring.
#[derive(Debug, Clone)]
pub struct LocatedEdit<'o> {
    /// The overlay it belongs to.
    pub overlay: &'o Overlay,
    /// The hunk.
    pub hunk: &'o Hunk,
    /// The variant that fits.
    pub variant: &'o Variant,
    /// The edit itself.
    pub edit: &'o Edit,
    /// Where it goes; `None` where its `unless` is there already.
    pub location: Option<Location>,
}

/// The result of trying one variant.
#[derive(Debug, Clone)]
pub enum Fit<'o> {
    /// Every `when` and every anchor fits.
    Fits(Vec<LocatedEdit<'o>>),
    /// It is for another form of upstream.
    When(Vec<Unmet<'o>>),
    /// Its form, and anchors of it do not fit.
    Anchors(Vec<(&'o Edit, Miss)>),
    /// Its form, and a file that it edits is not there.
    FileGone(Vec<&'o Edit>),
}

/// A reason why overlays cannot be carried: one or more findings.
#[derive(Debug, Clone)]
pub enum Problem<'o> {
    /// A hunk has no places.
    Hunk(&'o Overlay, &'o Hunk, HunkProblem<'o>),
    /// Upstream has taken the overlay in.
    Landed(&'o Overlay, String),
    /// Two edits, as `overlay/hunk.edit`, go in at one place, and neither overlay says `after` the other.
    Undeclared {
        one: String,
        other: String,
        file: Utf8PathBuf,
        line: usize,
    },
    /// Edits overlap; with the reason.
    Overlap(String),
    /// Two overlays, by id, land elsewhere when they are patched in the other order; with the difference.
    DoNotCommute(String, String, String),
}

/// The reason why a hunk has no places.
#[derive(Debug, Clone)]
pub enum HunkProblem<'o> {
    /// No variant fits; each with the reason.
    NoVariant(Vec<(&'o Variant, Fit<'o>)>),
    /// More than one fits.
    SeveralVariants(Vec<&'o Variant>),
    /// The one that fits has lost its meaning.
    Premise(&'o Variant, Vec<Unmet<'o>>),
    /// The place is there, and whole lines with markers cannot be written there.
    Unwritable {
        /// The edit.
        edit: &'o Edit,
        /// 1-based upstream line.
        line: usize,
        /// The obstacle.
        why: String,
    },
}

/// Chooses the one variant that fits, and locates its edits.
///
/// # Errors
/// [`HunkProblem`] when none or several fit, or when a premise of the one that fits does not hold.
pub fn select<'o>(
    overlay: &'o Overlay,
    hunk: &'o Hunk,
    texts: &Texts,
) -> Result<Vec<LocatedEdit<'o>>, HunkProblem<'o>> {
    let mut tries: Vec<(&Variant, Fit<'o>)> = hunk
        .variants
        .iter()
        .map(|variant| (variant, fit(overlay, hunk, variant, texts)))
        .collect();
    let fitting: Vec<usize> = (0..tries.len())
        .filter(|&index| matches!(tries[index].1, Fit::Fits(_)))
        .collect();
    match fitting.as_slice() {
        [] => Err(HunkProblem::NoVariant(tries)),
        [index] => {
            let (variant, fit) = tries.swap_remove(*index);
            let unmet = unmet(overlay, &variant.expect, texts);
            match fit {
                Fit::Fits(edits) if unmet.is_empty() => Ok(edits),
                _ => Err(HunkProblem::Premise(variant, unmet)),
            }
        }
        several => Err(HunkProblem::SeveralVariants(
            several.iter().map(|&index| tries[index].0).collect(),
        )),
    }
}

/// Where upstream looks as it would if it had taken the overlay in, for a reader; `None` where it does not.
pub fn has_landed(overlay: &Overlay, texts: &Texts) -> Option<String> {
    if overlay.landed.is_empty() || !unmet(overlay, &overlay.landed, texts).is_empty() {
        return None;
    }
    let met = |c: &Condition| condition::met(c, texts.parsed(&c.file, overlay));
    let all: Vec<String> = overlay.landed.iter().map(met).collect();
    Some(format!(
        "what `landed` describes is there: {}",
        all.join("; ")
    ))
}

fn unmet<'o>(overlay: &Overlay, conditions: &'o [Condition], texts: &Texts) -> Vec<Unmet<'o>> {
    let check = |c: &'o Condition| condition::holds(c, texts.parsed(&c.file, overlay)).err();
    conditions.iter().filter_map(check).collect()
}

fn fit<'o>(overlay: &'o Overlay, hunk: &'o Hunk, variant: &'o Variant, texts: &Texts) -> Fit<'o> {
    let unmet = unmet(overlay, &variant.when, texts);
    if !unmet.is_empty() {
        return Fit::When(unmet);
    }
    let (mut located, mut misses, mut gone) = (Vec::new(), Vec::new(), Vec::new());
    for edit in &variant.edits {
        let Some(parsed) = texts.parsed(&edit.file, overlay) else {
            gone.push(edit);
            continue;
        };
        match location(parsed, edit) {
            Ok(location) => located.push(LocatedEdit {
                overlay,
                hunk,
                variant,
                edit,
                location,
            }),
            Err(miss) => misses.push((edit, miss)),
        }
    }
    if !gone.is_empty() {
        Fit::FileGone(gone)
    } else if misses.is_empty() {
        Fit::Fits(located)
    } else {
        Fit::Anchors(misses)
    }
}

/// The location of an edit; `None` where its `unless` is there already.
fn location(parsed: &Parsed, edit: &Edit) -> Result<Option<Location>, Miss> {
    match &edit.unless {
        Some(anchor) if is_there(parsed, &edit.file, anchor)? => Ok(None),
        _ => locate::locate(parsed, &edit.file, &edit.at, &edit.text).map(Some),
    }
}

/// Returns true if the code that `unless` names is there, once or more, under the conditions it expects.
fn is_there(parsed: &Parsed, file: &Utf8Path, anchor: &Anchor) -> Result<bool, Miss> {
    if anchor.statement.is_some() || anchor.expression.is_some() {
        let found = locate::locate(parsed, file, anchor, &EditText::Insert(String::new()));
        return match found {
            Err(miss) if parsed.exceeded().is_some() => Err(miss),
            Err(miss) => Ok(matches!(
                miss.code,
                Code::AnchorAmbiguous | Code::AnchorNotOnOwnLine
            )),
            Ok(_) => Ok(true),
        };
    }
    let found = locate::constructs(parsed, &anchor.scope);
    match Miss::unread(parsed, file, &anchor.scope) {
        Some(miss) if found.is_empty() => Err(miss),
        _ => Ok(found
            .iter()
            .map(|it| it.range.start)
            .filter(|&at| parsed.preprocessor_depth_at(at) == anchor.preprocessor.len())
            .any(|at| same_conditions(&parsed.preprocessor_at(at), &anchor.preprocessor))),
    }
}
