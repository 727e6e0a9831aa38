//! A finding as a reader sees it: what, where, the code with line numbers, and what to do.

use std::fmt::Write;

use super::style::{FAINT, HELPFUL, STRONG, paint, severity_word, visible};
use super::{Finding, Severity};

/// Characters of a line of code that are shown; generated code has lines of megabytes.
const LONGEST_LINE: usize = 240;

/// Appends a finding. `word` replaces the severity's word where the result knows a better one.
pub(super) fn frame(out: &mut String, finding: &Finding, word: Option<&str>) {
    let (usual, style) = severity_word(finding.severity);
    let word = paint(
        style,
        format!("{}[{}]", word.unwrap_or(usual), finding.code),
    );
    let hunk = finding
        .hunk
        .as_deref()
        .map(|hunk| format!(" {}:", paint(STRONG, visible(hunk))))
        .unwrap_or_default();
    let _ = writeln!(out, "{word}:{hunk} {}", visible(&finding.message));

    let text = finding.excerpt.as_deref().map(visible);
    let lines = text
        .iter()
        .flat_map(|text| text.trim_end_matches('\n').split('\n'));
    let lines: Vec<String> = lines.map(shorten).collect();
    let width = match finding.excerpt_line {
        Some(first) if !lines.is_empty() => (first + lines.len() as u64).to_string().len(),
        _ => 1,
    };
    if let Some(place) = finding.place() {
        let place = visible(&place);
        let _ = writeln!(out, "{:width$}{} {place}", "", paint(FAINT, "-->"));
    }
    if !lines.is_empty() {
        excerpt(out, finding, &lines, width);
    }
    if let Some(text) = &finding.help {
        help(out, text);
    }
}

/// Appends `help: …`. Of a text of several lines the first stands by the word and the rest as it is, from
/// the first column, so that a piece of YAML can be copied.
pub(super) fn help(out: &mut String, text: &str) {
    let text = visible(text);
    let text = text.trim_end_matches('\n');
    let _ = writeln!(out, "{}: {text}", paint(HELPFUL, "help"));
}

fn excerpt(out: &mut String, finding: &Finding, lines: &[String], width: usize) {
    let bar = paint(FAINT, "|");
    let empty = paint(FAINT, format!("{:width$} |", ""));
    let _ = writeln!(out, "{empty}");
    for (index, line) in lines.iter().enumerate() {
        let number = finding.excerpt_line.map(|first| first + index as u64);
        let shown = number.map(|number| number.to_string()).unwrap_or_default();
        let meant = number.is_some() && number == finding.line;
        let shown = format!("{shown:>width$}");
        let shown = paint(if meant { STRONG } else { FAINT }, shown);
        let _ = writeln!(out, "{}", format!("{shown} {bar} {line}").trim_end());
        if meant && let Some(column) = finding.column {
            let before = line
                .chars()
                .take(usize::try_from(column).unwrap_or(1).saturating_sub(1));
            let blank = " ".repeat(before.count());
            let (_, style) = severity_word(Severity::Error);
            let _ = writeln!(out, "{empty} {blank}{}", paint(style, "^"));
        }
    }
}

/// A line no longer than [`LONGEST_LINE`]; a tab is as wide as the column that it stands for, so that the
/// caret below points at what it means.
fn shorten(line: &str) -> String {
    let line = line.replace('\t', " ");
    match line.char_indices().nth(LONGEST_LINE) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Code;

    fn plain(finding: &Finding) -> String {
        let mut out = String::new();
        frame(&mut out, finding, None);
        anstream::adapter::strip_str(&out).to_string()
    }

    fn misplaced() -> Finding {
        Finding::new(Code::AnchorAmbiguous, "the anchor matches twice")
            .hunk("budget/commit-check")
            .file("mlx/device.cpp")
            .at(100, 3)
            .excerpt_from(99, "bool needs_commit() {\n  return ops > max;\n}\n")
    }

    #[test]
    fn excerpt_has_line_numbers_and_a_caret() {
        let expected = "\
error[anchor-ambiguous]: budget/commit-check: the anchor matches twice
   --> mlx/device.cpp:100:3
    |
 99 | bool needs_commit() {
100 |   return ops > max;
    |   ^
101 | }
";
        assert_eq!(plain(&misplaced()), expected);
    }

    #[test]
    fn yaml_in_help_keeps_its_columns() {
        let finding = Finding {
            help: Some(
                "add to overlays/mlx/budget.yaml:\n      - name: encoder\n        when: []\n"
                    .to_owned(),
            ),
            excerpt: None,
            ..misplaced()
        };
        let expected = "\
error[anchor-ambiguous]: budget/commit-check: the anchor matches twice
 --> mlx/device.cpp:100:3
help: add to overlays/mlx/budget.yaml:
      - name: encoder
        when: []
";
        assert_eq!(plain(&finding), expected);
    }

    #[test]
    fn free_excerpt_has_no_line_numbers() {
        let finding = Finding {
            line: None,
            column: None,
            excerpt_line: None,
            excerpt: Some("- a\n+ b".to_owned()),
            ..misplaced()
        };
        let expected = "\
error[anchor-ambiguous]: budget/commit-check: the anchor matches twice
 --> mlx/device.cpp
  |
  | - a
  | + b
";
        assert_eq!(plain(&finding), expected);
    }

    #[test]
    fn a_line_of_generated_code_is_cut() {
        let finding = Finding {
            excerpt: Some("x".repeat(100_000)),
            ..misplaced()
        };
        assert!(plain(&finding).len() < 600);
    }
}
