//! A hunk that has no places: the variant that came nearest, and where its function may have gone.

use std::fmt::Write;

use camino::Utf8Path;

use crate::cpp::Parsed;
use crate::overlay::{Edit, Holds, Hunk, Overlay, Scope, Variant};
use crate::patch::condition::Unmet;
use crate::patch::likeness::{Likely, likeliest};
use crate::patch::select::Fit;
use crate::patch::suggest;
use crate::report::{Code, Finding};

use super::Where;
use super::show::{likest_tokens, show, statements};

/// A hunk of an overlay, on a revision.
pub(super) struct On<'a> {
    pub(super) overlay: &'a Overlay,
    pub(super) hunk: &'a Hunk,
    pub(super) around: &'a Where<'a>,
}

impl<'a> On<'a> {
    /// A line of the overlay's YAML file.
    pub(super) fn yaml(&self, line: u64) -> String {
        format!("{}/{}.yaml:{line}", self.around.folder, self.overlay.id)
    }

    pub(super) fn finding(&self, code: Code, message: String) -> Finding {
        Finding::new(code, message).hunk(format!("{}/{}", self.overlay.id, self.hunk.id))
    }

    /// The function of `parsed` that is likest to the lost `wanted` of `file`.
    pub(super) fn likeliest(
        &self,
        parsed: &Parsed,
        wanted: &str,
        variant: &Variant,
        file: &Utf8Path,
    ) -> Option<Likely> {
        let before = self
            .around
            .base
            .and_then(|base| base.texts.parsed(file, self.overlay));
        likeliest(parsed, wanted, variant, before)
    }

    pub(super) fn several(&self, variants: &[&Variant]) -> Finding {
        let names: Vec<String> = variants.iter().map(|v| format!("`{}`", v.name)).collect();
        let lines: Vec<String> = variants.iter().map(|v| self.yaml(v.line)).collect();
        let message = format!("variants {} all fit; exactly one must", names.join(" and "));
        self.finding(Code::SeveralVariants, message).help(format!(
            "add to `when:` of each what tells it from the others ({})",
            lines.join(", ")
        ))
    }

    /// A premise that no longer holds: the code as it is now, and how to split the variant.
    pub(super) fn premise(&self, variant: &Variant, unmet: &Unmet<'_>) -> Finding {
        let condition = unmet.condition;
        let message = format!(
            "the hunk has lost its meaning here: variant `{}` relies on {}",
            variant.name,
            unmet.describe()
        );
        let mut finding = self.finding(Code::PremiseFailed, message);
        let mut help = format!(
            "the premise stands in {}. Read the code: does the hunk still do its work there? If so, split the \
             variant: the present one keeps the old premise as a `when:`, a new one takes the new code",
            self.yaml(condition.line)
        );
        if let Some(scope) = &unmet.scope
            && let Some(parsed) = self.around.texts.parsed(&condition.file, self.overlay)
        {
            finding = show(finding, &condition.file, parsed, scope);
            let likest = match &condition.holds {
                Holds::Tokens(wanted) => {
                    likest_tokens(parsed, &statements(parsed, scope, true), wanted)
                }
                _ => None,
            };
            if let Some(tokens) = likest {
                let mut new = variant.clone();
                let mut replaced = condition.clone();
                replaced.holds = Holds::Tokens(tokens);
                let expected = new.expect.iter_mut().filter(|it| *it == condition);
                expected.for_each(|it| *it = replaced.clone());
                new.when.push(replaced);
                let _ = write!(
                    help,
                    ". To `when:` of `{}` ({}) add\n        - {}\nand beside it {}",
                    variant.name,
                    self.yaml(variant.line),
                    suggest::condition(condition, None),
                    self.add(&new)
                );
            }
        }
        finding.help(help)
    }

