//! A snapshot as a person reads it, and the way back. What is read is written again and compared, so that a
//! snapshot that was changed by hand is never taken for one of ours.

use std::fmt::Write;
use std::iter::Peekable;
use std::str::Lines;

use super::snapshot::{Line, Location, Part, Snapshot};

const REMOVED: &str = "upstream lines removed or altered";
const NEEDLESS: &str = "not needed here: upstream has it";
const END: &str = "[end of file]";
const NO_IF: &str = "no #if";

/// Says in which line a text is no snapshot; `line` is 1-based, behind the front matter.
fn other(line: usize, found: &str, expected: &str) -> String {
    format!("line {line} is {found}, expected {expected}")
}

impl Snapshot {
    /// The text, with a line feed at its end.
    pub fn to_text(&self) -> String {
        let mut out = format!("{} on {}\n", self.overlay, self.release);
        let _ = writeln!(out, "commit {}", self.commit);
        let _ = writeln!(
            out,
            "digest {} (of all but release, commit and line numbers)",
            self.digest()
        );
        out + &self.rest(true)
    }

    /// Returns the text that the digest is of.
    pub(super) fn without_numbers(&self) -> String {
        format!("{}\n{}", self.overlay, self.rest(false))
    }

    fn rest(&self, numbers: bool) -> String {
        let mut out = String::new();
        let removed: Vec<_> = self.removed().collect();
        match removed.as_slice() {
            [] => {
                let _ = writeln!(out, "{REMOVED}: none");
            }
            some => {
                let mut names: Vec<String> = some.iter().map(|(part, _)| part.name()).collect();
                names.dedup();
                let _ = writeln!(out, "{REMOVED}: {}, by {}", some.len(), names.join(", "));
            }
        }
        for part in &self.parts {
            out.push('\n');
            out.push_str(&part.to_text(numbers));
        }
        out
    }

    /// Reads the text back.
    ///
    /// # Errors
    /// When it is not, to the byte, what [`Snapshot::to_text`] gives for what it says.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut reader = Reader {
            lines: text.lines().peekable(),
            number: 0,
        };
        let (overlay, release) =
            reader.line("`OVERLAY on RELEASE`", |line| line.split_once(" on "))?;
        let commit = reader.after("commit ")?.to_owned();
        let digest = reader.after("digest ")?;
        let written = digest.split(' ').next().unwrap_or_default().to_owned();
        reader.after(REMOVED)?;
        let mut parts = Vec::new();
        while reader.peek().is_some() {
            parts.push(reader.part()?);
        }
        let snapshot = Self {
            overlay: overlay.to_owned(),
            release: release.to_owned(),
            commit,
            parts,
        };
        let found = snapshot.digest();
        if written != found {
            return Err(format!("its digest is {written}, its text gives {found}"));
        }
        let again = snapshot.to_text();
        let pairs = text.lines().zip(again.lines()).enumerate();
        let mut differing = pairs.filter(|(_, (is, should))| is != should);
        match differing.next() {
            Some((index, (is, should))) => Err(other(index + 1, &quoted(is), &quoted(should))),
            None => Ok(snapshot),
        }
    }
}

impl Part {
    /// The text; without its line number where `numbers` says so.
    pub fn to_text(&self, numbers: bool) -> String {
        let mut out = format!("== {}\n", self.name());
        let Some(place) = &self.place else {
            let _ = writeln!(out, "{NEEDLESS}");
            return out;
        };
        let _ = writeln!(out, "file     {}", place.file);
        let _ = writeln!(out, "scope    {}", place.scope);
        if place.preprocessor.is_empty() {
            let _ = writeln!(out, "under    {NO_IF}");
        }
        for condition in &place.preprocessor {
            let _ = writeln!(out, "under    {condition}");
        }
        if numbers {
            let _ = writeln!(out, "line     {}", place.line);
        }
        let _ = writeln!(out, "variant  {}", place.variant);
        let _ = writeln!(out, "shape    {}", place.shape);
        let _ = writeln!(out, "edit     {}", place.digest);
        for line in &place.lines {
            let _ = match line {
                Line::Added(text) => writeln!(out, "+{text}"),
                Line::Removed(text) => writeln!(out, "-{text}"),
            };
        }
        if place.end_of_file {
            let _ = writeln!(out, "{END}");
        }
        out
    }
}

struct Reader<'t> {
    lines: Peekable<Lines<'t>>,
    number: usize,
}

impl<'t> Reader<'t> {
    fn peek(&mut self) -> Option<&'t str> {
        self.lines.peek().copied()
    }

    /// Reads the next line, which is to be `expected`.
    fn line<T>(
        &mut self,
        expected: &str,
        read: impl FnOnce(&'t str) -> Option<T>,
    ) -> Result<T, String> {
        self.number += 1;
        match self.lines.next() {
            None => Err(other(self.number, "missing", expected)),
            Some(line) => read(line).ok_or_else(|| self.form(line, expected)),
        }
    }

    fn form(&self, found: &str, expected: &str) -> String {
        other(self.number, &quoted(found), expected)
    }

    fn after(&mut self, start: &str) -> Result<&'t str, String> {
        self.line(&format!("`{start}…`"), |line| {
            line.strip_prefix(start).map(str::trim_start)
        })
    }

    /// Reads the next line if it is this one.
    fn is_next(&mut self, line: &str) -> bool {
        let is_next = self.lines.next_if(|next| *next == line).is_some();
        self.number += usize::from(is_next);
        is_next
    }

    fn part(&mut self) -> Result<Part, String> {
        self.line(&quoted(""), |line| line.is_empty().then_some(()))?;
        let name = self.after("== ")?;
        let (hunk, edit) = name
            .split_once('.')
            .ok_or_else(|| self.form(name, "`== HUNK.EDIT`"))?;
        Ok(Part {
            hunk: hunk.to_owned(),
            edit: edit.to_owned(),
            place: match self.is_next(NEEDLESS) {
                true => None,
                false => Some(self.location()?),
            },
        })
    }

    fn location(&mut self) -> Result<Location, String> {
        let file = self.after("file ")?.into();
        let scope = self.after("scope ")?.to_owned();
        let mut preprocessor = vec![self.after("under ")?.to_owned()];
        while self.peek().is_some_and(|line| line.starts_with("under ")) {
            preprocessor.push(self.after("under ")?.to_owned());
        }
        if preprocessor == [NO_IF] {
            preprocessor.clear();
        }
        let number = self.after("line ")?;
        let line = number
            .parse()
            .map_err(|_| self.form(number, "a line number"))?;
        let variant = self.after("variant ")?.to_owned();
        let shape = self.after("shape ")?.to_owned();
        let digest = self.after("edit ")?.to_owned();
        let mut lines = Vec::new();
        while let Some(next) = self.peek() {
            lines.push(match next.split_at_checked(1) {
                Some(("+", text)) => Line::Added(text.to_owned()),
                Some(("-", text)) => Line::Removed(text.to_owned()),
                _ => break,
            });
            self.is_next(next);
        }
        Ok(Location {
            variant,
            file,
            scope,
            preprocessor,
            line,
            shape,
            digest,
            lines,
            end_of_file: self.is_next(END),
        })
    }
}

fn quoted(line: &str) -> String {
    match line {
        "" => "an empty line".to_owned(),
        some => format!("`{some}`"),
    }
}
