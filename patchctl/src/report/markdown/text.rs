//! Text from outside in GitHub's Markdown: shown as it is, never obeyed. No link, image, HTML or mention comes
//! into being, and no table or fence ends early.

use crate::report::style::visible;

/// One line of prose. Pairs of backticks in it stay code.
pub(super) fn prose(text: &str) -> String {
    let text = one_line(text);
    // These would make the line a heading, a list or a quotation.
    let marks = text.len() - text.trim_start_matches(['#', '-', '+', '=', '>']).len();
    let (marks, text) = text.split_at(marks);
    let written = marks.chars().map(|c| format!("&#{};", u32::from(c)));
    written.collect::<String>() + &spans(text)
}

/// Pairs of backticks as code, the rest plain.
fn spans(text: &str) -> String {
    let pieces: Vec<&str> = text.split('`').collect();
    // An odd one out is no pair: then all of it is plain.
    if pieces.len().is_multiple_of(2) {
        return plain(text);
    }
    let pieces = pieces.iter().enumerate().map(|(index, piece)| {
        match index % 2 == 1 && !piece.trim().is_empty() {
            true => code(piece),
            false => plain(piece),
        }
    });
    pieces.collect()
}

/// One line of code, also in a table's cell.
pub(super) fn code(text: &str) -> String {
    let text = one_line(text);
    if text.trim().is_empty() {
        return String::new();
    }
    // A span of backticks cannot hold these, and a `|` would end a table's cell in it.
    match text.contains(['`', '|', '\\']) {
        true => format!("<code>{}</code>", written_out(&text)),
        false => format!("`{text}`"),
    }
}

/// Several lines, verbatim.
pub(super) fn block(text: &str, language: &str) -> String {
    let text = visible(text);
    let text = text.trim_end_matches('\n');
    let longest = text
        .split(|c| c != '`')
        .map(str::len)
        .max()
        .unwrap_or_default();
    let fence = "`".repeat((longest + 1).max(3));
    format!("{fence}{language}\n{text}\n{fence}\n")
}

fn one_line(text: &str) -> String {
    let text = visible(text);
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join(" ").replace('\t', " ")
}

/// Text with every character written out that Markdown may give a meaning to. GitHub looks for mentions and issues
/// in what comes of that, so these are parted by a space of no width.
fn plain(text: &str) -> String {
    let text = written_out(text);
    let mut out = String::new();
    let mut before = ' ';
    for c in text.chars() {
        let issue = c.is_ascii_digit() && out.to_ascii_uppercase().ends_with("GH-");
        if issue || matches!(before, '@' | '#') && c.is_alphanumeric() && !out.ends_with("&#") {
            out.push_str("&#8203;");
        }
        out.push(c);
        before = c;
    }
    out.replace("://", ":&#8203;//")
        .replace("www.", "www&#8203;.")
}

fn written_out(text: &str) -> String {
    let mut out = String::new();
    let mut before = ' ';
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        // Inside of a word an underscore means itself.
        let in_word = before.is_alphanumeric() && rest.peek().is_some_and(|c| c.is_alphanumeric());
        if "&<\\`*[~|$".contains(c) || c == '_' && !in_word {
            out.push_str(&format!("&#{};", u32::from(c)));
        } else {
            out.push(c);
        }
        before = c;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_is_shown_not_obeyed() {
        assert_eq!(
            prose("`budget` claims releases >=0.23.0"),
            "`budget` claims releases >=0.23.0"
        );
        assert_eq!(prose("# - a"), "&#35; - a");
        assert_eq!(prose("odd ` one"), "odd &#96; one");
        assert_eq!(
            prose("see @someone, #12 and gh-3: <img src=x> [a](https://b) ![c](d)\n# head"),
            "see @&#8203;someone, #&#8203;12 and gh-&#8203;3: &#60;img src=x> \
             &#91;a](https:&#8203;//b) !&#91;c](d) # head"
        );
        assert_eq!(
            prose("*a* _b_ ~c~ d_e |"),
            "&#42;a&#42; &#95;b&#95; &#126;c&#126; d_e &#124;"
        );
    }

    #[test]
    fn code_cannot_end_its_span_or_its_cell() {
        assert_eq!(
            code("Encoder::needs_commit() const"),
            "`Encoder::needs_commit() const`"
        );
        assert_eq!(code("a | b"), "<code>a &#124; b</code>");
        assert_eq!(
            code("a `b` </code>"),
            "<code>a &#96;b&#96; &#60;/code></code>"
        );
        assert_eq!(code("two\n\nlines"), "`two lines`");
        assert_eq!(code(" \n"), "");
    }

    #[test]
    fn fence_is_longer_than_any_inside() {
        assert_eq!(
            block("a\n````\nb\n", "yaml"),
            "`````yaml\na\n````\nb\n`````\n"
        );
        assert_eq!(block("a", ""), "```\na\n```\n");
    }
}
