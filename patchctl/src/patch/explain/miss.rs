//! An anchor that gives no place: the code that is there instead, and how to name it.

use std::fmt::Write;

use crate::cpp::{Construct, ConstructKind, Parsed, name_matches};
use crate::overlay::{Edit, Scope, StatementPattern, Variant};
use crate::patch::locate::{Candidate, Miss, nested_hits};
use crate::report::{Code, Finding};

use super::hunk::On;
use super::show::{likest_tokens, listed, possible, show};

/// Constructs listed at the most.
const LISTED: usize = 20;

impl On<'_> {
    pub(super) fn miss(&self, variant: &Variant, edit: &Edit, miss: &Miss) -> Finding {
        let mut finding = self
            .finding(miss.code, miss.message.clone())
            .file(edit.file.as_path());
        let Some(parsed) = self.around.texts.parsed(&edit.file, self.overlay) else {
            return finding;
        };
        let place = self.yaml(edit.line);
        let first = miss.candidates.first();
        if let Some(first) = first {
            finding = show(finding, &edit.file, parsed, &first.range);
        }
        match (miss.code, first) {
            (Code::AnchorNotFound, None) => self.lost(finding, variant, edit, parsed),
            (Code::AnchorNotFound, Some(function)) => {
                finding.help(self.statement_help(variant, edit, parsed, function))
            }
            (Code::AnchorAmbiguous | Code::PreprocessorMismatch, _) => {
                finding.help(self.ambiguous_help(variant, edit, parsed, &miss.candidates))
            }
            (Code::AnchorNotOnOwnLine, _) => finding.help(format!(
                "an overlay inserts whole lines; choose a statement or position that has lines of its own, in \
                 {place}"
            )),
            (Code::ReplaceRefused, _) => finding.help(format!(
                "use `insert:` beside it, or another statement, in {place}"
            )),
            _ => match parsed.exceeded() {
                Some(exceeded) => finding.line(exceeded.line as u64).help(format!(
                    "docs/limits.md says what is read; choose another file in {place}"
                )),
                None => finding.help(format!(
                    "an edit beside code that is misread may land anywhere. Blank a macro that confuses the \
                     parser (`macros: [NAME]`), or anchor at something around it, in {place}"
                )),
            },
        }
    }

    /// Shows the function that is likest to the lost one, or what the file has in the anchor's place.
    fn lost(&self, finding: Finding, variant: &Variant, edit: &Edit, parsed: &Parsed) -> Finding {
        if let Scope::Function { name, .. } = &edit.at.scope
            && let Some(found) = self.likeliest(parsed, name, variant, &edit.file)
        {
            let help = self.renamed_help(variant, name, &found, &edit.file);
            return show(finding, &edit.file, parsed, &found.function.range).help(help);
        }
        finding.help(format!(
            "{}find what upstream has in its place, and change the anchor in {}",
            instead(parsed, edit),
            self.yaml(edit.line)
        ))
    }

    fn statement_help(
        &self,
        variant: &Variant,
        edit: &Edit,
        parsed: &Parsed,
        function: &Candidate,
    ) -> String {
        let at = &edit.at;
        let hits = nested(parsed, function, at.statement.as_ref());
        let mut new = variant.clone();
        let anchors = new.edits.iter_mut().filter(|other| other.id == edit.id);
        if !hits.is_empty() {
            let statements = anchors.filter_map(|it| it.at.statement.as_mut());
            statements.for_each(|statement| statement.nested = true);
            return format!(
                "it stands in a block inside of the function:\n{}an anchor looks into blocks when its statement \
                 says `nested: true`. If that is the place, {}",
                listed(&edit.file, parsed, &hits),
                self.add(&new)
            );
        }
        let wanted = at.statement.as_ref().and_then(|it| it.tokens.as_ref());
        let likest = wanted.or(at.expression.as_ref()).and_then(|tokens| {
            likest_tokens(parsed, &possible(parsed, &function.range, at), tokens)
        });
        let Some(tokens) = likest else {
            return format!(
                "choose one of the function's statements, and change the anchor in {}",
                self.yaml(edit.line)
            );
        };
        anchors.for_each(|other| match &mut other.at.statement {
            Some(statement) => {
                statement.tokens = Some(tokens.clone());
                statement.kind = None;
            }
            None => other.at.expression = Some(tokens.clone()),
        });
        format!(
            "the likeliest statement now is `{tokens}`. If that is the place, {}",
            self.add(&new)
        )
    }

    fn ambiguous_help(
        &self,
        variant: &Variant,
        edit: &Edit,
        parsed: &Parsed,
        candidates: &[Candidate],
    ) -> String {
        let mut help = format!("candidates:\n{}", listed(&edit.file, parsed, candidates));
        let stacks = candidates.iter();
        let stacks = stacks.map(|it| parsed.preprocessor_at(it.range.start));
        let stacks: Vec<Vec<String>> = stacks.collect();
        if stacks.iter().all(Vec::is_empty) {
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
            for (index, stack) in stacks.iter().enumerate() {
                let mut copy = other.clone();
                copy.at.preprocessor.clone_from(stack);
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

/// The statements in blocks of the function that the pattern would name if it asked for them.
fn nested(
    parsed: &Parsed,
    function: &Candidate,
    wanted: Option<&StatementPattern>,
) -> Vec<Candidate> {
    let mut functions = parsed.of_kind(ConstructKind::Function);
    let function = functions.find(|it| it.range == function.range);
    let wanted = wanted.filter(|it| !it.nested);
    let hits = function.zip(wanted);
    hits.map(|(function, wanted)| nested_hits(parsed, function, wanted))
        .unwrap_or_default()
}

/// The constructs of the kind that an edit's anchor names, a line each, likest first; empty where there is none.
fn instead(parsed: &Parsed, edit: &Edit) -> String {
    let (wanted, kind) = match &edit.at.scope {
        Scope::File | Scope::Function { .. } => return String::new(),
        Scope::Include(name) => (name, ConstructKind::Include),
        Scope::Namespace(name) => (name, ConstructKind::Namespace),
        Scope::Line { line, .. } => (line, ConstructKind::Line),
        Scope::Class { name, member: None } => (name, ConstructKind::Class),
        Scope::Class {
            member: Some(member),
            ..
        } => (member, ConstructKind::Member),
    };
    let mut there: Vec<&Construct> = parsed.of_kind(kind).collect();
    if let (Scope::Class { name, .. }, ConstructKind::Member) = (&edit.at.scope, kind) {
        there.retain(|it| {
            let class = it.name.rsplit_once("::").map(|(class, _)| class);
            class.is_some_and(|class| name_matches(class, name))
        });
    }
    let last = |name: &str| name.rsplit("::").next().unwrap_or(name).to_owned();
    let wanted = last(wanted);
    let likeness = |it: &&Construct| strsim::jaro_winkler(&last(&it.name), &wanted);
    there.sort_by(|a, b| likeness(b).total_cmp(&likeness(a)));
    there.truncate(LISTED);
    let there: Vec<Candidate> = there.into_iter().map(Candidate::construct).collect();
    match there.is_empty() {
        true => String::new(),
        false => format!("there is:\n{}", listed(&edit.file, parsed, &there)),
    }
}
