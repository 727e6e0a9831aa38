//! What the linker says about symbols that nothing defines, and which file of MLX would define them.

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};

use crate::report::Code;
use crate::toolchain::{ToolError, files};

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
    let advice = names.iter().map(|name| advice(name, tree));
    let advice: Vec<String> = advice.collect();
    let names: Vec<&str> = names.into_iter().collect();
    ToolError::of_code(
        Code::LinkFailed,
        format!("{count} stay open: {}", names.join(", ")),
    )
    .help(advice.join("\n"))
}

/// A linker that failed.
pub(super) fn link_failed(output: &str) -> ToolError {
    ToolError::of_code(Code::LinkFailed, "the linker failed").output(output)
}

/// Says which file to add for a symbol, in one line.
fn advice(symbol: &str, tree: &Utf8Path) -> String {
    let files = defining_files(tree, symbol).unwrap_or_default();
    match files.first() {
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

/// Files that hold a definition's head: `Class::name(` at some line's end of its return type, or a function's own name.
fn defining_files(tree: &Utf8Path, symbol: &str) -> Result<Vec<Utf8PathBuf>, ToolError> {
    let qualified = symbol
        .trim_start_matches("vtable for ")
        .trim_start_matches("typeinfo for ");
    let path = qualified.split(['(', '[']).next().unwrap_or(qualified);
    let parts: Vec<&str> = path.split("::").collect();
    let Some((name, scopes)) = parts.split_last() else {
        return Ok(Vec::new());
    };
    let owned = scopes.last().map(|class| format!("{class}::{name}"));
    let mut found = Vec::new();
    for file in files(&tree.join("mlx"))? {
        if file.extension() != Some("cpp") {
            continue;
        }
        let text = fs_err::read(&file).map_err(|error| ToolError::unusable(&file, &error))?;
        let text = String::from_utf8_lossy(&text);
        let inside = file.strip_prefix(tree).unwrap_or(&file).to_owned();
        match text
            .lines()
            .map(|line| rank(line, name, owned.as_deref()))
            .max()
        {
            Some(rank) if rank > 0 => found.push((rank, inside)),
            _ => {}
        }
    }
    // No-op backends define the same names; the encoder's own files stand nearest.
    found.sort_by_key(|(rank, file)| {
        (
            std::cmp::Reverse(*rank),
            file.as_str().contains("/no_"),
            file.clone(),
        )
    });
    Ok(found.into_iter().map(|(_, file)| file).collect())
}

/// How much a line looks like the head of the definition: a member by its class, or a free function at the left margin.
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
