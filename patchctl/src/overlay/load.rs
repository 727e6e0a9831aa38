//! From a file's bytes to an [`Overlay`], with every problem that can be found in one go.

use std::collections::HashMap;

use camino::{Utf8Path, Utf8PathBuf};

use super::anchor::{Purpose, anchor};
use super::condition::condition;
use super::error::OverlayProblem;
use super::evidence::evidence;
use super::model::{Condition, Edit, EditText, Hunk, ONLY_VARIANT, Overlay, Variant};
use super::text::{insertion, replacement};
use super::validate;
use super::yaml::{RawCondition, RawEdit, RawHunk, RawOverlay};
use crate::yaml::{self, Faults, Mark, Node, Problems};

/// Reads an overlay. `file` is its name as errors give it; its stem is what the overlay must be named.
///
/// # Errors
/// Everything that is wrong with the file: where it is no YAML or has the wrong form, and, in the hunks and
/// conditions that have the right one, what is wrong with their meaning.
pub fn load(file: &Utf8Path, bytes: &[u8]) -> Result<Overlay, Faults> {
    load_marked(file, bytes).map(|loaded| loaded.overlay)
}

/// An overlay and the places of what only the whole folder can check.
#[derive(Debug)]
pub(super) struct Loaded {
    pub(super) overlay: Overlay,
    pub(super) id: Mark,
    pub(super) after: Vec<(String, Mark)>,
}

pub(super) fn load_marked(file: &Utf8Path, bytes: &[u8]) -> Result<Loaded, Faults> {
    yaml::read(file, bytes, |raw: RawOverlay, root, problems| {
        let overlay = overlay(&raw, root, file, problems)?;
        let after = root.key("after");
        let marked = |(index, id): (usize, &String)| (id.clone(), after.item(index).mark);
        Some(Loaded {
            overlay,
            id: root.key("overlay").mark,
            after: raw.after.iter().enumerate().map(marked).collect(),
        })
    })
}

impl yaml::Form for RawOverlay {
    const LISTS: &'static [&'static str] = &["hunks", "landed"];

    /// The kinds that come next have keys of their own; an error for each of those would say nothing.
    fn is_refused(root: &Node, problems: &mut Problems<'_>) -> bool {
        let kind = root.key("kind");
        let refused = kind
            .text()
            .filter(|kind| matches!(*kind, "new-file" | "file-copy"));
        if let Some(name) = refused {
            problems.push(kind.mark, OverlayProblem::KindUnsupported(name.to_owned()));
        }
        refused.is_some()
    }
}

/// The facts about an overlay that its parts need.
struct Context<'a> {
    overlay: &'a str,
    file: Option<&'a str>,
}

fn overlay(
    raw: &RawOverlay,
    node: &Node,
    file: &Utf8Path,
    problems: &mut Problems<'_>,
) -> Option<Overlay> {
    let whole = problems.is_empty();
    validate::id(
        "overlay's name",
        &raw.overlay,
        node.key("overlay"),
        problems,
    );
    validate::stem(&raw.overlay, file, node.key("overlay"), problems);
    validate::filled("title", &raw.title, node, problems);
    validate::filled("why", &raw.why, node, problems);
    if let Some(file) = &raw.file {
        validate::path(file, node.key("file"), problems);
    }
    let releases = validate::requirement(raw.releases.as_deref(), node, problems);
    validate::macros(&raw.macros, node.key("macros"), problems);
    validate::provides(&raw.provides, node.key("provides"), problems);
    let evidence = evidence(&raw.evidence, node.key("evidence"), problems);
    let context = Context {
        overlay: &raw.overlay,
        file: raw.file.as_deref(),
    };
    let landed = conditions(&raw.landed, node.key("landed"), context.file, problems);
    if raw.hunks.is_empty() && whole {
        let (what, items) = ("the overlay", "hunks");
        problems.push(
            node.key("hunks").mark,
            OverlayProblem::Nothing { what, items },
        );
    }
    let mut ids = Unique::new("hunk's id");
    let mut hunks = Vec::new();
    for (index, raw) in raw.hunks.iter().enumerate() {
        let node = node.key("hunks").item(index);
        ids.add(&raw.id, node.key("id"), problems);
        hunks.extend(hunk(raw, node, &context, problems));
    }
    if !problems.is_empty() {
        return None;
    }
    Some(Overlay {
        id: raw.overlay.clone(),
        title: raw.title.clone(),
        why: raw.why.clone(),
        releases: releases?,
        after: raw.after.clone(),
        macros: raw.macros.clone(),
        provides: raw.provides.clone(),
        evidence,
        landed,
        hunks,
    })
}

