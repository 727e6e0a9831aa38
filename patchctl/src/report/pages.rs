//! The documentation of the finding codes: one page for `patchctl explain`, all of them for `docs/findings.md`.

use std::fmt::Write;

use super::code::SECTIONS;
use super::page::{Page, plain};
use super::style::{STRONG, paint, severity_word};
use super::{Report, Severity};

impl Page {
    /// Returns the pages of all codes, in the order of `docs/findings.md`.
    pub(crate) fn all() -> impl Iterator<Item = &'static Self> {
        SECTIONS.iter().flat_map(|section| section.pages)
    }

    /// Returns the page of a code.
    pub(crate) fn of(code: &str) -> Option<&'static Self> {
        Self::all().find(|page| page.code == code)
    }

    /// Returns the page as a section of a longer text, in Markdown.
    pub(super) fn section_text(&self) -> String {
        format!("**`{}`** {}", self.code, plain(self.text))
    }

    /// Returns the meaning and what to do, a line each, and the rest as it is.
    fn parts(&self) -> (String, String, String) {
        let text = plain(self.text);
        let mut paragraphs = text.trim_end().splitn(3, "\n\n").map(str::to_owned);
        let mut next = || paragraphs.next().unwrap_or_default();
        let (meaning, to_do, more) = (next(), next(), next());
        (meaning.replace('\n', " "), to_do.replace('\n', " "), more)
    }
}

/// Appends the page of a single code, or a list of several.
pub(super) fn codes(out: &mut String, report: &Report) {
    if let [page] = report.codes.as_slice() {
        let (word, style) = severity_word(page.severity);
        let status = page.exit.code();
        let _ = write!(
            out,
            "{}: {}, exit status {status}\n\n{}",
            paint(STRONG, page.code),
            paint(style, word),
            plain(page.text),
        );
        return;
    }
    let width = report.codes.iter().map(|page| page.code.len()).max();
    let mut section = "";
    for page in &report.codes {
        if page.section != section {
            let end = if section.is_empty() { "" } else { "\n" };
            section = page.section;
            let _ = writeln!(out, "{end}{section}");
        }
        let code = format!("{:width$}", page.code, width = width.unwrap_or(0));
        let _ = writeln!(out, "  {}  {}", paint(STRONG, code), page.parts().0);
    }
}

/// Makes `docs/findings.md`.
pub(crate) fn findings_page() -> String {
    let mut out = "\
# Finding codes

Every finding has a code. Codes are stable: they are kept over versions, and a script may rely on them. The message behind a code may
change. `patchctl explain CODE` prints the entry of one.

The exit status is that of a command which finds nothing graver; a note or a warning decides nothing. This page is made by
`patchctl explain --markdown`.
"
    .to_owned();
    for section in SECTIONS {
        let intro = match section.intro {
            "" => String::new(),
            intro => format!("{intro}\n\n"),
        };
        let _ = write!(
            out,
            "\n## {}\n\n{intro}| code | exit | meaning | what to do |\n| --- | --- | --- | --- |\n",
            section.title
        );
        let mut details = String::new();
        for page in section.pages {
            let (meaning, to_do, more) = page.parts();
            let (word, status) = match page.severity {
                Severity::Error => (String::new(), page.exit.code().to_string()),
                other => (format!("{}: ", severity_word(other).0), String::new()),
            };
            let _ = writeln!(
                out,
                "| `{}` | {status} | {word}{meaning} | {to_do} |",
                page.code
            );
            if !more.is_empty() {
                let _ = write!(details, "\n### `{}`\n\n{more}\n", page.code);
            }
        }
        out.push_str(&details);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_page_has_its_code_and_advice() {
        let mut seen = std::collections::BTreeSet::new();
        for page in Page::all() {
            let (meaning, to_do, _) = page.parts();
            assert!(seen.insert(page.code), "{} is there twice", page.code);
            assert!(meaning.ends_with(['.', ':']), "{}: {meaning}", page.code);
            let is_error = page.severity == Severity::Error;
            assert!(!is_error || to_do.ends_with('.'), "{}: {to_do}", page.code);
        }
        assert!(seen.len() > 100);
    }
}
