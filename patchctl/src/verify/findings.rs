//! What the check of a revision says to a reader: where edits landed, what stands in the way, and which
//! upstream commit is behind it.

use crate::overlay::{Edit, ONLY_VARIANT};
use crate::patch::{Base, Carried, Landing, Problem, Text, Texts, Where, findings};
use crate::report::{Code, Finding};
use crate::upstream::{Found, TouchingCommit};

use super::first_failing_commit;
use super::revision_files::RevisionFiles;
use super::structure::{Structure, Work};

impl<'a> Structure<'a> {
    /// The upstream commit since `from` that changed what an edit's anchor names.
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
        let overlay = self
            .overlays
            .iter()
            .find(|it| it.id == landing.key.overlay)?;
        let hunk = overlay.hunks.iter().find(|it| it.id == landing.key.hunk)?;
        let to = &subject.revision.commit;
        first_failing_commit::find(&*subject.source, overlay, hunk, from, to, &|carried| {
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
        let elsewhere = RevisionFiles {
            source: &*subject.source,
            revision: &subject.revision,
        };
        let around = Where {
            folder: self.folder,
            texts: &work.texts,
            base,
            elsewhere: Some(&elsewhere),
        };
        let mut out = Vec::new();
        for problem in &work.carried.problems {
            let mut found = findings(problem, &around);
            if let (Problem::Hunk(overlay, hunk, _), Some(from)) = (problem, neighbour)
                && let (Some(first), from) = (found.first_mut(), from.revision.commit.as_str())
                && let Some(commit) = first_failing_commit::find(
                    &*subject.source,
                    overlay,
                    hunk,
                    from,
                    &subject.revision.commit,
                    &|carried| carried.problems.is_empty(),
                )
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

    /// The edit that landed.
    pub(super) fn edit(&self, landing: &Landing) -> Option<&'a Edit> {
        let key = &landing.key;
        let overlay = self.overlays.iter().find(|it| it.id == key.overlay)?;
        let hunk = overlay.hunks.iter().find(|it| it.id == key.hunk)?;
        let variant = hunk.variants.iter().find(|it| it.name == key.variant)?;
        variant.edits.iter().find(|it| it.id == key.edit)
    }

    /// The YAML file and line of the edit that landed.
    pub(super) fn yaml_place(&self, landing: &Landing) -> (String, u64) {
        (
            format!("{}/{}.yaml", self.folder, landing.key.overlay),
            self.edit(landing).map_or(1, |edit| edit.line),
        )
    }
}

/// Says at the top of a finding's help which upstream commit is behind it.
pub(super) fn blame(finding: &mut Finding, commit: &TouchingCommit, what: &str) {
    let said = format!(
        "upstream commit {} ({}) {what}: {}\n",
        commit.commit.get(..12).unwrap_or(&commit.commit),
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

/// Upstream lines that an overlay takes the place of are listed, always.
pub(super) fn replaced_note(
    landing: &Landing,
    texts: &Texts,
    edit: Option<&Edit>,
) -> Option<Finding> {
    let range = landing.replaced()?;
    let parsed = &texts.get(&landing.file)?.parsed;
    let line = parsed.lines().number(range.start);
    Some(
        Finding::new(
            Code::UpstreamLinesReplaced,
            "these upstream lines are replaced (they stay in the file under `#if 0`)",
        )
        .hunk(landing.key.name())
        .file(landing.file.as_str())
        .line(line as u64)
        .help(
            edit.and_then(|edit| edit.why.as_deref())
                .map(|why| format!("why: {why}")),
        )
        .excerpt_from(
            line as u64,
            String::from_utf8_lossy(&parsed.text()[range])
                .trim_end()
                .to_owned(),
        ),
    )
}
