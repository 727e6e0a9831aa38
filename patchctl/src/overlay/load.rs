//! From a file's bytes to an [`Overlay`], with every problem that can be found in one go.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use camino::{Utf8Path, Utf8PathBuf};
use semver::{Version, VersionReq};

use super::anchor::{Purpose, anchor, exactly_one, misplaced, scope};
use super::model::{
    Condition, Edit, EditText, Evidence, Holds, Hunk, ONLY_VARIANT, Overlay, Scope, Variant,
};
use super::text::{insertion, replacement, whole_lines};
use super::values;
use super::yaml::{RawCondition, RawEdit, RawEvidence, RawHunk, RawOverlay, RawVariant};
use crate::report::Code;
use crate::yaml::{self, Cursor, Faults, Mark, NO_HELP, first_line};

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
    yaml::read(file, bytes, |raw: RawOverlay, at| {
        let after = at.key("after").each(&raw.after);
        Some(Loaded {
            after: after.map(|(id, at)| (id.clone(), at.node.mark)).collect(),
            id: at.key("overlay").node.mark,
            overlay: overlay(raw, file, at)?,
        })
    })
}

impl yaml::Form for RawOverlay {
    const LISTS: &'static [&'static str] = &["hunks", "landed"];

    /// The kinds that come next have keys of their own; an error for each of those would say nothing.
    fn is_refused(root: Cursor<'_>) -> bool {
        let kind = root.key("kind");
        let Some(name @ ("new-file" | "file-copy")) = kind.node.text() else {
            return false;
        };
        let message = format!("overlays of kind `{name}` are not supported by this version yet");
        let help = "write `kind: hunks`, or leave it out";
        kind.fault(Code::OverlayKindUnsupported, message, help);
        true
    }
}

/// The facts about an overlay that its parts need.
struct Context {
    overlay: String,
    file: Option<String>,
}

/// The overlay that `raw` means. A part that is wrong is left out, with the problem noted; with any problem there is no
/// overlay.
fn overlay(raw: RawOverlay, file: &Utf8Path, at: Cursor<'_>) -> Option<Overlay> {
    let whole = at.problems.is_empty();
    let name = at.key("overlay");
    values::id("overlay's name", &raw.overlay, name);
    let (id, stem) = (&raw.overlay, file.file_stem().unwrap_or_default());
    if id != stem {
        let message = format!("the overlay is named `{id}`, its file `{stem}`");
        let help = format!("rename the file to `{id}.yaml`, or write `overlay: {stem}`");
        name.fault(Code::OverlayFileName, message, help);
    }
    values::filled("title", &raw.title, at);
    values::filled("why", &raw.why, at);
    if let Some(file) = &raw.file {
        values::path(file, at.key("file"));
    }
    let releases = raw.releases.as_deref().unwrap_or("*");
    let releases = requirement(releases, at.key("releases"));
    for (name, at) in at.key("macros").each(&raw.macros) {
        if !values::is_identifier(name) {
            values::bad_name(name, "the name of a macro", NO_HELP, at);
        }
    }
    provides(&raw.provides, at.key("provides"));
    let each = at.key("evidence").each(raw.evidence);
    let evidence = each.map(|(raw, at)| evidence(raw, at)).collect();
    let context = Context {
        overlay: raw.overlay,
        file: raw.file,
    };
    let landed = conditions(raw.landed, at.key("landed"), context.file.as_deref());
    if raw.hunks.is_empty() && whole {
        nothing("the overlay", "hunks", at);
    }
    let mut ids = HashMap::new();
    let mut hunks = Vec::new();
    for (raw, at) in at.key("hunks").each(raw.hunks) {
        unique("hunk's id", &raw.id, &mut ids, at.key("id"));
        hunks.push(hunk(raw, &context, at));
    }
    at.problems.is_empty().then_some(Overlay {
        id: context.overlay,
        title: raw.title,
        why: raw.why,
        releases: releases?,
        after: sorted(raw.after),
        dialect: raw.dialect,
        macros: sorted(raw.macros),
        provides: raw.provides,
        evidence,
        landed,
        hunks,
    })
}

/// The names, each once: their order means nothing.
fn sorted(names: Vec<String>) -> Vec<String> {
    BTreeSet::from_iter(names).into_iter().collect()
}

fn nothing(what: &str, items: &str, at: Cursor<'_>) {
    let message = format!("{what} has no {items}");
    at.key(items)
        .fault(Code::OverlayNothingToDo, message, "add one");
}

