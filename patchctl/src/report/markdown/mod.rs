//! The form for a pull request: what was asked, what came of it, and what is to be done, in Markdown.

mod sections;
mod text;

use super::Report;

/// Characters that the body of a pull request holds on GitHub.
const LONGEST: usize = 65_536;

/// The report as the body of a pull request. Where it would be too long, whole sections are left out, and a line
/// says which.
pub fn render_markdown(report: &Report) -> String {
    fitted(sections::all(report), LONGEST)
}

/// Text (a diff, a manual page) as the body of a pull request.
pub fn render_markdown_text(command: &str, text: &str, language: &str) -> String {
    let head = Section::new("The head", format!("## patchctl {command}\n"));
    let body = Section::new("The text", self::text::block(text, language));
    fitted(vec![head, body], LONGEST)
}

/// A part that stands or falls as a whole.
struct Section {
    /// Its name in the line about sections that were left out.
    name: String,
    /// Ends with a line feed.
    text: String,
}

impl Section {
    fn new(name: impl Into<String>, text: String) -> Self {
        let name = name.into();
        Self { name, text }
    }
}

fn fitted(sections: Vec<Section>, longest: usize) -> String {
    /// The room that the line about left out sections needs, however many there are.
    const RESERVED: usize = 600;
    const NAMED: usize = 5;
    let length = |text: &str| text.chars().count() + 1;
    let whole: usize = sections.iter().map(|it| length(&it.text)).sum();
    let room = match whole <= longest {
        true => longest,
        false => longest.saturating_sub(RESERVED),
    };
    let mut out = String::new();
    let mut used = 0;
    let mut left_out = Vec::new();
    for section in sections {
        let more = length(&section.text);
        if used + more > room {
            left_out.push(section.name);
            continue;
        }
        used += more;
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(&section.text);
    }
    if !left_out.is_empty() {
        let short = |name: &String| name.chars().take(80).collect::<String>();
        let named: Vec<String> = left_out.iter().take(NAMED).map(short).collect();
        let others = match left_out.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        out.push_str(&format!(
            "\n_Left out, since the body of a pull request holds {longest} characters: {}{others}. `--report FILE.json` \
             writes all of it._\n",
            named.join("; ")
        ));
    }
    out
}

#[cfg(test)]
mod tests;
