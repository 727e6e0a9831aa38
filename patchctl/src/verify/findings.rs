//! The findings about a revision: where edits landed, what stands in the way, and the upstream commit behind it, which is
//! the first one between the last accepted revision and the new one on which the hunk no longer lands as it did.

use std::slice::from_ref;
use std::sync::Arc;

use camino::Utf8Path;

use crate::cpp::Parsed;
use crate::overlay::{Edit, Hunk, ONLY_VARIANT, Overlay};
use crate::patch::{Base, Carried, Landing, Problem, Text, Texts, Where, carry, findings, paths};
use crate::report::{Code, Finding, short};
use crate::upstream::{Found, TouchingCommit};

use super::structure::{Structure, Work};

/// Commits looked at, at the most: about four milliseconds each.
const MOST_COMMITS: usize = 500;
/// Files looked at, at the most: a bound for trees that are much larger than MLX's (1,500 files).
const MOST_FILES: usize = 4000;

/// Finds the C++ files of a revision that hold `word`, each with its bytes. A file that cannot be read is left out.
fn with_word(found: &Found, word: &str) -> Vec<(String, Vec<u8>)> {
    let is_code = |path: &String| {
        let extension = Utf8Path::new(path).extension();
        matches!(extension, Some("cpp" | "cc" | "cxx" | "h" | "hpp" | "mm"))
    };
    let paths = found.source.paths(&found.revision).unwrap_or_default();
    let code = paths.into_iter().take(MOST_FILES).filter(is_code);
    code.filter_map(|path| {
        let blob = found.source.read(&found.revision, path.as_str().into());
        let bytes = blob.ok()??.bytes;
        let holds = memchr::memmem::find(&bytes, word.as_bytes()).is_some();
        holds.then_some((path, bytes))
    })
    .collect()
}

impl<'a> Structure<'a> {
    /// Finds the upstream commit since `from` that changed what an edit's anchor names.
    pub(super) fn reshaped(
        &self,
        landing: &Landing,
        from: &str,
        before: &Carried<'_>,
        subject: &Found,
    ) -> Option<TouchingCommit> {
        let old = before.landings.iter().find(|it| it.key == landing.key)?;
        if old.shape == landing.shape {
            return None;
        }
        let (overlay, hunk) = self.hunk(landing)?;
        first_failing_commit(subject, overlay, hunk, from, &|carried| {
            let now = carried.landings.iter().find(|it| it.key == landing.key);
            now.is_some_and(|now| now.shape == old.shape)
        })
    }

    pub(super) fn explain(
        &self,
        subject: &Found,
        work: &Work<'a>,
        neighbour: Option<&Found>,
        base: Option<&Base>,
    ) -> Vec<Finding> {
        let elsewhere = |word: &str| with_word(subject, word);
        let around = Where {
            folder: self.folder,
            texts: &work.texts,
            base,
            elsewhere: Some(&elsewhere),
        };
        let lands = |carried: &Carried<'_>| carried.problems.is_empty();
        let mut out = Vec::new();
        for problem in &work.carried.problems {
            let mut found = findings(problem, &around);
            if let (Problem::Hunk(overlay, hunk, _), Some(from)) = (problem, neighbour)
                && let Some(first) = found.first_mut()
                && let Some(commit) =
                    first_failing_commit(subject, overlay, hunk, &from.revision.commit, &lands)
            {
                blame(
                    first,
                    &commit,
                    "is the first on which this hunk does not land",
                );
            }
            out.extend(found);
        }
        out
    }

    fn hunk(&self, landing: &Landing) -> Option<(&'a Overlay, &'a Hunk)> {
        let key = &landing.key;
        let overlay = self.overlays.iter().find(|it| it.id == key.overlay)?;
        let hunk = overlay.hunks.iter().find(|it| it.id == key.hunk)?;
        Some((overlay, hunk))
    }

    /// Returns the edit that landed.
    pub(super) fn edit(&self, landing: &Landing) -> Option<&'a Edit> {
        let (key, (_, hunk)) = (&landing.key, self.hunk(landing)?);
        let variant = hunk.variants.iter().find(|it| it.name == key.variant)?;
        variant.edits.iter().find(|it| it.id == key.edit)
    }

    /// Returns the YAML file and line of the edit that landed.
    pub(super) fn yaml_place(&self, landing: &Landing) -> (String, u64) {
        (
            format!("{}/{}.yaml", self.folder, landing.key.overlay),
            self.edit(landing).map_or(1, |edit| edit.line),
        )
    }
}

/// Finds the first commit between `from` and the subject on which `as_before` does not hold of the hunk, carried alone.
/// `None` where there is no history between the two, or no one commit did it.
fn first_failing_commit(
    subject: &Found,
    overlay: &Overlay,
    hunk: &Hunk,
    from: &str,
    as_before: &dyn Fn(&Carried<'_>) -> bool,
) -> Option<TouchingCommit> {
    let (source, to) = (&subject.source, &subject.revision.commit);
    let history = source.history()?;
    let alone = Overlay {
        hunks: vec![hunk.clone()],
        landed: Vec::new(),
        ..overlay.clone()
    };
    let paths = paths(from_ref(&alone));
    let lands = |commit: &TouchingCommit| {
        let Ok(at) = history.at(&commit.commit) else {
            return true;
        };
        let mut texts = Texts::default();
        for path in &paths {
            if let Ok(Some(blob)) = source.read(&at, path) {
                let parsed = Arc::new(Parsed::new(&blob.bytes, &alone.reading(path)));
                texts.insert(path.clone(), blob.id, parsed);
            }
        }
        as_before(&carry(&[&alone], &texts))
    };
    let mut commits: Vec<TouchingCommit> = Vec::new();
    for path in &paths {
        commits.extend(history.touching(from, to, path).ok()?);
    }
    if commits.len() > MOST_COMMITS {
        return None;
    }
    commits.into_iter().find(|commit| !lands(commit))
}

/// Says at the top of a finding's help which upstream commit is behind it.
pub(super) fn blame(finding: &mut Finding, commit: &TouchingCommit, what: &str) {
    let said = format!(
        "upstream commit {} ({}) {what}: {}\n",
        short(&commit.commit),
        commit.described,
        commit.subject
    );
    finding.help = Some(said + finding.help.as_deref().unwrap_or_default());
}

pub(super) fn landed_line(landing: &Landing, text: &Text) -> String {
    let at = landing
        .splices()
        .first()
        .map_or(0, |splice| splice.offset as usize);
    // A hunk with one form has no name for it.
    let variant = match &*landing.key.variant {
        ONLY_VARIANT => String::new(),
        name => format!(" ({name})"),
    };
    format!(
        "{}: {}, line {}{variant}",
        landing.key.name(),
        landing.scope,
        text.parsed.lines().number(at),
    )
}

/// Lists upstream lines that an overlay takes the place of.
pub(super) fn replaced_note(
    landing: &Landing,
    texts: &Texts,
    edit: Option<&Edit>,
) -> Option<Finding> {
    let range = landing.replaced()?;
    let parsed = &texts.get(&landing.file)?.parsed;
    let line = parsed.lines().number(range.start);
    let text = String::from_utf8_lossy(&parsed.text()[range]);
    let why = edit.and_then(|edit| edit.why.as_deref());
    let message = "these upstream lines are replaced (they stay in the file under `#if 0`)";
    Some(
        Finding::new(Code::UpstreamLinesReplaced, message)
            .hunk(landing.key.name())
            .file(landing.file.as_str())
            .line(line as u64)
            .help(why.map(|why| format!("why: {why}")))
            .excerpt_from(line as u64, text.trim_end()),
    )
}
