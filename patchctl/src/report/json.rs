//! The JSON form: one document, described in `docs/json.md`.

use serde::Serialize;

use super::Report;

/// The report as one JSON document with a line feed at its end.
///
/// # Errors
/// None today: every value of a report has a JSON form. The type says so to the caller, who prints it.
pub fn render_json(report: &Report) -> Result<String, serde_json::Error> {
    document(report)
}

/// The envelope of a command whose answer is text (`diff`, `man`, `completions`): a report with `text`.
///
/// # Errors
/// As [`render_json`].
pub fn render_json_text(command: &str, text: &str) -> Result<String, serde_json::Error> {
    #[derive(Serialize)]
    struct WithText<'a> {
        #[serde(flatten)]
        report: Report,
        text: &'a str,
    }
    document(&WithText {
        report: Report::new(command),
        text,
    })
}

fn document(value: &impl Serialize) -> Result<String, serde_json::Error> {
    let mut text = serde_json::to_string_pretty(value)?;
    text.push('\n');
    Ok(text)
}
