//! Conditions on upstream's text.

use std::ops::Range;

use regex::bytes::RegexBuilder;

use crate::cpp::{self, Parsed};
use crate::overlay::{Condition, Holds, Scope};

use super::locate::{constructs, describe, untrusted};

/// A condition that does not hold, and the code that was seen instead.
#[derive(Debug, Clone)]
pub struct Unmet<'o> {
    /// The condition.
    pub condition: &'o Condition,
    /// The code or fact that was found instead.
    pub instead: String,
    /// Bytes of the scope, where it was found.
    pub scope: Option<Range<usize>>,
}

impl Unmet<'_> {
    /// The expectation and the fact, for a reader.
    pub fn describe(&self) -> String {
        format!("{}, and {}", expectation(self.condition), self.instead)
    }
}

/// Evaluates `condition` on the file it is about; `None` is a file that is not there.
///
/// # Errors
/// [`Unmet`] when it does not hold, or when its scope is not there.
pub fn holds<'o>(condition: &'o Condition, parsed: Option<&Parsed>) -> Result<(), Unmet<'o>> {
    let unmet = |instead: String, scope: Option<Range<usize>>| {
        Err(Unmet {
            condition,
            instead,
            scope,
        })
    };
    let Some(parsed) = parsed else {
        return match condition.absent {
            true => Ok(()),
            false => unmet(format!("{} is not in this revision", condition.file), None),
        };
    };
    let found = constructs(parsed, &condition.scope);
    if let Some(why) = unread(parsed, &condition.scope, found.is_empty()) {
        return unmet(why, None);
    }
    let result = |there: bool, scope| match there {
        _ if there != condition.absent => Ok(()),
        true => unmet("it is there".to_owned(), scope),
        false => unmet("it is not there".to_owned(), scope),
    };
    if condition.holds == Holds::Exists {
        let there = condition.scope == Scope::File || !found.is_empty();
        return result(there, None);
    }
    let ranges: Vec<Range<usize>> = match &condition.scope {
        Scope::File => std::iter::once(0..parsed.text().len()).collect(),
        _ => found.iter().map(|it| it.range.clone()).collect(),
    };
    if ranges.is_empty() {
        let what = describe(&condition.scope);
        return unmet(format!("{what} is not in the file"), None);
    }
    let holds = |range: &&Range<usize>| inside(parsed, range, &condition.holds);
    // A namespace is all of its blocks; of a function that is defined under several `#if` branches, each
    // definition must have it.
    let there = match condition.scope {
        Scope::Namespace(_) => ranges.iter().any(|range| holds(&range)),
        _ if condition.absent => ranges.iter().any(|range| holds(&range)),
        _ => ranges.iter().all(|range| holds(&range)),
    };
    let odd = ranges.iter().find(|range| holds(range) == condition.absent);
    result(there, odd.or(ranges.first()).cloned())
}

/// The reason why it cannot be said that a scope is not there, or what a file holds.
fn unread(parsed: &Parsed, scope: &Scope, not_found: bool) -> Option<String> {
    if let Some(exceeded) = parsed.exceeded() {
        return Some(format!("the file is not read: {exceeded}"));
    }
    let head = untrusted(parsed, scope).filter(|_| not_found)?;
    Some(format!(
        "{} is in line {}, and cannot be trusted: {}",
        describe(scope),
        parsed.lines().number(head.range.start),
        head.why
    ))
}

fn inside(parsed: &Parsed, range: &Range<usize>, holds: &Holds) -> bool {
    match holds {
        Holds::Exists => true,
        Holds::Tokens(tokens) => {
            // The loader has refused tokens that do not lex.
            !parsed
                .find_tokens(range, &cpp::pattern(tokens).unwrap_or_default())
                .is_empty()
        }
        // The loader has refused expressions that do not compile.
        Holds::Matches(expression) => RegexBuilder::new(expression)
            .size_limit(1 << 20)
            .build()
            .is_ok_and(|regex| regex.is_match(&parsed.text()[range.clone()])),
    }
}

/// A condition that holds, and where, for a reader.
pub(super) fn met(condition: &Condition, parsed: Option<&Parsed>) -> String {
    let scope = describe(&condition.scope);
    let not = if condition.absent { "no " } else { "" };
    let what = match &condition.holds {
        Holds::Exists if condition.absent => format!("there is no {scope}"),
        Holds::Exists => format!("there is {scope}"),
        Holds::Tokens(tokens) => format!("{scope} holds {not}`{tokens}`"),
        Holds::Matches(expression) => format!("{scope} has {not}match of `{expression}`"),
    };
    let found = parsed.map(|parsed| (parsed, constructs(parsed, &condition.scope)));
    let line = found.and_then(|(parsed, found)| {
        let first = found.first()?;
        Some(format!(":{}", parsed.lines().number(first.range.start)))
    });
    format!("{what} ({}{})", condition.file, line.unwrap_or_default())
}

fn expectation(condition: &Condition) -> String {
    let scope = describe(&condition.scope);
    let not = if condition.absent { "not " } else { "" };
    match &condition.holds {
        Holds::Exists => format!("{scope} {not}to be there"),
        Holds::Tokens(tokens) => format!("{scope} {not}to hold the tokens `{tokens}`"),
        Holds::Matches(expression) => format!("{scope} {not}to match `{expression}`"),
    }
}
