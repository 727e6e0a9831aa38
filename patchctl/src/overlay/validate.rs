//! Checks of single values: ids, paths, names, tokens, regular expressions.

use std::collections::BTreeMap;

use camino::Utf8Path;
use patchctl_apply::check_tree_path;
use regex::RegexBuilder;
use semver::VersionReq;

use super::error::{MARKER_COLUMNS, OverlayProblem};
use super::tokens::tokens;
use super::yaml::RawHunk;
use crate::yaml::{Node, Problems};

/// The hex digits of the edit's digest that a marker carries.
const MARKER_DIGEST: usize = 12;
/// The bytes that a compiled regular expression may take, and the bytes that it may be written in.
const REGEX_SIZE: usize = 1 << 20;
const REGEX_TEXT: usize = 4 << 10;

/// Returns true if `id` can stand in an address, a marker and a file name.
pub(super) fn id(what: &'static str, id: &str, node: &Node, problems: &mut Problems<'_>) {
    let fits = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-');
    if id.is_empty() || !id.bytes().all(fits) {
        let id = id.to_owned();
        problems.push(node.mark, OverlayProblem::BadId { what, id });
    }
}

pub(super) fn stem(id: &str, file: &Utf8Path, node: &Node, problems: &mut Problems<'_>) {
    let stem = file.file_stem().unwrap_or_default();
    if id != stem {
        let (id, stem) = (id.to_owned(), stem.to_owned());
        problems.push(node.mark, OverlayProblem::IdIsNotStem { id, stem });
    }
}

pub(super) fn filled(key: &'static str, text: &str, node: &Node, problems: &mut Problems<'_>) {
    if text.trim().is_empty() {
        problems.push(node.key(key).mark, OverlayProblem::EmptyText(key));
    }
}

/// Returns true if the longest line of the edit's markers fits; see [`MARKER_COLUMNS`].
pub(super) fn marker(
    overlay: &str,
    hunk: &str,
    edit: &str,
    node: &Node,
    problems: &mut Problems<'_>,
) {
    let digest = "0".repeat(MARKER_DIGEST);
    let marker = format!("// patchctl:begin {overlay}/{hunk}.{edit} {digest}");
    if marker.chars().count() > MARKER_COLUMNS {
        problems.push(node.mark, OverlayProblem::MarkerTooLong { marker });
    }
}

pub(super) fn path(path: &str, node: &Node, problems: &mut Problems<'_>) {
    if let Some(why) = path_problem(path) {
        problems.push(node.mark, OverlayProblem::BadPath(why));
    }
}

/// What keeps `path` from naming a file inside a tree, on every system. The lock's own rule, and two more:
/// names that Windows takes for `.git`, and control characters, which no report could show.
pub(crate) fn path_problem(path: &str) -> Option<String> {
    if let Err(why) = check_tree_path(path) {
        return Some(why);
    }
    let is_git = |part: &str| {
        let part = part.trim_end_matches(['.', ' ']).to_ascii_lowercase();
        part == ".git" || part == "git~1"
    };
    if path.split('/').any(is_git) {
        return Some(format!(
            "the path `{path}` lies in a git repository's own folder"
        ));
    }
    let hidden = path.chars().any(char::is_control);
    hidden.then(|| format!("the path `{}` has a control character", path.escape_debug()))
}

/// A hunk with variants has its edits and conditions in them.
pub(super) fn no_parts_beside_variants(raw: &RawHunk, node: &Node, problems: &mut Problems<'_>) {
    let beside = [
        ("when", raw.when.is_some()),
        ("expect", raw.expect.is_some()),
    ];
    for (key, there) in beside {
        if there {
            let problem = OverlayProblem::Misplaced {
                key,
                why: "stands beside `variants`",
                help: "move it into the variants that it is about",
            };
            problems.push(node.key_mark(key), problem);
        }
    }
}