/// The releases that an overlay claims.
fn requirement(raw: &str, at: Cursor<'_>) -> Option<VersionReq> {
    let fault = |error| {
        let message = format!("`{raw}` is no version requirement: {error}");
        let help = "write one such as '>=0.23.0' or '>=0.23.0, <0.32.0'";
        at.fault(Code::OverlayBadRequirement, message, help);
    };
    VersionReq::parse(raw).map_err(fault).ok()
}

fn provides(names: &BTreeMap<String, String>, at: Cursor<'_>) {
    for (role, name) in names {
        let at = at.key(role);
        values::id("role", role, at);
        let is_name = values::tokens(name).is_ok_and(|found| {
            let mut first = found.iter().take(1);
            first.any(|first| values::is_identifier(first.text) || first.text == "~")
        });
        if !is_name {
            let expected = "a C++ name such as `mlx::core::metal::f(int)`";
            values::bad_name(name, expected, NO_HELP, at);
        }
    }
}

fn evidence(raw: RawEvidence, at: Cursor<'_>) -> Evidence {
    let (file, heading) = match raw.record.split_once('#') {
        Some((file, heading)) => (file, Some(heading.to_owned())),
        None => (raw.record.as_str(), None),
    };
    if let Some(why) = values::path_problem(file) {
        let help = "write it relative to this repository, with `/`: `docs/measurements.md`";
        at.key("record").fault(Code::OverlayBadPath, why, help);
    }
    values::filled("what", &raw.what, at);
    let mlx = raw.mlx.as_deref().map(Version::parse);
    if let (Some(text), Some(Err(_))) = (&raw.mlx, &mlx) {
        let expected = "a release such as `0.32.2`";
        values::bad_name(text, expected, NO_HELP, at.key("mlx"));
    }
    Evidence {
        record: file.into(),
        heading,
        mlx: mlx.and_then(Result::ok),
        what: raw.what.trim().to_owned(),
    }
}

fn hunk(raw: RawHunk, context: &Context, at: Cursor<'_>) -> Hunk {
    let keys = ["edits", "variants"];
    let mut variants = Vec::new();
    if let Some(key) = exactly_one("a hunk", "`edits` and `variants`", &keys, at) {
        if let Some(list) = raw.variants {
            // A hunk with variants has its conditions in them.
            for key in at.present(&["when", "expect"]) {
                let help = "move it into the variants that it is about";
                misplaced(key, "stands beside `variants`", help, at);
            }
            if list.is_empty() {
                nothing("the hunk", "variants", at);
            }
            let mut names = HashMap::new();
            for (one, at) in at.key(key).each(list) {
                unique("variant's name", &one.name, &mut names, at.key("name"));
                variants.push(variant(one, &raw.id, context, at));
            }
        } else {
            let only = RawVariant {
                name: ONLY_VARIANT.to_owned(),
                when: raw.when,
                edits: raw.edits.unwrap_or_default(),
                expect: raw.expect,
            };
            variants.push(variant(only, &raw.id, context, at));
        }
    }
    Hunk {
        id: raw.id,
        variants,
        line: at.line(),
    }
}

fn variant(raw: RawVariant, hunk: &str, context: &Context, at: Cursor<'_>) -> Variant {
    if raw.edits.is_empty() {
        nothing("the hunk", "edits", at);
    }
    let file = condition_file(&raw.edits, context).map(str::to_owned);
    let mut ids = HashMap::new();
    let mut edits = Vec::new();
    for (index, (raw, at)) in at.key("edits").each(raw.edits).enumerate() {
        let id = raw.id.clone().unwrap_or_else(|| (index + 1).to_string());
        unique("edit's id", &id, &mut ids, at.key("id"));
        values::marker(&context.overlay, hunk, &id, at.key("id"));
        edits.extend(edit(raw, id, context, at));
    }
    let conditions =
        |raw: Option<_>, key| conditions(raw.unwrap_or_default(), at.key(key), file.as_deref());
    Variant {
        when: conditions(raw.when, "when"),
        expect: conditions(raw.expect, "expect"),
        name: raw.name,
        edits,
        line: at.line(),
    }
}

/// The file that a hunk's conditions are about: its edits', where they agree, else the overlay's.
fn condition_file<'a>(edits: &'a [RawEdit], context: &'a Context) -> Option<&'a str> {
    let general = context.file.as_deref();
    let mut files = edits.iter().map(|edit| edit.file.as_deref().or(general));
    let first = files.next().flatten();
    let agree = files.all(|file| file == first);
    first.filter(|_| agree).or(general)
}