    pub(super) fn none_fits(&self, tries: &[(&Variant, Fit<'_>)]) -> Vec<Finding> {
        let mut findings = Vec::new();
        for (variant, fit) in tries {
            match fit {
                Fit::Anchors(misses) => {
                    let each = misses.iter();
                    findings.extend(each.map(|(edit, miss)| self.miss(variant, edit, miss)));
                }
                Fit::FileGone(edits) => {
                    findings.extend(edits.first().map(|edit| self.gone(variant, edit)));
                }
                Fit::When(_) | Fit::Fits(_) => {}
            }
        }
        if !findings.is_empty() {
            return findings;
        }
        let gone = tries.iter().find_map(|(variant, _)| {
            let mut edits = variant.edits.iter();
            let edit = edits.find(|edit| self.around.texts.get(&edit.file).is_none())?;
            Some(self.gone(variant, edit))
        });
        vec![gone.unwrap_or_else(|| self.no_variant(tries))]
    }

    fn no_variant(&self, tries: &[(&Variant, Fit<'_>)]) -> Finding {
        let mut message = format!("no variant of `{}` fits this revision", self.hunk.id);
        for (variant, fit) in tries {
            if let Fit::When(unmet) = fit {
                let why: Vec<String> = unmet.iter().map(Unmet::describe).collect();
                let why = why.join(", and ");
                let _ = write!(message, "; `{}` expects {why}", variant.name);
            }
        }
        let finding = self.finding(Code::NoVariant, message);
        // The likeliest lost function over all variants.
        let lost = tries.iter().flat_map(|(variant, _)| {
            let functions = functions_of(variant).into_iter();
            functions.map(move |(wanted, edit)| (*variant, wanted, edit))
        });
        let found = lost.filter_map(|(variant, wanted, edit)| {
            let parsed = self.around.texts.parsed(&edit.file, self.overlay)?;
            let found = self.likeliest(parsed, wanted, variant, &edit.file)?;
            Some((found, variant, wanted, parsed, &edit.file))
        });
        let best = found.reduce(|best, next| match next.0.score > best.0.score {
            true => next,
            false => best,
        });
        match best {
            Some((found, variant, wanted, parsed, file)) => {
                let help = self.renamed_help(variant, wanted, &found, file);
                show(finding, file, parsed, &found.function.range).help(help)
            }
            None => finding.help(tries.last().map_or(String::new(), |(model, _)| {
                format!(
                    "nothing in the file looks like what the hunk changed. Find where upstream does this work \
                     now, and {}",
                    self.add(model)
                )
            })),
        }
    }

    fn gone(&self, variant: &Variant, edit: &Edit) -> Finding {
        let message = format!("{} is not in this revision", edit.file);
        let finding = self
            .finding(Code::FileGone, message)
            .file(edit.file.as_path());
        let lost = self.lost_with(variant, edit).into_iter();
        let mut homes = lost.filter_map(|(wanted, of)| {
            let (path, parsed, found) = self.new_home(wanted, of, edit)?;
            Some((wanted, path, parsed, found))
        });
        let Some((wanted, path, parsed, found)) = homes.next() else {
            return finding.help(format!(
                "find where upstream does this work now and change `file:` in {}, or end the overlay's \
                 `releases:` before this release",
                self.yaml(self.hunk.line)
            ));
        };
        let name = suggest::short_name(&found.function.name);
        let mut new = suggest::renamed(variant, wanted, &name);
        for edit in &mut new.edits {
            edit.file = path.clone().into();
        }
        for condition in new.when.iter_mut().chain(&mut new.expect) {
            condition.file = path.clone().into();
        }
        let yaml = suggest::variant_yaml(
            &new,
            &self.new_name(&variant.name),
            Some(edit.file.as_str()),
        );
        let help = format!(
            "the likeliest new home of `{wanted}` is `{}` in {path}:{} ({}). If the hunk belongs there, \
             set `file: {path}` in {}, or add a variant for the new file:\n{yaml}",
            found.function.display(),
            found.line,
            found.why,
            self.yaml(self.hunk.line)
        );
        show(
            finding,
            Utf8Path::new(&path),
            &parsed,
            &found.function.range,
        )
        .help(help)
    }

    /// The functions that went with a file: the variant's own, else those of the overlay's other hunks.
    fn lost_with<'v>(&self, variant: &'v Variant, edit: &Edit) -> Vec<(&'v str, &'v Variant)>
    where
        'a: 'v,
    {
        let own = functions_of(variant);
        if !own.is_empty() {
            return own.into_iter().map(|(name, _)| (name, variant)).collect();
        }
        let variants = self.overlay.hunks.iter().flat_map(|hunk| &hunk.variants);
        let named = variants.flat_map(|other| {
            let functions = functions_of(other).into_iter();
            functions.map(move |(name, of)| (name, of, other))
        });
        let here = named.filter(|(_, of, _)| of.file == edit.file);
        here.map(|(name, _, other)| (name, other)).collect()
    }

    /// The file of the revision that holds what is likest to the lost function.
    fn new_home(
        &self,
        wanted: &str,
        variant: &Variant,
        edit: &Edit,
    ) -> Option<(String, Parsed, Likely)> {
        let last = wanted.rsplit("::").next().unwrap_or(wanted);
        let files = self.around.elsewhere?(last).into_iter();
        let found = files.filter_map(|(path, bytes)| {
            let parsed = Parsed::new(&bytes, &self.overlay.reading(Utf8Path::new(&path)));
            let found = self.likeliest(&parsed, wanted, variant, &edit.file)?;
            Some((path, parsed, found))
        });
        found.reduce(|best, next| match next.2.score > best.2.score {
            true => next,
            false => best,
        })
    }
}

/// The functions that a variant's anchors name, each with the first edit that does.
fn functions_of(variant: &Variant) -> Vec<(&str, &Edit)> {
    let mut out: Vec<(&str, &Edit)> = Vec::new();
    for edit in &variant.edits {
        if let Scope::Function { name, .. } = &edit.at.scope
            && !out.iter().any(|(known, _)| known == name)
        {
            out.push((name, edit));
        }
    }
    out
}
