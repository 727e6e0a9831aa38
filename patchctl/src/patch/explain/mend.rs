//! The last part of a help text: the YAML to add, and where it goes.

use camino::Utf8Path;

use crate::overlay::{ONLY_VARIANT, Variant};
use crate::patch::likeness::Likely;
use crate::patch::suggest;

use super::hunk::On;

impl On<'_> {
    /// The help for a function that has another name now.
    pub(super) fn renamed_help(
        &self,
        variant: &Variant,
        wanted: &str,
        found: &Likely,
        file: &Utf8Path,
    ) -> String {
        let to = suggest::short_name(&found.function.name);
        let new = suggest::renamed(variant, wanted, &to);
        format!(
            "the likeliest new form of `{wanted}` is `{}` in {file}:{} ({}). Read it; if the hunk keeps its \
             meaning there, {}",
            found.function.display(),
            found.line,
            found.why,
            self.add(&new)
        )
    }

    /// Says where a variant goes, and gives its YAML.
    pub(super) fn add(&self, variant: &Variant) -> String {
        let yaml = suggest::variant_yaml(variant, &self.new_name(&variant.name), None);
        let (id, place) = (&self.hunk.id, self.yaml(self.hunk.line));
        match self.hunk.variants.as_slice() {
            [only] if only.name == ONLY_VARIANT => format!(
                "give hunk `{id}` in {place} `variants:` in place of its `edits:`, the present form and the new \
                 one:\n    variants:\n{}{yaml}",
                suggest::variant_yaml(only, "before", None)
            ),
            _ => format!("add this variant to hunk `{id}` in {place}:\n{yaml}"),
        }
    }

    /// A name that no variant of the hunk has.
    pub(super) fn new_name(&self, from: &str) -> String {
        let stem = if from == ONLY_VARIANT { "after" } else { from };
        let taken = |name: &str| self.hunk.variants.iter().any(|it| it.name == name);
        let mut name = stem.to_owned();
        let mut number = 2;
        while taken(&name) {
            name = format!("{stem}-{number}");
            number += 1;
        }
        name
    }
}
