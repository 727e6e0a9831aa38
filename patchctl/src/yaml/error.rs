//! A fault of a file with its place and the advice.

use camino::{Utf8Path, Utf8PathBuf};

use super::form::Problems;
use crate::report::{Code, Finding};
use patchctl_apply::yaml::Mark;

/// A kind of mistake: what [`std::fmt::Display`] says of it is a lowercase fragment.
pub(crate) trait Problem: std::fmt::Display {
    /// The code of its finding.
    fn code(&self) -> Code;
    /// The advice, or a suggestion.
    fn help(&self) -> Option<String>;
    /// Returns true if the surroundings failed (a file that cannot be read), and not the file's text.
    fn is_surroundings(&self) -> bool {
        false
    }
}

/// One mistake in one file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}{}: {message}", self.place())]
pub struct Fault {
    /// The file, as it was named to the reader of it.
    pub file: Utf8PathBuf,
    /// Where in it; none when the whole file is meant.
    pub mark: Option<Mark>,
    /// The code of its finding.
    pub(crate) code: Code,
    /// A lowercase fragment: what is, and what was expected.
    pub message: String,
    /// The advice, or a suggestion.
    pub help: Option<String>,
    /// The line of the file, as it is, without its end.
    pub excerpt: Option<String>,
    /// True if the surroundings failed (exit status 3), and not the file's text (exit status 2).
    pub surroundings: bool,
}

impl Fault {
    /// `problem` at `mark` of `file`; `excerpt` is added by whoever has the text.
    pub(crate) fn new(file: &Utf8Path, mark: Option<Mark>, problem: &dyn Problem) -> Self {
        Self {
            surroundings: problem.is_surroundings(),
            ..Self::of(
                file,
                mark,
                problem.code(),
                problem.to_string(),
                problem.help(),
            )
        }
    }

    /// A mistake at `mark` of `file`.
    pub(crate) fn of(
        file: &Utf8Path,
        mark: Option<Mark>,
        code: Code,
        mut message: String,
        help: Option<String>,
    ) -> Self {
        /// In characters: a value that a message quotes can be as long as the file.
        const LONGEST: usize = 400;
        if let Some((end, _)) = message.char_indices().nth(LONGEST) {
            message.truncate(end);
            message.push('…');
        }
        Self {
            file: file.to_owned(),
            mark,
            code,
            message,
            help,
            excerpt: None,
            surroundings: false,
        }
    }

    /// Adds the line that the fault is on, out of the file's whole text.
    #[must_use]
    pub fn with_excerpt_of(mut self, text: &str) -> Self {
        /// In characters. What is further to the right is not shown, nor are lines that it stands on.
        const WIDTH: u64 = 160;
        if let Some(mark) = self.mark.filter(|mark| mark.column <= WIDTH)
            && let Some(line) = usize::try_from(mark.line - 1)
                .ok()
                .and_then(|index| text.lines().nth(index))
            && !line.trim().is_empty()
        {
            self.excerpt = Some(line.chars().take(WIDTH as usize).collect());
        }
        self
    }

    fn place(&self) -> String {
        self.mark
            .map_or_else(String::new, |mark| format!(":{mark}"))
    }
}

impl From<Fault> for Finding {
    fn from(fault: Fault) -> Self {
        Finding::new(fault.code, fault.message)
            .file(fault.file)
            .at(
                fault.mark.map(|mark| mark.line),
                fault.mark.map(|mark| mark.column),
            )
            .help(fault.help)
            .excerpt_from(fault.mark.map(|mark| mark.line), fault.excerpt)
    }
}

/// Every mistake that was found, in the order of files and lines. Never empty as an error.
#[derive(Debug, Clone, Default, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
pub struct Faults(pub Vec<Fault>);

impl Faults {
    /// Returns true if one of them is about the surroundings and none about a file's text: exit status 3, else 2.
    pub fn only_surroundings(&self) -> bool {
        self.0.iter().all(|fault| fault.surroundings)
    }

    /// A finding each.
    pub fn into_findings(self) -> Vec<Finding> {
        self.0.into_iter().map(Finding::from).collect()
    }
}

impl From<Fault> for Faults {
    fn from(fault: Fault) -> Self {
        Self(vec![fault])
    }
}

impl From<Problems<'_>> for Faults {
    fn from(problems: Problems<'_>) -> Self {
        let mut faults = problems.faults;
        faults.sort_by_key(|fault| fault.mark);
        faults.dedup();
        Self(faults)
    }
}

/// The candidate that `word` was most likely meant to be, if one is near enough to be worth a guess.
pub(crate) fn closest<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    const NEAR: f64 = 0.75;
    candidates
        .into_iter()
        .map(|candidate| {
            let score = strsim::jaro_winkler(&word.to_lowercase(), &candidate.to_lowercase());
            (score, candidate)
        })
        .filter(|(score, _)| *score > NEAR)
        .max_by(|one, other| one.0.total_cmp(&other.0))
        .map(|(_, candidate)| candidate)
}
