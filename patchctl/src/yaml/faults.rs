//! The faults of a file: findings with their place and the line that they are about.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::hash::Hash;

use camino::Utf8Path;
use patchctl_apply::yaml::{Mark, Node, YamlProblem};

use crate::report::{Code, Finding, Text};

/// The help of a fault that needs none.
pub(crate) const NO_HELP: Option<&str> = None;

/// Every mistake that was found, in the order of files and lines. Never empty as an error.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Faults(pub Vec<Finding>);

impl Faults {
    /// The fault of a file, or of a folder, that is not read at all.
    pub(crate) fn of(file: &Utf8Path, problem: &YamlProblem) -> Self {
        Self(vec![finding(problem).file(file)])
    }

    /// Returns true if all of them are about the surroundings and none about a file's text: exit status 3, else 2.
    pub fn only_surroundings(&self) -> bool {
        self.0
            .iter()
            .all(|fault| fault.code == Code::FileUnreadable)
    }
}

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<String> = self.0.iter().map(Finding::with_place).collect();
        f.write_str(&lines.join("\n"))
    }
}

impl std::error::Error for Faults {}

impl From<Problems<'_>> for Faults {
    fn from(problems: Problems<'_>) -> Self {
        let mut faults = problems.faults.into_inner();
        faults.sort_by_key(|fault| (fault.line, fault.column));
        faults.dedup();
        Self(faults)
    }
}

/// The faults of one file so far.
pub(crate) struct Problems<'a> {
    file: &'a Utf8Path,
    text: &'a [u8],
    faults: RefCell<Vec<Finding>>,
}

impl<'a> Problems<'a> {
    /// No faults of `file` yet, whose bytes are `text`.
    pub fn new(file: &'a Utf8Path, text: &'a [u8]) -> Self {
        let faults = RefCell::default();
        Self { file, text, faults }
    }

    /// Notes a fault at `mark`.
    pub fn note(&self, mark: Mark, code: Code, message: impl Into<String>, help: impl Text) {
        self.add(mark, Finding::new(code, message).help(help));
    }

    /// Notes what keeps the file from being a tree.
    pub(super) fn note_yaml(&self, mark: Mark, problem: &YamlProblem) {
        self.add(mark, finding(problem));
    }

    fn add(&self, mark: Mark, mut finding: Finding) {
        /// In characters: a value that a message quotes can be as long as the file.
        const LONGEST: usize = 400;
        if let Some((end, _)) = finding.message.char_indices().nth(LONGEST) {
            finding.message.truncate(end);
            finding.message.push('…');
        }
        let finding = finding.file(self.file).at(mark.line, mark.column);
        let finding = finding.excerpt_from(mark.line, self.excerpt(mark));
        self.faults.borrow_mut().push(finding);
    }

    /// The line that a fault is on, without its end.
    fn excerpt(&self, mark: Mark) -> Option<String> {
        /// In characters. What is further to the right is not shown, nor are lines that it stands on.
        const WIDTH: u64 = 160;
        let text = String::from_utf8_lossy(self.text);
        let line = text.lines().nth(usize::try_from(mark.line - 1).ok()?)?;
        let is_shown = mark.column <= WIDTH && !line.trim().is_empty();
        is_shown.then(|| line.chars().take(WIDTH as usize).collect())
    }

    /// Returns true if nothing is wrong so far.
    pub fn is_empty(&self) -> bool {
        self.faults.borrow().is_empty()
    }
}