fn hunk(
    raw: &RawHunk,
    node: &Node,
    context: &Context<'_>,
    problems: &mut Problems<'_>,
) -> Option<Hunk> {
    let none = Vec::new();
    let mut variants = Vec::new();
    match (&raw.edits, &raw.variants) {
        (Some(edits), None) => {
            let parts = Parts {
                when: raw.when.as_ref().unwrap_or(&none),
                edits,
                expect: raw.expect.as_ref().unwrap_or(&none),
            };
            variants.push(variant(
                ONLY_VARIANT,
                &raw.id,
                &parts,
                node,
                context,
                problems,
            ));
        }
        (None, Some(list)) => {
            validate::no_parts_beside_variants(raw, node, problems);
            if list.is_empty() {
                let (what, items) = ("the hunk", "variants");
                problems.push(
                    node.key("variants").mark,
                    OverlayProblem::Nothing { what, items },
                );
            }
            let mut names = Unique::new("variant's name");
            for (index, one) in list.iter().enumerate() {
                let node = node.key("variants").item(index);
                names.add(&one.name, node.key("name"), problems);
                let parts = Parts {
                    when: one.when.as_ref().unwrap_or(&none),
                    edits: &one.edits,
                    expect: one.expect.as_ref().unwrap_or(&none),
                };
                variants.push(variant(&one.name, &raw.id, &parts, node, context, problems));
            }
        }
        (edits, _) => {
            let both = if edits.is_some() {
                vec!["edits", "variants"]
            } else {
                Vec::new()
            };
            problems.push(
                node.mark,
                OverlayProblem::ExactlyOne {
                    what: "a hunk",
                    keys: "`edits` and `variants`",
                    found: both,
                },
            );
        }
    }
    Some(Hunk {
        id: raw.id.clone(),
        variants: variants.into_iter().collect::<Option<_>>()?,
        line: node.mark.line,
    })
}

/// The parts that a hunk without variants and a variant have in common.
struct Parts<'a> {
    when: &'a [RawCondition],
    edits: &'a [RawEdit],
    expect: &'a [RawCondition],
}

fn variant(
    name: &str,
    hunk: &str,
    parts: &Parts<'_>,
    node: &Node,
    context: &Context<'_>,
    problems: &mut Problems<'_>,
) -> Option<Variant> {
    if parts.edits.is_empty() {
        let (what, items) = ("the hunk", "edits");
        problems.push(
            node.key("edits").mark,
            OverlayProblem::Nothing { what, items },
        );
    }
    let mut ids = Unique::new("edit's id");
    let mut edits = Vec::new();
    for (index, raw) in parts.edits.iter().enumerate() {
        let node = node.key("edits").item(index);
        let id = raw.id.clone().unwrap_or_else(|| (index + 1).to_string());
        ids.add(&id, node.key("id"), problems);
        validate::marker(context.overlay, hunk, &id, node.key("id"), problems);
        edits.push(edit(raw, id, node, context, problems));
    }
    let file = condition_file(parts.edits, context);
    let when = conditions(parts.when, node.key("when"), file, problems);
    let expect = conditions(parts.expect, node.key("expect"), file, problems);
    Some(Variant {
        name: name.to_owned(),
        when,
        edits: edits.into_iter().collect::<Option<_>>()?,
        expect,
        line: node.mark.line,
    })
}