pub(super) fn macros(names: &[String], node: &Node, problems: &mut Problems<'_>) {
    for (index, name) in names.iter().enumerate() {
        if !is_identifier(name) {
            bad_name(
                name,
                "the name of a macro",
                None,
                node.item(index),
                problems,
            );
        }
    }
}

pub(super) fn provides(names: &BTreeMap<String, String>, node: &Node, problems: &mut Problems<'_>) {
    for (role, name) in names {
        id("role", role, node.key(role), problems);
        let is_name = tokens(name).is_ok_and(|found| {
            found
                .first()
                .is_some_and(|first| is_identifier(first.text) || first.text == "~")
        });
        if !is_name {
            let expected = "a C++ name such as `mlx::core::metal::f(int)`";
            bad_name(name, expected, None, node.key(role), problems);
        }
    }
}

/// The releases that an overlay claims: all, where it says nothing.
pub(super) fn requirement(
    raw: Option<&str>,
    node: &Node,
    problems: &mut Problems<'_>,
) -> Option<VersionReq> {
    let Some(raw) = raw else {
        return Some(VersionReq::STAR);
    };
    VersionReq::parse(raw)
        .map_err(|error| {
            let (found, why) = (raw.to_owned(), error.to_string());
            problems.push(
                node.key("releases").mark,
                OverlayProblem::BadRequirement { found, why },
            );
        })
        .ok()
}

pub(super) fn bad_name(
    name: &str,
    expected: &'static str,
    help: Option<String>,
    node: &Node,
    problems: &mut Problems<'_>,
) {
    let name = name.to_owned();
    problems.push(
        node.mark,
        OverlayProblem::BadName {
            name,
            expected,
            help,
        },
    );
}

/// Returns true if `text` is an identifier of C++.
pub(super) fn is_identifier(text: &str) -> bool {
    let part = |c: char| c == '_' || c.is_alphanumeric();
    !text.is_empty() && !text.starts_with(|c: char| c.is_ascii_digit()) && text.chars().all(part)
}

/// Returns true if `text` is a sequence of one or more tokens.
pub(super) fn token_pattern(text: &str, node: &Node, problems: &mut Problems<'_>) -> bool {
    let (at, why) = match tokens(text) {
        Ok(found) if !found.is_empty() => return true,
        Ok(_) => (0, "there is none".to_owned()),
        Err(problem) => (problem.at, problem.why),
    };
    problems.push(node.inside(at), OverlayProblem::BadTokens(why));
    false
}

/// Returns true if `text` is a regular expression of bounded size that says something.
pub(super) fn regex(text: &str, node: &Node, problems: &mut Problems<'_>) {
    if text.len() > REGEX_TEXT {
        let why = format!(
            "it has {} bytes, over the limit of {REGEX_TEXT}",
            text.len()
        );
        problems.push(node.mark, OverlayProblem::BadRegex(why));
        return;
    }
    if let Err(error) = regex_syntax::Parser::new().parse(text) {
        let (at, why) = syntax(&error);
        problems.push(node.inside(at), OverlayProblem::BadRegex(why));
        return;
    }
    match RegexBuilder::new(text).size_limit(REGEX_SIZE).build() {
        Ok(regex) if regex.is_match("") => {
            problems.push(node.mark, OverlayProblem::RegexMatchesNothing);
        }
        Ok(_) => {}
        Err(_) => {
            let why = format!("compiled, it takes more than {REGEX_SIZE} bytes");
            problems.push(node.mark, OverlayProblem::BadRegex(why));
        }
    }
}

/// Where a regular expression is wrong, in bytes, and why.
fn syntax(error: &regex_syntax::Error) -> (usize, String) {
    let (at, why) = match error {
        regex_syntax::Error::Parse(error) => (error.span().start.offset, error.kind().to_string()),
        regex_syntax::Error::Translate(error) => {
            (error.span().start.offset, error.kind().to_string())
        }
        _ => (0, "it does not parse".to_owned()),
    };
    (at, format!("{why} (at byte {})", at + 1))
}
