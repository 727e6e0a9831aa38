//! Values in CMake files: the tag of a dependency, the value of a variable. Reads as much of CMake's
//! language as tells commands and their arguments apart
//! (<https://cmake.org/cmake/help/latest/manual/cmake-language.7.html#syntax>).

use std::ops::Range;

use super::{line, not_parsed};
use crate::report::Finding;

/// A command with the bytes of its arguments, without their quotes or brackets; those in nested parentheses are among
/// them.
#[derive(Debug)]
struct Command<'a> {
    name: &'a str,
    arguments: Vec<Range<usize>>,
}

/// The bytes of every `GIT_TAG` value of a command about the dependency `name`: its first argument, or the one
/// behind `NAME`, is that name. CMake's FetchContent ignores the case of names.
pub(super) fn tags(text: &str, name: &str) -> Result<Vec<Range<usize>>, Box<Finding>> {
    let mut found = Vec::new();
    for Command { arguments, .. } in commands(text)? {
        let at = |index: usize| &text[arguments[index].clone()];
        let is_name =
            |index| (index == 0 || at(index - 1) == "NAME") && at(index).eq_ignore_ascii_case(name);
        if (0..arguments.len()).any(is_name) {
            let values = (1..arguments.len()).filter(|index| at(index - 1) == "GIT_TAG");
            found.extend(values.map(|index| arguments[index].clone()));
        }
    }
    Ok(found)
}

/// The bytes of every value that `set` gives the variable `name`.
pub(super) fn variables(text: &str, name: &str) -> Result<Vec<Range<usize>>, Box<Finding>> {
    let commands = commands(text)?.into_iter();
    let set = commands.filter(|command| command.name.eq_ignore_ascii_case("set"));
    let values = set.filter_map(|command| match command.arguments.as_slice() {
        [variable, value, ..] if text[variable.clone()] == *name => Some(value.clone()),
        _ => None,
    });
    Ok(values.collect())
}

/// The name of the variable that `${NAME}` is the value of, if that is all there is.
pub(super) fn variable(value: &str) -> Option<&str> {
    let name = value.strip_prefix("${")?.strip_suffix('}')?;
    (!name.is_empty() && !name.contains(['$', '{', '}'])).then_some(name)
}

fn commands(text: &str) -> Result<Vec<Command<'_>>, Box<Finding>> {
    let mut reader = Reader { text, at: 0 };
    let mut commands = Vec::new();
    loop {
        reader.skip_blank()?;
        let name = reader.word();
        if name.is_empty() {
            if reader.rest().is_empty() {
                return Ok(commands);
            }
            return reader.fail("expected a command");
        }
        reader.skip_blank()?;
        if !reader.eat('(') {
            return reader.fail("expected `(` behind a command's name");
        }
        let arguments = reader.arguments()?;
        commands.push(Command { name, arguments });
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn fail<T>(&self, why: &str) -> Result<T, Box<Finding>> {
        let line = line(self.text, self.at.min(self.text.len()));
        Err(not_parsed(line, why))
    }

    fn eat(&mut self, c: char) -> bool {
        let there = self.rest().starts_with(c);
        if there {
            self.at += c.len_utf8();
        }
        there
    }

    fn word(&mut self) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c: char| c != '_' && !c.is_ascii_alphanumeric());
        let word = &rest[..end.unwrap_or(rest.len())];
        self.at += word.len();
        word
    }

    /// Moves past white space and comments, `#` to the line's end and `#[[ … ]]`.
    fn skip_blank(&mut self) -> Result<(), Box<Finding>> {
        loop {
            let rest = self.rest();
            self.at += rest.len() - rest.trim_start().len();
            let Some(comment) = self.rest().strip_prefix('#') else {
                return Ok(());
            };
            self.at += 1;
            if bracket(comment).is_some() {
                self.bracket_argument()?;
            } else {
                self.at += comment.find('\n').unwrap_or(comment.len());
            }
        }
    }

    /// The arguments up to the parenthesis that closes the command.
    fn arguments(&mut self) -> Result<Vec<Range<usize>>, Box<Finding>> {
        let mut arguments = Vec::new();
        let mut depth = 0;
        loop {
            self.skip_blank()?;
            if self.eat('(') {
                depth += 1;
            } else if self.eat(')') {
                if depth == 0 {
                    return Ok(arguments);
                }
                depth -= 1;
            } else if self.rest().is_empty() {
                return self.fail("a command is not closed with `)`");
            } else if bracket(self.rest()).is_some() {
                arguments.push(self.bracket_argument()?);
            } else if self.eat('"') {
                arguments.push(self.quoted_argument()?);
            } else {
                arguments.push(self.unquoted_argument()?);
            }
        }
    }

    fn bracket_argument(&mut self) -> Result<Range<usize>, Box<Finding>> {
        let level = bracket(self.rest()).unwrap_or_default();
        let start = self.at + level + 2;
        let close = format!("]{}]", "=".repeat(level));
        let Some(length) = self.text[start..].find(&close) else {
            return self.fail("a bracket argument is not closed");
        };
        self.at = start + length + close.len();
        Ok(start..start + length)
    }

    fn quoted_argument(&mut self) -> Result<Range<usize>, Box<Finding>> {
        let start = self.at;
        match quoted_end(self.rest()) {
            Some(end) => {
                self.at = start + end + 1;
                Ok(start..start + end)
            }
            None => self.fail("a quoted argument is not closed"),
        }
    }

    /// Up to white space, a parenthesis or a comment. Quotes inside hold their content together, as in `-Da="b c"`.
    fn unquoted_argument(&mut self) -> Result<Range<usize>, Box<Finding>> {
        let start = self.at;
        while let Some(c) = self.rest().chars().next() {
            match c {
                '(' | ')' | '#' => break,
                _ if c.is_whitespace() => break,
                '"' => match quoted_end(&self.rest()[1..]) {
                    Some(end) => self.at += end + 2,
                    None => return self.fail("a quoted argument is not closed"),
                },
                '\\' => {
                    let escaped = self.rest()[1..].chars().next();
                    self.at += 1 + escaped.map_or(0, char::len_utf8);
                }
                _ => self.at += c.len_utf8(),
            }
        }
        Ok(start..self.at)
    }
}

/// Finds the quote that closes the one just before `rest`.
fn quoted_end(rest: &str) -> Option<usize> {
    let mut escaped = false;
    rest.bytes().position(|byte| {
        let closes = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        closes
    })
}

/// The number of `=` in the `[==[` that `rest` begins with.
fn bracket(rest: &str) -> Option<usize> {
    let inner = rest.strip_prefix('[')?;
    let level = inner.len() - inner.trim_start_matches('=').len();
    inner[level..].starts_with('[').then_some(level)
}
