//! insta's front matter, as insta 1.49 writes it: keys in its order, texts quoted where it quotes them, so that
//! a snapshot which `cargo insta` has accepted is byte for byte what patchctl would write.

use std::fmt::Write;

use serde::Deserialize;

use crate::yaml::tree;

const FENCE: &str = "---\n";
/// The first words of the description of a snapshot whose edits a person has to look at.
const TO_REVIEW: &str = "to be reviewed: ";
/// The words before those edits that were accepted one by one, while others still wait.
const REVIEWED: &str = "; reviewed: ";

/// The front matter of a snapshot.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Front {
    /// The overlay's file, relative to the root.
    pub source: String,
    /// The line of the first hunk that waits. Only in a pending snapshot: accepting takes it away.
    pub line: Option<u64>,
    /// The edits that a person has to look at, or has by accepting the whole: `hunk.edit`. Empty once a bump has
    /// taken the review in.
    pub to_review: Vec<String>,
    /// Edits that were accepted one by one.
    pub reviewed: Vec<String>,
    /// `decode-input-budget on 0.32.2`.
    pub expression: String,
}

const NO_FRONT: &str = "it does not begin with `---`, insta's front matter and `---`";

/// The keys that matter; others are insta's own.
#[derive(Debug, Deserialize)]
struct Raw {
    source: Option<String>,
    assertion_line: Option<u64>,
    description: Option<String>,
    expression: Option<String>,
}

impl Front {
    /// The front matter with its fences; the snapshot's text comes right behind.
    pub fn to_text(&self) -> String {
        let mut out = FENCE.to_owned();
        let _ = writeln!(out, "source: {}", scalar(&self.source));
        if let Some(line) = self.line {
            let _ = writeln!(out, "assertion_line: {line}");
        }
        if !self.is_settled() {
            let mut description = format!("{TO_REVIEW}{}", self.to_review.join(", "));
            if !self.reviewed.is_empty() {
                description.push_str(REVIEWED);
                description.push_str(&self.reviewed.join(", "));
            }
            let _ = writeln!(out, "description: {}", scalar(&description));
        }
        let _ = writeln!(out, "expression: {}", scalar(&self.expression));
        out + FENCE
    }

    /// Returns true if no edit is named: a bump has written it, with all of it proven.
    pub fn is_settled(&self) -> bool {
        self.to_review.is_empty() && self.reviewed.is_empty()
    }

    /// Returns true if a person who has accepted the snapshot has looked at this edit, `hunk.edit`.
    pub fn looked_at(&self, edit: &str) -> bool {
        let mut names = self.to_review.iter().chain(&self.reviewed);
        names.any(|name| name == edit)
    }

    /// Notes that an edit was accepted by itself.
    pub fn settle(&mut self, edit: &str) {
        self.to_review.retain(|name| name != edit);
        self.reviewed.push(edit.to_owned());
    }

    /// Splits a snapshot file into its front matter and its text. Line ends may be CRLF.
    ///
    /// # Errors
    /// When it has no front matter that can be read.
    pub fn split(file: &str) -> Result<(Self, String), String> {
        let file = file.strip_prefix('\u{feff}').unwrap_or(file);
        let file = file.replace("\r\n", "\n");
        let inside = file.strip_prefix(FENCE).ok_or(NO_FRONT)?;
        let (yaml, text) = inside.split_once("\n---\n").ok_or(NO_FRONT)?;
        let raw = tree("front matter".into(), yaml.as_bytes())
            .map_err(|faults| faults.to_string())
            .and_then(|root| Raw::deserialize(&root).map_err(|error| error.to_string()))
            .map_err(|why| format!("its front matter is none of insta's: {why}"))?;
        let description = raw.description.unwrap_or_default();
        let names = description.strip_prefix(TO_REVIEW).unwrap_or_default();
        let (to_review, reviewed) = names.split_once(REVIEWED).unwrap_or((names, ""));
        let list = |names: &str| {
            let names = names.split(", ").filter(|name| !name.is_empty());
            names.map(str::to_owned).collect()
        };
        let front = Self {
            source: raw.source.unwrap_or_default(),
            line: raw.assertion_line,
            to_review: list(to_review),
            reviewed: list(reviewed),
            expression: raw.expression.unwrap_or_default(),
        };
        Ok((front, text.to_owned()))
    }
}

/// A text as insta's emitter writes it: plain where it can be, else between double quotes.
fn scalar(text: &str) -> String {
    const FIRST: &str = "&*?|-<>=!%@. ";
    const ANYWHERE: &str = ":{}[],#`\"'\\";
    const WORDS: [&str; 18] = [
        "yes", "Yes", "YES", "no", "No", "NO", "True", "TRUE", "true", "False", "FALSE", "false",
        "on", "On", "ON", "off", "Off", "OFF",
    ];
    const NULLS: [&str; 4] = ["null", "Null", "NULL", "~"];
    let plain = !text.is_empty()
        && !text.starts_with(|first| FIRST.contains(first))
        && !text.ends_with(' ')
        && !text.contains(|c: char| ANYWHERE.contains(c) || c.is_control())
        && !WORDS.contains(&text)
        && !NULLS.contains(&text)
        && !text.starts_with("0x")
        && text.parse::<f64>().is_err();
    if plain {
        return text.to_owned();
    }
    let mut out = String::from('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_ascii_control() => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