/// A node of a file, and the list that its faults go to.
#[derive(Clone, Copy)]
pub(crate) struct Cursor<'a> {
    /// The node.
    pub node: &'a Node,
    /// The faults of the file so far.
    pub problems: &'a Problems<'a>,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(node: &'a Node, problems: &'a Problems<'a>) -> Self {
        Self { node, problems }
    }

    /// The value of that key; the map itself where there is none.
    pub fn key(self, key: &str) -> Self {
        let node = self.node.key(key);
        Self { node, ..self }
    }

    /// The list's item, from 0; the list itself where there is none.
    pub fn item(self, index: usize) -> Self {
        let node = self.node.item(index);
        Self { node, ..self }
    }

    /// Pairs each value that was read of a list with its node.
    pub fn each<L: IntoIterator>(self, list: L) -> impl Iterator<Item = (L::Item, Self)> {
        let list = list.into_iter().enumerate();
        list.map(move |(index, one)| (one, self.item(index)))
    }

    /// Those of `keys` that the map has.
    pub fn present<'k>(self, keys: &[&'k str]) -> Vec<&'k str> {
        let keys = keys.iter().copied();
        keys.filter(|key| self.node.entry(key).is_some()).collect()
    }

    /// The 1-based line of the node.
    pub fn line(self) -> u64 {
        self.node.mark.line
    }

    /// Notes a fault of the node.
    pub fn fault(self, code: Code, message: impl Into<String>, help: impl Text) {
        self.problems.note(self.node.mark, code, message, help);
    }

    /// Notes a fault of the node's key `key`, at the key.
    pub fn fault_of_key(self, key: &str, code: Code, message: impl Into<String>, help: impl Text) {
        let mark = self.node.key_mark(key);
        self.problems.note(mark, code, message, help);
    }

    /// Notes a fault at the byte `at` of the node's text.
    pub fn fault_inside(self, at: usize, code: Code, message: impl Into<String>, help: impl Text) {
        let mark = self.node.inside(at);
        self.problems.note(mark, code, message, help);
    }
}

/// The line on which `key` was met first, if `seen` has it; else `at` is noted as the first.
pub(crate) fn first_line<K: Eq + Hash>(
    seen: &mut HashMap<K, u64>,
    key: K,
    at: Cursor<'_>,
) -> Option<u64> {
    let first = seen.get(&key).copied();
    seen.entry(key).or_insert(at.line());
    first
}

/// Makes the finding of a file that is no tree.
fn finding(problem: &YamlProblem) -> Finding {
    use YamlProblem as P;
    let (code, help) = match problem {
        P::Unreadable(_) => (Code::FileUnreadable, NO_HELP),
        P::TooLarge { .. } => (
            Code::FileTooLarge,
            Some("split it, or check that it is the file you mean"),
        ),
        P::NotUtf8 => (Code::FileNotText, Some("save it as UTF-8")),
        P::ControlCharacter => (
            Code::FileNotText,
            Some("remove it; in a double-quoted text it can be written as an escape"),
        ),
        P::Empty => (Code::YamlEmpty, None),
        P::DuplicateKey { .. } => (Code::YamlDuplicateKey, Some("keep one of them")),
        P::SelfAlias | P::Grows(_) | P::TooDeep(_) => {
            (Code::YamlBomb, Some("write the values out"))
        }
        P::Syntax(text) if text.contains("mapping values are not allowed") => (
            Code::YamlSyntax,
            Some("a text that holds `: ` or begins with a sign of YAML's needs quotes"),
        ),
        P::Syntax(_) | P::ComplexKey => (Code::YamlSyntax, None),
        P::Tab => (Code::YamlSyntax, Some("indent with spaces")),
        P::SecondDocument => (
            Code::YamlSyntax,
            Some("one file is one document: remove the `---`, or make it a file of its own"),
        ),
        P::Tag => (
            Code::YamlSyntax,
            Some("remove it; quotes make a number a text"),
        ),
    };
    Finding::new(code, problem.to_string()).help(help)
}

/// The candidate that `word` was most likely meant to be, if one is near enough to be worth a guess.
pub(crate) fn closest<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    const NEAR: f64 = 0.75;
    let score =
        |candidate: &str| strsim::jaro_winkler(&word.to_lowercase(), &candidate.to_lowercase());
    let scored = candidates.into_iter().map(|it| (score(it), it));
    let near = scored.filter(|(score, _)| *score > NEAR);
    near.max_by(|one, other| one.0.total_cmp(&other.0))
        .map(|(_, candidate)| candidate)
}
