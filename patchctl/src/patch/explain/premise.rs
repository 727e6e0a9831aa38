//! A premise that no longer holds: the code as it is now, and how to split the variant.

use std::fmt::Write;
use std::ops::Range;

use crate::cpp::Parsed;
use crate::overlay::{Condition, Holds, Variant};
use crate::patch::condition::{Unmet, expectation};
use crate::patch::suggest;
use crate::report::{Code, Finding};

use super::hunk::On;
use super::show::{likest_tokens, said, statements};

impl On<'_> {
    pub(super) fn premise(&self, variant: &Variant, unmet: &Unmet) -> Finding {
        let condition = variant
            .expect
            .iter()
            .find(|c| c.line == unmet.yaml_line && expects(c, unmet));
        let mut finding = self.finding(
            Code::PremiseFailed,
            &format!(
                "the hunk has lost its meaning here: variant `{}` relies on {}",
                variant.name,
                said(unmet)
            ),
        );
        let mut help = format!(
            "the premise stands in {}. Read the code: does the hunk still do its work there? If so, split the \
             variant: the present one keeps the old premise as a `when:`, a new one takes the new code",
            self.yaml(unmet.yaml_line)
        );
        if let (Some(condition), Some(scope)) = (condition, &unmet.scope)
            && let Some(parsed) = self.around.texts.parsed(&condition.file)
        {
            self.show(&mut finding, &condition.file, parsed, scope);
            if let Some(tokens) = likest_statement(parsed, scope, condition) {
                let mut new = variant.clone();
                let mut replaced = condition.clone();
                replaced.holds = Holds::Tokens(tokens);
                new.when.push(replaced.clone());
                new.expect
                    .iter_mut()
                    .filter(|c| *c == condition)
                    .for_each(|c| *c = replaced.clone());
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
        finding.help = Some(help);
        finding
    }
}

pub(super) fn expects(condition: &Condition, unmet: &Unmet) -> bool {
    expectation(condition) == unmet.expected
}

/// The tokens of the statement in `scope` that is likest to what a condition wanted.
pub(super) fn likest_statement(
    parsed: &Parsed,
    scope: &Range<usize>,
    condition: &Condition,
) -> Option<String> {
    match &condition.holds {
        Holds::Tokens(tokens) => likest_tokens(parsed, &statements(parsed, scope, true), tokens),
        _ => None,
    }
}
