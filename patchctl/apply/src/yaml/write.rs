//! Writes a value as YAML: block maps and lists, code as literal blocks, and quotes around every text that a YAML 1.1
//! or YAML 1.2 reader could take for something else.

use std::fmt::Write;

use serde::Serialize;
use serde_json::Value as Json;

use super::scalar;

/// A value as YAML that ends with a line feed. The same value gives the same bytes.
///
/// # Errors
/// When a map has keys that are no texts.
pub fn to_yaml<T: Serialize>(value: &T) -> Result<String, serde_json::Error> {
    let mut out = String::new();
    // The depth is that of the caller's own types: no input decides it.
    node(&serde_json::to_value(value)?, 0, Place::Root, &mut out);
    Ok(out)
}

/// The text before a node on its line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Nothing.
    Root,
    /// `key:`
    Key,
    /// `-`
    Dash,
}

fn node(value: &Json, indent: usize, place: Place, out: &mut String) {
    match value {
        Json::Object(map) if !map.is_empty() => {
            for (index, (key, value)) in map.iter().enumerate() {
                begin(index, indent, place, out);
                scalar_text(key, None, out);
                out.push(':');
                // A list stands at its key's own column.
                let below = if value.is_array() { indent } else { indent + 2 };
                node(value, below, Place::Key, out);
            }
        }
        Json::Array(list) if !list.is_empty() => {
            for (index, item) in list.iter().enumerate() {
                begin(index, indent, place, out);
                out.push('-');
                node(item, indent + 2, Place::Dash, out);
            }
        }
        scalar => {
            if place != Place::Root {
                out.push(' ');
            }
            match scalar {
                Json::Object(_) => out.push_str("{}"),
                Json::Array(_) => out.push_str("[]"),
                Json::String(text) => return scalar_line(text, indent, out),
                other => out.push_str(&other.to_string()),
            }
            out.push('\n');
        }
    }
}

/// Begins the line of a map's entry or a list's item.
fn begin(index: usize, indent: usize, place: Place, out: &mut String) {
    match (place, index) {
        (Place::Dash, 0) => return out.push(' '),
        (Place::Key, 0) => out.push('\n'),
        _ => {}
    }
    spaces(indent, out);
}

fn scalar_line(text: &str, indent: usize, out: &mut String) {
    scalar_text(text, Some(indent), out);
    if !out.ends_with('\n') || !is_block(text) {
        out.push('\n');
    }
}

fn spaces(count: usize, out: &mut String) {
    out.extend(std::iter::repeat_n(' ', count));
}

/// A text in the plainest style that keeps it. `block` is the indentation of a literal block; none for a key.
fn scalar_text(text: &str, block: Option<usize>, out: &mut String) {
    match block {
        Some(indent) if is_block(text) => literal(text, indent, out),
        _ if !text.chars().all(is_shown) => double_quoted(text, out),
        _ if scalar::is_plain(text) => out.push_str(text),
        _ => {
            let _ = write!(out, "'{}'", text.replace('\'', "''"));
        }
    }
}

/// Returns true for a character that every reader keeps as it is inside quotes on one line.
fn is_shown(c: char) -> bool {
    matches!(c, ' '..='~' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}')
        && !matches!(c, '\u{feff}' | '\u{2028}' | '\u{2029}')
}

/// Returns true for several lines that a literal block keeps: no line ends in white space.
fn is_block(text: &str) -> bool {
    text.contains('\n')
        && text.chars().all(|c| c == '\n' || is_shown(c))
        && !text.split('\n').any(|line| line.ends_with(' '))
}

fn literal(text: &str, indent: usize, out: &mut String) {
    out.push('|');
    // Without the digit a reader would take the first line's own indentation for the block's.
    if text.starts_with([' ', '\n']) {
        out.push('2');
    }
    let content = text.strip_suffix('\n');
    match content {
        None => out.push('-'),
        Some(rest) if rest.is_empty() || rest.ends_with('\n') => out.push('+'),
        Some(_) => {}
    }
    out.push('\n');
    for line in content.unwrap_or(text).split('\n') {
        if !line.is_empty() {
            spaces(indent, out);
            out.push_str(line);
        }
        out.push('\n');
    }
}

fn double_quoted(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        let _ = match c {
            '"' | '\\' => write!(out, "\\{c}"),
            '\n' => write!(out, "\\n"),
            '\r' => write!(out, "\\r"),
            '\t' => write!(out, "\\t"),
            c if is_shown(c) => write!(out, "{c}"),
            c if u32::from(c) <= 0xff => write!(out, "\\x{:02X}", u32::from(c)),
            c if u32::from(c) <= 0xffff => write!(out, "\\u{:04X}", u32::from(c)),
            c => write!(out, "\\U{:08X}", u32::from(c)),
        };
    }
    out.push('"');
}
