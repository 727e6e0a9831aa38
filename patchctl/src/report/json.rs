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

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::report::{Code, Finding, ReleaseResult, Status};

    #[test]
    fn a_report_has_the_form_that_is_documented() {
        let report = Report {
            ok: false,
            results: vec![ReleaseResult {
                status: Status::NeedsReview,
                landed: vec![],
                findings: vec![
                    Finding::new(Code::NeedsReviewShape, "m")
                        .hunk("budget/read")
                        .file("mlx/device.cpp")
                        .line(1)
                        .help("h"),
                ],
                ..ReleaseResult::new("0.32.2", "1f8e74e3", "structure")
            }],
            ..Report::new("verify")
        };
        let text = render_json(&report).unwrap();
        assert!(text.ends_with("}\n"));
        let document: Value = serde_json::from_str(&text).unwrap();
        let expected = json!({
            "schema": 1,
            "command": "verify",
            "ok": false,
            "results": [{
                "release": "0.32.2",
                "revision": "1f8e74e3",
                "status": "needs-review",
                "level": "structure",
                "findings": [{
                    "hunk": "budget/read",
                    "file": "mlx/device.cpp",
                    "line": 1,
                    "severity": "error",
                    "code": "needs-review-shape",
                    "message": "m",
                    "help": "h",
                }],
            }],
        });
        assert_eq!(document, expected);
    }

    #[test]
    fn text_stands_in_the_same_envelope() {
        let document: Value =
            serde_json::from_str(&render_json_text("diff", "+ a\n").unwrap()).unwrap();
        let expected =
            json!({"schema": 1, "command": "diff", "ok": true, "results": [], "text": "+ a\n"});
        assert_eq!(document, expected);
    }
}
