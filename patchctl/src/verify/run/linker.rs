//! Reads a linker's complaint about symbols that nothing defines, and finds the file of MLX that would define them.

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};

use crate::cpp::{Construct, ConstructKind, Parsed, Reading, name_matches};
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

/// Finds the file that defines a function, or a member of a class whose table is missing. No-op backends define the same
/// names; the encoder's own files stand nearest.
fn defining_file(tree: &Utf8Path, symbol: &str) -> Result<Option<Utf8PathBuf>, ToolError> {
    let table = ["vtable for ", "typeinfo for "];
    let class = table.iter().find_map(|table| symbol.strip_prefix(table));
    let path = class.unwrap_or(symbol).split(['(', '[']).next();
    let parts: Vec<&str> = path.unwrap_or_default().rsplitn(3, "::").collect();
    let Some(name) = parts.first() else {
        return Ok(None);
    };
    let wanted = parts[..parts.len().min(2)].iter().rev().copied();
    let wanted = wanted.collect::<Vec<_>>().join("::");
    let defines = |construct: &Construct| match (class, construct.name.rsplit_once("::")) {
        (None, _) => name_matches(&construct.name, &wanted),
        (Some(_), scope) => scope.is_some_and(|(scope, _)| name_matches(scope, name)),
    };
    let mut found: Option<(bool, Utf8PathBuf)> = None;
    for file in files(&tree.join("mlx"))? {
        let bytes = match file.extension() {
            Some("cpp") => read(&file)?,
            _ => continue,
        };
        let is_named = memchr::memmem::find(&bytes, name.as_bytes()).is_some();
        if is_named
            && Parsed::new(&bytes, &Reading::of(&file))
                .of_kind(ConstructKind::Function)
                .any(defines)
        {
            let inside = file.strip_prefix(tree).unwrap_or(&file).to_owned();
            let one = (inside.as_str().contains("/no_"), inside);
            found = found.into_iter().chain([one]).min();
        }
    }
    Ok(found.map(|(_, file)| file))
}
