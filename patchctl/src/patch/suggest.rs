//! Suggestions: YAML that a person can paste, made from the variant that came nearest.

use std::fmt::Write;

use crate::overlay::{Anchor, Condition, EditText, Holds, Position, Scope, Variant};

/// Spaces before `- name:` in an overlay's list of variants.
const INDENT: usize = 6;

/// A variant as an entry of `variants:`. A hunk's `file` and the edits' ids are kept.
pub fn variant_yaml(variant: &Variant, name: &str, overlay_file: Option<&str>) -> String {
    let mut out = String::new();
    let pad = " ".repeat(INDENT);
    let _ = writeln!(out, "{pad}- name: {name}");
    conditions(&mut out, "when", &variant.when, overlay_file);
    let _ = writeln!(out, "{pad}  edits:");
    for (index, edit) in variant.edits.iter().enumerate() {
        let _ = writeln!(
            out,
            "{pad}    - at: {}",
            anchor(&edit.at, Some(edit.at.position))
        );
        if edit.id != (index + 1).to_string() {
            let _ = writeln!(out, "{pad}      id: {}", edit.id);
        }
        if overlay_file.is_some_and(|file| file != edit.file) {
            let _ = writeln!(out, "{pad}      file: {}", edit.file);
        }
        if let Some(unless) = &edit.unless {
            let _ = writeln!(out, "{pad}      unless: {}", anchor(unless, None));
        }
        if let Some(why) = &edit.why {
            let _ = writeln!(out, "{pad}      why: {}", quoted(why));
        }
        let (key, text) = match &edit.text {
            EditText::Insert(text) => ("insert", text),
            EditText::Replace(text) => ("replace", text),
        };
        // The indentation is given, since the text's first line may begin with spaces of its own.
        let _ = writeln!(out, "{pad}      {key}: |2");
        for line in text.lines() {
            let _ = match line {
                "" => writeln!(out),
                line => writeln!(out, "{pad}        {line}"),
            };
        }
    }
    conditions(&mut out, "expect", &variant.expect, overlay_file);
    out
}

fn conditions(out: &mut String, key: &str, all: &[Condition], overlay_file: Option<&str>) {
    let pad = " ".repeat(INDENT);
    if all.is_empty() {
        return;
    }
    let _ = writeln!(out, "{pad}  {key}:");
    for one in all {
        let _ = writeln!(out, "{pad}    - {}", condition(one, overlay_file));
    }
}

/// A condition in one line.
pub fn condition(condition: &Condition, overlay_file: Option<&str>) -> String {
    let scope = fields(&scope_fields(&condition.scope));
    let mut out = match &condition.holds {
        Holds::Exists => format!("{{ exists: {scope}"),
        Holds::Tokens(tokens) => format!("{{ in: {scope}, tokens: {}", quoted(tokens)),
        Holds::Matches(matches) => format!("{{ in: {scope}, matches: {}", quoted(matches)),
    };
    if condition.absent {
        out.push_str(", absent: true");
    }
    if overlay_file.is_some_and(|file| file != condition.file) {
        let _ = write!(out, ", file: {}", condition.file);
    }
    out + " }"
}

/// An anchor in one line, with its position where it has one.
fn anchor(anchor: &Anchor, position: Option<Position>) -> String {
    let mut all = scope_fields(&anchor.scope);
    if let Some(statement) = &anchor.statement {
        let mut inner = Vec::new();
        inner.extend(statement.kind.map(|kind| ("kind", kind.word())));
        inner.extend(statement.tokens.iter().map(|it| ("tokens", quoted(it))));
        if statement.nested {
            inner.push(("nested", "true".to_owned()));
        }
        all.push(("statement", fields(&inner)));
    }
    all.extend(
        anchor
            .expression
            .iter()
            .map(|it| ("expression", quoted(it))),
    );
    if !anchor.preprocessor.is_empty() {
        let stack: Vec<String> = anchor.preprocessor.iter().map(|it| quoted(it)).collect();
        all.push(("preprocessor", format!("[{}]", stack.join(", "))));
    }
    let word = |position| format!("{position:?}").to_lowercase();
    all.extend(position.map(|position| ("position", word(position))));
    fields(&all)
}

fn scope_fields(scope: &Scope) -> Vec<(&'static str, String)> {
    match scope {
        Scope::File => vec![("whole-file", "true".to_owned())],
        Scope::Include(name) => vec![("include", quoted(name))],
        Scope::Namespace(name) => vec![("namespace", quoted(name))],
        Scope::Line { line, under } => {
            let mut all = vec![("line", quoted(line))];
            all.extend(under.iter().map(|line| ("under", quoted(line))));
            all
        }
        Scope::Function { name, signature } => {
            let mut all = vec![("function", quoted(name))];
            all.extend(signature.iter().map(|text| ("signature", quoted(text))));
            all
        }
        Scope::Class { name, member } => {
            let mut all = vec![("class", quoted(name))];
            all.extend(member.iter().map(|name| ("member", quoted(name))));
            all
        }
    }
}

fn fields(all: &[(&str, String)]) -> String {
    let all: Vec<String> = all
        .iter()
        .map(|(key, value)| format!("{key}: {value}"))
        .collect();
    format!("{{ {} }}", all.join(", "))
}

/// A scalar as YAML reads it back inside of `{ }`: plain where that is safe, else in single quotes.
fn quoted(text: &str) -> String {
    let plain =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '<' | '>');
    let inner = text.replace("::", "");
    let safe = !text.is_empty()
        && inner.chars().all(plain)
        && text.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '<'))
        && !text.ends_with(':');
    if safe {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "''"))
    }
}

/// The variant with one function's name for another in every anchor and condition.
pub fn renamed(variant: &Variant, from: &str, to: &str) -> Variant {
    let mut out = variant.clone();
    let rename = |scope: &mut Scope| {
        if let Scope::Function { name, signature } = scope
            && name == from
        {
            to.clone_into(name);
            *signature = None;
        }
    };
    for edit in &mut out.edits {
        rename(&mut edit.at.scope);
    }
    for condition in out.when.iter_mut().chain(&mut out.expect) {
        rename(&mut condition.scope);
    }
    out
}

/// The shortest trailing part of `full` that names a class or namespace too: `Owner::function`.
pub fn short_name(full: &str) -> String {
    let parts: Vec<&str> = full
        .split("::")
        .filter(|part| *part != "(anonymous)")
        .collect();
    parts[parts.len().saturating_sub(2)..].join("::")
}
