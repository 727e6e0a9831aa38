//! The parts of a help text: the code as it stands, the YAML to add and where it goes.

use std::ops::Range;

use camino::Utf8Path;

use crate::cpp::Parsed;
use crate::overlay::{ONLY_VARIANT, Variant};
use crate::patch::likeness::Likely;
use crate::patch::suggest;
use crate::report::Finding;

use super::hunk::On;
use super::show::lines_from;

/// Lines of code shown at the most.
const SHOWN: usize = 16;

impl On<'_> {
    pub(super) fn before(&self, file: &Utf8Path) -> Option<&Parsed> {
        self.around
            .base
            .and_then(|base| base.texts.get(file))
            .map(|parsed| &**parsed)
    }

    pub(super) fn show(
        &self,
        finding: &mut Finding,
        file: &Utf8Path,
        parsed: &Parsed,
        range: &Range<usize>,
    ) {
        let line = parsed.lines().number(range.start);
        let last = parsed
            .lines()
            .number(range.end.saturating_sub(1).max(range.start));
        finding.file = Some(file.to_string());
        finding.line = Some(line as u64);
        finding.excerpt = Some(lines_from(parsed, line, (last - line + 1).min(SHOWN)));
        finding.excerpt_line = Some(line as u64);
    }

    /// The help for a function that has another name now.
    pub(super) fn renamed_help(
        &self,
        variant: &Variant,
        wanted: &str,
        found: &Likely,
        file: &Utf8Path,
    ) -> String {
        let to = suggest::short_name(&found.name);
        let new = suggest::renamed(variant, wanted, &to);
        format!(
            "the likeliest new form of `{wanted}` is `{}` in {file}:{} ({}). Read it; if the hunk keeps its \
             meaning there, {}",
            found.display,
            found.line,
            found.why,
            self.add(&new)
        )
    }

    /// The last part of a help text: where the YAML goes, and the YAML.
    pub(super) fn add(&self, variant: &Variant) -> String {
        let name = self.new_name(&variant.name);
        let yaml = suggest::variant_yaml(variant, &name, None);
        if self.hunk.variants.len() > 1 || self.hunk.variants[0].name != ONLY_VARIANT {
            return format!(
                "add this variant to hunk `{}` in {}:\n{yaml}",
                self.hunk.id,
                self.yaml(self.hunk.line)
            );
        }
        format!(
            "give hunk `{}` in {} `variants:` in place of its `edits:`, the present form and the new one:\n    \
             variants:\n{}{yaml}",
            self.hunk.id,
            self.yaml(self.hunk.line),
            suggest::variant_yaml(&self.hunk.variants[0], "before", None)
        )
    }

    pub(super) fn new_name(&self, from: &str) -> String {
        let stem = if from == ONLY_VARIANT { "after" } else { from };
        let taken = |name: &str| {
            self.hunk
                .variants
                .iter()
                .any(|variant| variant.name == name)
        };
        let mut name = stem.to_owned();
        let mut number = 2;
        while taken(&name) {
            name = format!("{stem}-{number}");
            number += 1;
        }
        name
    }

    pub(super) fn add_by_hand(&self, model: Option<&Variant>) -> String {
        let Some(model) = model else {
            return String::new();
        };
        format!(
            "nothing in the file looks like what the hunk changed. Find where upstream does this work now, and {}",
            self.add(model)
        )
    }
}
