//! A unified diff with colours.

use super::style::{BAD, GOOD, HELPFUL, STRONG, paint};

/// The diff with its headings and changed lines in colours, otherwise as it is.
pub fn render_diff(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    for line in text.split_inclusive('\n') {
        let (line, end) = match line.strip_suffix('\n') {
            Some(line) => (line, "\n"),
            None => (line, ""),
        };
        let style = match line.as_bytes() {
            [b'-', b'-', b'-', b' ', ..] | [b'+', b'+', b'+', b' ', ..] => Some(STRONG),
            [b'@', b'@', ..] => Some(HELPFUL),
            [b'+', ..] => Some(GOOD),
            [b'-', ..] => Some(BAD),
            _ => None,
        };
        match style {
            Some(style) => out.push_str(&paint(style, line)),
            None => out.push_str(line),
        }
        out.push_str(end);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::render_diff;

    #[test]
    fn diff_without_colours_is_unchanged() {
        let text = "--- a/x\n+++ b/x\n@@ -1,0 +2,1 @@ o/h.1\n+int x;\r\n-y\n z\n\\ No newline at end of file";
        let colored = render_diff(text);
        assert!(colored.contains("\u{1b}"));
        assert_eq!(anstream::adapter::strip_str(&colored).to_string(), text);
    }
}
