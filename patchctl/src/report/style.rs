//! Words and colours of the human form. Colours are always written; the terminal layer takes them out where they are
//! not wanted.

use std::borrow::Cow;
use std::fmt::Display;

use anstyle::{AnsiColor, Style};

use super::{Severity, Status};

pub(super) const STRONG: Style = Style::new().bold();
pub(super) const FAINT: Style = Style::new().dimmed();
pub(super) const GOOD: Style = AnsiColor::Green.on_default().bold();
pub(super) const BAD: Style = AnsiColor::Red.on_default().bold();
pub(super) const DOUBTFUL: Style = AnsiColor::Yellow.on_default().bold();
pub(super) const HELPFUL: Style = AnsiColor::Cyan.on_default().bold();

/// `text` in `style`.
pub(super) fn paint(style: Style, text: impl Display) -> String {
    format!("{style}{text}{style:#}")
}

/// The count with its noun: `1 hunk`, `2 hunks`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    match count {
        1 => format!("1 {noun}"),
        _ => format!("{count} {noun}s"),
    }
}

/// The texts, each where it is first met.
pub(super) fn once<'a>(texts: impl Iterator<Item = &'a String>) -> Vec<&'a String> {
    let mut once = Vec::new();
    for text in texts {
        if !once.contains(&text) {
            once.push(text);
        }
    }
    once
}

/// The beginning of an output: a compiler's first error is the one.
pub(crate) fn first_lines(text: &str) -> String {
    const SHOWN: usize = 12;
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let shown = lines[..lines.len().min(SHOWN)].join("\n");
    match lines.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown}\n… and {more} more lines"),
    }
}

/// The first digits of a commit or digest, enough for a reader.
pub(crate) fn short(hex: &str) -> &str {
    hex.get(..12).unwrap_or(hex)
}

/// The reader's word for a status, and its colour.
pub(super) fn status_word(status: Status) -> (&'static str, Style) {
    match status {
        Status::Passed => ("passed", GOOD),
        Status::Failed => ("failed", BAD),
        Status::NeedsReview => ("needs review", DOUBTFUL),
        Status::NotRun => ("not run", FAINT),
        Status::Unsupported => ("unsupported", FAINT),
    }
}

/// The word that a finding begins with, and its colour.
pub(super) fn severity_word(severity: Severity) -> (&'static str, Style) {
    match severity {
        Severity::Error => ("error", BAD),
        Severity::Warning => ("warning", DOUBTFUL),
        Severity::Note => ("note", HELPFUL),
    }
}

/// `text` with every character escaped that could move the cursor, colour the terminal or turn the reading
/// direction: upstream's code and other people's messages are shown, never obeyed. Line feeds and tabs stay;
/// a carriage return before a line feed goes.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    let hostile = |c: char| {
        (c.is_control() && c != '\n' && c != '\t')
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    if !text.chars().any(hostile) {
        return Cow::Borrowed(text);
    }
    let text = text.replace("\r\n", "\n");
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if hostile(c) {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use super::visible;

    #[test]
    fn escape_sequences_are_shown_not_obeyed() {
        assert_eq!(visible("a\u{1b}[2Jb"), "a\\u{1b}[2Jb");
        assert_eq!(visible("a\rb"), "a\\rb");
        assert_eq!(visible("int x; /*\u{202e} */"), "int x; /*\\u{202e} */");
    }

    #[test]
    fn ordinary_text_is_unchanged() {
        assert_eq!(visible("\tsize_t größe;\n"), "\tsize_t größe;\n");
        assert_eq!(visible("a\r\nb\r\n"), "a\nb\n");
    }
}
