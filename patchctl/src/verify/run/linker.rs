//! Reads a linker's complaint about symbols that nothing defines, and finds the file of MLX that would define them.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};

use crate::report::Code;
use crate::toolchain::{ToolError, files, read};

/// Reads the linker's complaint; gives an error of its own where it is about something else.
pub(super) fn complaint(output: &str, tree: &Utf8Path) -> ToolError {
    let names: BTreeSet<&str> = output.lines().filter_map(undefined).collect();
    if names.is_empty() {
        return link_failed(output);
    }
    let count = match names.len() {
        1 => "a symbol".to_owned(),
        count => format!("{count} symbols"),
    };
    let advice: Vec<String> = names.iter().map(|name| advice(name, tree)).collect();
    let names: Vec<&str> = names.into_iter().collect();
    let message = format!("{count} stay open: {}", names.join(", "));
    ToolError::of_code(Code::LinkFailed, message).help(advice.join("\n"))
}

/// A linker that failed.
pub(super) fn link_failed(output: &str) -> ToolError {
    ToolError::of_code(Code::LinkFailed, "the linker failed").output(output)
}

/// Says which file to add for a symbol, in one line.
fn advice(symbol: &str, tree: &Utf8Path) -> String {
    match defining_file(tree, symbol).unwrap_or_default() {
        Some(file) => {
            format!("{symbol}: add {file} to the list in patchctl/src/verify/run/sources.rs")
        }
        None => format!(
            "{symbol}: no file of this tree defines it; is it Apple's? then host-metal needs it"
        ),
    }
}

/// GNU ld: ``undefined reference to `NAME'``; lld: `undefined symbol: NAME`.
fn undefined(line: &str) -> Option<&str> {
    if let Some((_, rest)) = line.split_once("undefined reference to ") {
        return Some(rest.trim_matches(['`', '\'', ' ']));
    }
    line.split_once("undefined symbol: ")
        .map(|(_, rest)| rest.trim())
}

/// Finds the file that holds a definition's head: `Class::name(` at some line's end of its return type, or a function's own name.
fn defining_file(tree: &Utf8Path, symbol: &str) -> Result<Option<Utf8PathBuf>, ToolError> {
    let qualified = symbol
        .trim_start_matches("vtable for ")
        .trim_start_matches("typeinfo for ");
    let path = qualified.split(['(', '[']).next().unwrap_or(qualified);
    let parts: Vec<&str> = path.split("::").collect();
    let Some((name, scopes)) = parts.split_last() else {
        return Ok(None);
    };
    let owned = scopes.last().map(|class| format!("{class}::{name}"));
    let mut found = Vec::new();
    for file in files(&tree.join("mlx"))? {
        if file.extension() != Some("cpp") {
            continue;
        }
        let text = read(&file)?;
        let text = String::from_utf8_lossy(&text);
        let ranks = text.lines().map(|line| rank(line, name, owned.as_deref()));
        let inside = file.strip_prefix(tree).unwrap_or(&file);
        // No-op backends define the same names; the encoder's own files stand nearest.
        let is_no_op = inside.as_str().contains("/no_");
        if let Some(rank @ 1..) = ranks.max() {
            found.push((Reverse(rank), is_no_op, inside.to_owned()));
        }
    }
    Ok(found.into_iter().min().map(|(.., file)| file))
}

/// Rates how much a line looks like the head of the definition: a member by its class, or a free function at the left margin.
fn rank(line: &str, name: &str, owned: Option<&str>) -> u8 {
    if line.starts_with([' ', '\t', '/', '#']) || line.trim_end().ends_with(';') {
        return 0;
    }
    let heads = |wanted: &str| {
        line.match_indices(wanted).any(|(at, _)| {
            let before = line[..at].chars().next_back();
            let after = line[at + wanted.len()..].chars().next();
            !before.is_some_and(|letter| letter.is_alphanumeric() || letter == '_')
                && matches!(after, Some('(' | '{' | ' ') | None)
        })
    };
    if owned.is_some_and(heads) {
        2
    } else {
        u8::from(line.contains('(') && heads(name))
    }
}
