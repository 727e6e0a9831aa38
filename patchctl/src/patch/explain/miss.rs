//! An anchor that gives no place: what is there instead, and how to name it.

use std::fmt::Write;

use crate::cpp::{ConstructKind, Parsed};
use crate::overlay::{Edit, Scope, Variant};
use crate::patch::likeness::likely;
use crate::patch::locate::{Candidate, Miss, nested_hits};
use crate::report::{Code, Finding};

use super::hunk::On;
use super::instead::instead;
use super::show::{conditions, likest_tokens, listed, possible, under};

impl On<'_> {
    pub(super) fn miss(&self, variant: &Variant, edit: &Edit, miss: &Miss) -> Finding {
        let parsed = self.around.texts.parsed(&edit.file);
        let mut finding;
        let place = self.yaml(edit.line);
        let one = |finding: &mut Finding, candidate: &Candidate| {
            if let Some(parsed) = parsed {
                self.show(finding, &edit.file, parsed, &candidate.range);
            }
        };
        match miss {
            Miss::NotFound {
                wanted,
                inside: None,
            } => {
                finding = self.finding(
                    Code::AnchorNotFound,
                    &format!("{wanted} is not in {}", edit.file),
                );
                finding.file = Some(edit.file.to_string());
                let found = match (&edit.at.scope, parsed) {
                    (Scope::Function { name, .. }, Some(parsed)) => {
                        let found = likely(parsed, name, Some(variant), self.before(&edit.file));
                        found.into_iter().next().map(|found| (name, parsed, found))
                    }
                    _ => None,
                };
                finding.help = Some(match found {
                    Some((name, parsed, found)) => {
                        self.show(&mut finding, &edit.file, parsed, &found.range);
                        self.renamed_help(variant, name, &found, &edit.file)
                    }
                    None => format!(
                        "{}find what upstream has in its place, and change the anchor in {place}",
                        parsed
                            .map(|parsed| instead(parsed, edit))
                            .unwrap_or_default()
                    ),
                });
            }
            Miss::NotFound {
                wanted,
                inside: Some(function),
            } => {
                finding = self.finding(
                    Code::AnchorNotFound,
                    &format!(
                        "{} has no {}",
                        function.what,
                        wanted.trim_start_matches("a ").trim_start_matches("an ")
                    ),
                );
                one(&mut finding, function);
                finding.help = Some(self.statement_help(variant, edit, parsed, function));
            }
            Miss::Ambiguous {
                wanted,
                count,
                candidates,
            } => {
                finding = self.finding(
                    Code::AnchorAmbiguous,
                    &format!("{wanted} is in {} {count} times", edit.file),
                );
                candidates
                    .first()
                    .iter()
                    .for_each(|first| one(&mut finding, first));
                finding.help = Some(self.ambiguous_help(variant, edit, candidates));
            }
            Miss::Untrusted { candidate, why } => {
                finding = self.finding(
                    Code::AnchorUntrusted,
                    &format!("{} is there, and cannot be trusted: {why}", candidate.what),
                );
                one(&mut finding, candidate);
                finding.help = Some(format!(
                    "an edit beside code that is misread may land anywhere. Blank a macro that confuses the \
                     parser (`macros: [NAME]`), or anchor at something around it, in {place}"
                ));
            }
            Miss::TooLarge(exceeded) => {
                finding = self.finding(
                    Code::AnchorUntrusted,
                    &format!("{} is not read as C++: {exceeded}", edit.file),
                );
                finding.file = Some(edit.file.to_string());
                finding.line = Some(exceeded.line as u64);
                finding.help = Some(format!(
                    "docs/limits.md says what is read; choose another file in {place}"
                ));
            }
            Miss::Preprocessor {
                candidates,
                expected,
            } => {
                let is = candidates.iter().map(under).collect::<Vec<_>>().join("; ");
                finding = self.finding(
                    Code::PreprocessorMismatch,
                    &format!("the anchor expects {}; there is {is}", conditions(expected)),
                );
                candidates
                    .first()
                    .iter()
                    .for_each(|first| one(&mut finding, first));
                finding.help = Some(self.ambiguous_help(variant, edit, candidates));
            }
            Miss::NotOnOwnLine { candidate, why } => {
                finding = self.finding(
                    Code::AnchorNotOnOwnLine,
                    &format!("{}: {why}", candidate.what),
                );
                one(&mut finding, candidate);
                finding.help = Some(format!(
                    "an overlay inserts whole lines; choose a statement or position that has lines of its own, in \
                     {place}"
                ));
            }
            Miss::NotReplaceable { candidate, why } => {
                finding = self.finding(
                    Code::ReplaceRefused,
                    &format!("{} cannot be replaced: {why}", candidate.what),
                );
                one(&mut finding, candidate);
                finding.help = Some(format!(
                    "use `insert:` beside it, or another statement, in {place}"
                ));
            }
        }
        finding
    }

    pub(super) fn statement_help(
        &self,
        variant: &Variant,
        edit: &Edit,
        parsed: Option<&Parsed>,
        function: &Candidate,
    ) -> String {
        let place = self.yaml(edit.line);
        if let Some(help) =
            parsed.and_then(|parsed| self.nested_help(variant, edit, parsed, function))
        {
            return help;
        }
        let tokens = edit
            .at
            .statement
            .as_ref()
            .and_then(|s| s.tokens.clone())
            .or(edit.at.expression.clone());
        let likest = parsed.zip(tokens).and_then(|(parsed, tokens)| {
            likest_tokens(
                parsed,
                &possible(parsed, &function.range, &edit.at),
                &tokens,
            )
        });
        let Some(tokens) = likest else {
            return format!(
                "choose one of the function's statements, and change the anchor in {place}"
            );
        };
        let mut new = variant.clone();
        for other in new.edits.iter_mut().filter(|other| other.id == edit.id) {
            if let Some(statement) = &mut other.at.statement {
                statement.tokens = Some(tokens.clone());
                statement.kind = None;
            } else {
                other.at.expression = Some(tokens.clone());
            }
        }
        format!(
            "the likeliest statement now is `{tokens}`. If that is the place, {}",
            self.add(&new)
        )
    }

    /// The help where the statement is there, in a block of the function.
    fn nested_help(
        &self,
        variant: &Variant,
        edit: &Edit,
        parsed: &Parsed,
        function: &Candidate,
    ) -> Option<String> {
        let wanted = edit
            .at
            .statement
            .as_ref()
            .filter(|statement| !statement.nested)?;
        let mut functions = parsed.of_kind(ConstructKind::Function);
        let function = functions.find(|construct| construct.range == function.range)?;
        let hits = nested_hits(parsed, function, wanted);
        if hits.is_empty() {
            return None;
        }
        let mut new = variant.clone();
        for other in new.edits.iter_mut().filter(|other| other.id == edit.id) {
            if let Some(statement) = &mut other.at.statement {
                statement.nested = true;
            }
        }
        Some(format!(
            "it stands in a block inside of the function:\n{}an anchor looks into blocks when its statement says \
             `nested: true`. If that is the place, {}",
            listed(&edit.file, &hits),
            self.add(&new)
        ))
    }

    pub(super) fn ambiguous_help(
        &self,
        variant: &Variant,
        edit: &Edit,
        candidates: &[Candidate],
    ) -> String {
        let mut help = format!("candidates:\n{}", listed(&edit.file, candidates));
        let conditional = candidates.iter().any(|c| !c.preprocessor.is_empty());
        if !conditional {
            let _ = write!(
                help,
                "narrow the anchor in {}: `signature:` for an overload, more of the qualified name, longer `tokens:`",
                self.yaml(edit.line)
            );
            return help;
        }
        let mut new = variant.clone();
        new.edits.clear();
        for other in &variant.edits {
            if other.at.scope != edit.at.scope {
                new.edits.push(other.clone());
                continue;
            }
            for (index, candidate) in candidates.iter().enumerate() {
                let mut copy = other.clone();
                copy.at.preprocessor.clone_from(&candidate.preprocessor);
                copy.id = format!("{}-{}", other.id, index + 1);
                new.edits.push(copy);
            }
        }
        let _ = write!(
            help,
            "an anchor names the `#if` conditions it stands in. If the hunk belongs into each of them (mind that \
             what it defines is then defined once in each build), {}",
            self.add(&new)
        );
        help
    }
}
