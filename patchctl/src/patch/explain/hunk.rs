//! A hunk that has no places: which variant came nearest, and where its function may have gone.

use std::fmt::Write;

use camino::Utf8Path;

use crate::cpp::Parsed;
use crate::overlay::{Edit, Hunk, Overlay, Scope, Variant};
use crate::patch::likeness::{Likely, likely};
use crate::patch::select::Fit;
use crate::patch::suggest;
use crate::report::{Code, Finding};

use super::problem::Where;
use super::show::said;

/// A hunk of an overlay, on a revision.
pub(super) struct On<'a> {
    pub(super) overlay: &'a Overlay,
    pub(super) hunk: &'a Hunk,
    pub(super) around: &'a Where<'a>,
}

impl On<'_> {
    pub(super) fn yaml(&self, line: u64) -> String {
        format!("{}/{}.yaml:{line}", self.around.folder, self.overlay.id)
    }

    pub(super) fn finding(&self, code: Code, message: &str) -> Finding {
        Finding::new(code, message.to_owned()).hunk(format!("{}/{}", self.overlay.id, self.hunk.id))
    }

    pub(super) fn several(&self, variants: &[&Variant]) -> Finding {
        let names: Vec<String> = variants.iter().map(|v| format!("`{}`", v.name)).collect();
        let mut finding = self.finding(
            Code::SeveralVariants,
            &format!("variants {} all fit; exactly one must", names.join(" and ")),
        );
        let lines: Vec<String> = variants.iter().map(|v| self.yaml(v.line)).collect();
        finding.help = Some(format!(
            "add to `when:` of each what tells it from the others ({})",
            lines.join(", ")
        ));
        finding
    }

    pub(super) fn none_fits(&self, tries: &[(&Variant, Fit<'_>)]) -> Vec<Finding> {
        let mut findings = Vec::new();
        for (variant, fit) in tries {
            match fit {
                Fit::Anchors(misses) => {
                    findings.extend(
                        misses
                            .iter()
                            .map(|(edit, miss)| self.miss(variant, edit, miss)),
                    );
                }
                Fit::FileGone(edits) => {
                    findings.extend(edits.first().map(|edit| self.gone(variant, edit)))
                }
                Fit::When(_) | Fit::Fits(_) => {}
            }
        }
        if !findings.is_empty() {
            return findings;
        }
        let gone = tries.iter().find_map(|(variant, _)| {
            let edit = variant
                .edits
                .iter()
                .find(|edit| self.around.texts.get(&edit.file).is_none())?;
            Some(self.gone(variant, edit))
        });
        vec![gone.unwrap_or_else(|| self.no_variant(tries))]
    }

    pub(super) fn no_variant(&self, tries: &[(&Variant, Fit<'_>)]) -> Finding {
        let mut message = format!("no variant of `{}` fits this revision", self.hunk.id);
        for (variant, fit) in tries {
            if let Fit::When(unmet) = fit {
                let why: Vec<String> = unmet.iter().map(said).collect();
                let _ = write!(
                    message,
                    "; `{}` expects {}",
                    variant.name,
                    why.join(", and ")
                );
            }
        }
        let mut finding = self.finding(Code::NoVariant, &message);
        // The likeliest lost function over all variants.
        let mut best: Option<(Likely, &Variant, String, &Parsed, &Utf8Path)> = None;
        for (variant, _) in tries {
            for (wanted, edit) in functions_of(variant) {
                let Some(parsed) = self.around.texts.parsed(&edit.file) else {
                    continue;
                };
                let found = likely(parsed, &wanted, Some(variant), self.before(&edit.file));
                if let Some(found) = found.into_iter().next()
                    && best
                        .as_ref()
                        .is_none_or(|(old, ..)| old.score < found.score)
                {
                    best = Some((found, variant, wanted, parsed, &edit.file));
                }
            }
        }
        match best {
            Some((found, variant, wanted, parsed, file)) => {
                self.show(&mut finding, file, parsed, &found.range);
                finding.help = Some(self.renamed_help(variant, &wanted, &found, file));
            }
            None => {
                finding.help = Some(self.add_by_hand(tries.last().map(|(variant, _)| *variant)));
            }
        }
        finding
    }

    pub(super) fn gone(&self, variant: &Variant, edit: &Edit) -> Finding {
        let message = format!("{} is not in this revision", edit.file);
        let mut finding = self.finding(Code::FileGone, &message);
        finding.file = Some(edit.file.to_string());
        let home = self
            .lost_with(variant, edit)
            .into_iter()
            .find_map(|(wanted, of)| {
                self.new_home(&wanted, of, edit)
                    .map(|(path, parsed, found)| (wanted, path, parsed, found))
            });
        finding.help = Some(match home {
            Some((wanted, path, parsed, found)) => {
                self.show(&mut finding, Utf8Path::new(&path), &parsed, &found.range);
                let mut new = suggest::renamed(variant, &wanted, &suggest::short_name(&found.name));
                new.edits
                    .iter_mut()
                    .for_each(|edit| edit.file = path.clone().into());
                let conditions = new.when.iter_mut().chain(&mut new.expect);
                conditions.for_each(|condition| condition.file = path.clone().into());
                let yaml = suggest::variant_yaml(
                    &new,
                    &self.new_name(&variant.name),
                    Some(edit.file.as_str()),
                );
                format!(
                    "the likeliest new home of `{wanted}` is `{}` in {path}:{} ({}). If the hunk belongs there, \
                     set `file: {path}` in {}, or add a variant for the new file:\n{yaml}",
                    found.display,
                    found.line,
                    found.why,
                    self.yaml(self.hunk.line)
                )
            }
            None => format!(
                "find where upstream does this work now and change `file:` in {}, or end the overlay's \
                 `releases:` before this release",
                self.yaml(self.hunk.line)
            ),
        });
        finding
    }

    /// The functions that went with a file: the variant's own, else those of the overlay's other hunks.
    fn lost_with<'v>(&'v self, variant: &'v Variant, edit: &Edit) -> Vec<(String, &'v Variant)> {
        let own: Vec<_> = functions_of(variant)
            .into_iter()
            .map(|(name, _)| (name, variant))
            .collect();
        if !own.is_empty() {
            return own;
        }
        let variants = self.overlay.hunks.iter().flat_map(|hunk| &hunk.variants);
        let named =
            variants.flat_map(|other| functions_of(other).into_iter().map(move |one| (one, other)));
        let here = named.filter(|((_, of), _)| of.file == edit.file);
        here.map(|((name, _), other)| (name, other)).collect()
    }

    /// The file of the revision that holds what is likest to the lost function.
    pub(super) fn new_home(
        &self,
        wanted: &str,
        variant: &Variant,
        edit: &Edit,
    ) -> Option<(String, Parsed, Likely)> {
        let elsewhere = self.around.elsewhere?;
        let last = wanted.rsplit("::").next().unwrap_or(wanted);
        let is_code = |path: &String| {
            matches!(
                Utf8Path::new(path).extension(),
                Some("cpp" | "cc" | "cxx" | "h" | "hpp" | "mm")
            )
        };
        let mut best: Option<(String, Parsed, Likely)> = None;
        for path in elsewhere.paths().into_iter().filter(is_code) {
            let Some(bytes) = elsewhere.read(&path) else {
                continue;
            };
            if memchr::memmem::find(&bytes, last.as_bytes()).is_none() {
                continue;
            }
            let parsed = Parsed::new(&bytes, &self.overlay.macros);
            let found = likely(&parsed, wanted, Some(variant), self.before(&edit.file));
            if let Some(found) = found.into_iter().next()
                && best
                    .as_ref()
                    .is_none_or(|(.., old)| old.score < found.score)
            {
                best = Some((path, parsed, found));
            }
        }
        best
    }
}

/// The functions that a variant's anchors name, each with an edit.
pub(super) fn functions_of(variant: &Variant) -> Vec<(String, &Edit)> {
    let mut out: Vec<(String, &Edit)> = Vec::new();
    for edit in &variant.edits {
        if let Scope::Function { name, .. } = &edit.at.scope
            && !out.iter().any(|(known, _)| known == name)
        {
            out.push((name.clone(), edit));
        }
    }
    out
}