/// The file that a hunk's conditions are about: its edits', where they agree, else the overlay's.
fn condition_file<'a>(edits: &'a [RawEdit], context: &Context<'a>) -> Option<&'a str> {
    let mut files = edits
        .iter()
        .map(|edit| edit.file.as_deref().or(context.file));
    let first = files.next().flatten();
    if files.all(|file| file == first) && first.is_some() {
        return first;
    }
    context.file
}

fn edit(
    raw: &RawEdit,
    id: String,
    node: &Node,
    context: &Context<'_>,
    problems: &mut Problems<'_>,
) -> Option<Edit> {
    let file = file_of(
        raw.file.as_deref(),
        context.file,
        "the edit",
        node,
        problems,
    );
    let text = match (&raw.insert, &raw.replace) {
        (Some(text), None) => {
            insertion(text, node.key("insert"), problems);
            Some(EditText::Insert(text.clone()))
        }
        (None, Some(text)) => {
            replacement(text, node.key("replace"), problems);
            if raw.why.as_deref().is_none_or(|why| why.trim().is_empty()) {
                problems.push(node.key_mark("replace"), OverlayProblem::ReplaceWithoutWhy);
            }
            Some(EditText::Replace(text.clone()))
        }
        (insert, _) => {
            let both = if insert.is_some() {
                vec!["insert", "replace"]
            } else {
                Vec::new()
            };
            problems.push(
                node.mark,
                OverlayProblem::ExactlyOne {
                    what: "an edit",
                    keys: "`insert` and `replace`",
                    found: both,
                },
            );
            None
        }
    };
    let purpose = match &text {
        Some(EditText::Replace(_)) => Purpose::Replace,
        _ => Purpose::Insert,
    };
    let at = anchor(&raw.at, node.key("at"), purpose, problems);
    let unless = match &raw.unless {
        Some(raw) => Some(anchor(raw, node.key("unless"), Purpose::Unless, problems)?),
        None => None,
    };
    Some(Edit {
        id,
        file: file?,
        at: at?,
        unless,
        text: text?,
        why: raw.why.clone(),
        line: node.mark.line,
    })
}

fn conditions(
    raw: &[RawCondition],
    node: &Node,
    file: Option<&str>,
    problems: &mut Problems<'_>,
) -> Vec<Condition> {
    let mut found = Vec::new();
    for (index, raw) in raw.iter().enumerate() {
        let node = node.item(index);
        let file = file_of(raw.file.as_deref(), file, "the condition", node, problems);
        let condition = condition(raw, node, problems);
        if let (Some(file), Some((scope, holds))) = (file, condition) {
            found.push(Condition {
                file,
                scope,
                holds,
                absent: raw.absent,
                line: node.mark.line,
            });
        }
    }
    found
}

fn file_of(
    own: Option<&str>,
    general: Option<&str>,
    what: &'static str,
    node: &Node,
    problems: &mut Problems<'_>,
) -> Option<Utf8PathBuf> {
    if let Some(own) = own {
        validate::path(own, node.key("file"), problems);
    }
    let file = own.or(general);
    if file.is_none() {
        problems.push(node.mark, OverlayProblem::NoFile(what));
    }
    file.map(Utf8PathBuf::from)
}

/// Ids of one kind, each to be there once.
struct Unique {
    what: &'static str,
    first: HashMap<String, u64>,
}

impl Unique {
    fn new(what: &'static str) -> Self {
        let first = HashMap::new();
        Self { what, first }
    }

    fn add(&mut self, id: &str, node: &Node, problems: &mut Problems<'_>) {
        let what = self.what;
        validate::id(what, id, node, problems);
        match self.first.get(id) {
            Some(&first) => {
                let id = id.to_owned();
                problems.push(node.mark, OverlayProblem::DuplicateId { what, id, first });
            }
            None => {
                self.first.insert(id.to_owned(), node.mark.line);
            }
        }
    }
}