fn edit(raw: RawEdit, id: String, context: &Context, at: Cursor<'_>) -> Option<Edit> {
    let file = file_of(raw.file, context.file.as_deref(), "the edit", at);
    let keys = ["insert", "replace"];
    let text = exactly_one("an edit", "`insert` and `replace`", &keys, at).and_then(|key| {
        let at_text = at.key(key);
        if let Some(text) = raw.insert {
            match raw.at.line {
                Some(_) => _ = whole_lines(&text, at_text),
                None => insertion(&text, at_text),
            }
            return Some(EditText::Insert(text));
        }
        let text = raw.replace?;
        replacement(&text, at_text);
        if raw.why.as_deref().is_none_or(|why| why.trim().is_empty()) {
            at.fault_of_key(
                key,
                Code::OverlayReplaceWithoutWhy,
                "a replacement has no `why`",
                "add `why: …`: a replacement hides upstream's lines, so it says for what reason; or use `insert`",
            );
        }
        Some(EditText::Replace(text))
    });
    let purpose = match &text {
        Some(EditText::Replace(_)) => Purpose::Replace,
        _ => Purpose::Insert,
    };
    let anchored = anchor(raw.at, purpose, at.key("at"));
    let at_unless = at.key("unless");
    let unless = raw
        .unless
        .and_then(|raw| anchor(raw, Purpose::Unless, at_unless));
    Some(Edit {
        id,
        file: file?,
        at: anchored?,
        unless,
        text: text?,
        why: raw.why,
        line: at.line(),
    })
}

fn conditions(raw: Vec<RawCondition>, at: Cursor<'_>, file: Option<&str>) -> Vec<Condition> {
    let mut found = Vec::new();
    for (mut raw, at) in at.each(raw) {
        let file = file_of(raw.file.take(), file, "the condition", at);
        let absent = raw.absent;
        if let (Some((scope, holds)), Some(file)) = (condition(raw, at), file) {
            found.push(Condition {
                file,
                scope,
                holds,
                absent,
                line: at.line(),
            });
        }
    }
    found
}

/// Gives the scope of a condition and the text it looks for, or `None` with the problems noted.
fn condition(raw: RawCondition, at: Cursor<'_>) -> Option<(Scope, Holds)> {
    if let Some(text) = &raw.tokens {
        values::token_pattern(text, at.key("tokens"));
    }
    if let Some(text) = &raw.matches {
        values::regex(text, at.key("matches"));
    }
    let shown = "`tokens`, `matches` and `exists`";
    exactly_one("a condition", shown, &["tokens", "matches", "exists"], at)?;
    if let Some(construct) = raw.exists {
        if raw.scope.is_some() {
            let help = "`exists` names the construct itself; remove it";
            misplaced("in", "stands beside `exists`", help, at);
        }
        let at = at.key("exists");
        let scope = scope(construct, at, "a construct")?;
        if scope == Scope::File {
            let message = "`whole-file` says nothing in `exists`";
            at.fault(Code::OverlayKeysClash, message, "name a construct");
        }
        return Some((scope, Holds::Exists));
    }
    let Some(construct) = raw.scope else {
        let message = "the condition has no `in`";
        at.fault(Code::OverlayKeysClash, message, "add `in`");
        return None;
    };
    let scope = scope(construct, at.key("in"), "a scope")?;
    if let Some(text) = raw.tokens {
        return Some((scope, Holds::Tokens(text)));
    }
    if scope == Scope::File {
        let help = "name the construct to look in, or use `tokens`";
        misplaced("matches", "looks through the whole file", help, at);
    }
    Some((scope, Holds::Matches(raw.matches?)))
}

fn file_of(
    own: Option<String>,
    general: Option<&str>,
    what: &str,
    at: Cursor<'_>,
) -> Option<Utf8PathBuf> {
    if let Some(own) = &own {
        values::path(own, at.key("file"));
    }
    let file = own.or_else(|| general.map(str::to_owned));
    if file.is_none() {
        let message = format!("{what} names no file, and the overlay none for all");
        let help = "add `file: …` here or at the overlay's top";
        at.fault(Code::OverlayNoFile, message, help);
    }
    file.map(Utf8PathBuf::from)
}

/// Checks an id, which is to be there once. `what` is its kind.
fn unique(what: &str, id: &str, seen: &mut HashMap<String, u64>, at: Cursor<'_>) {
    values::id(what, id, at);
    if let Some(first) = first_line(seen, id.to_owned(), at) {
        let message = format!("the {what} `{id}` is here twice, first on line {first}");
        at.fault(Code::OverlayDuplicateId, message, "give each its own");
    }
}
