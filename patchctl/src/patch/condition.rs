//! Conditions on upstream's text.

use std::ops::Range;

use regex::bytes::RegexBuilder;

use crate::cpp::{self, Parsed};
use crate::overlay::{Condition, Holds, Scope};

use super::locate::{Miss, constructs, describe, untrusted};

/// A condition that does not hold, and what was seen instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unmet {
    /// The expectation, for a reader.
    pub expected: String,
    /// The code or fact that was found instead.
    pub instead: String,
    /// 1-based upstream line of the scope, where it was found.
    pub line: Option<usize>,
    /// Bytes of the scope, where it was found.
    pub scope: Option<Range<usize>>,
    /// 1-based line in the overlay's YAML.
    pub yaml_line: u64,
}

/// Evaluates `condition` on the file it is about; `None` is a file that is not there.
///
/// # Errors
/// [`Unmet`] when it does not hold, or when its scope is not there.
pub fn holds(condition: &Condition, parsed: Option<&Parsed>) -> Result<(), Unmet> {
    let expected = expectation(condition);
    let unmet = |instead: String, scope: Option<Range<usize>>, line| Unmet {
        expected: expected.clone(),
        instead,
        line,
        scope,
        yaml_line: condition.line,
    };
    let Some(parsed) = parsed else {
        return match condition.absent {
            true => Ok(()),
            false => Err(unmet(
                format!("{} is not in this revision", condition.file),
                None,
                None,
            )),
        };
    };
    let found = constructs(parsed, &condition.scope);
    if let Some(why) = unread(parsed, &condition.scope, found.is_empty()) {
        return Err(unmet(why, None, None));
    }
    if condition.holds == Holds::Exists {
        let there = condition.scope == Scope::File || !found.is_empty();
        let line = found.first().map(|c| parsed.lines().number(c.range.start));
        return match there != condition.absent {
            true => Ok(()),
            false if there => Err(unmet("it is there".to_owned(), None, line)),
            false => Err(unmet("it is not there".to_owned(), None, None)),
        };
    }
    let ranges: Vec<Range<usize>> = match &condition.scope {
        Scope::File => std::iter::once(0..parsed.text().len()).collect(),
        _ => found
            .iter()
            .map(|construct| construct.range.clone())
            .collect(),
    };
    if ranges.is_empty() {
        let what = describe(&condition.scope);
        return Err(unmet(format!("{what} is not in the file"), None, None));
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
    let scope = odd.or(ranges.first()).cloned();
    let line = scope
        .as_ref()
        .map(|scope| parsed.lines().number(scope.start));
    match there != condition.absent {
        true => Ok(()),
        false if there => Err(unmet("it is there".to_owned(), scope, line)),
        false => Err(unmet("it is not there".to_owned(), scope, line)),
    }
}

/// The reason why it cannot be said that a scope is not there, or what a file holds.
fn unread(parsed: &Parsed, scope: &Scope, not_found: bool) -> Option<String> {
    if !not_found && parsed.exceeded().is_none() {
        return None;
    }
    match untrusted(parsed, scope)? {
        Miss::Untrusted { candidate, why } => Some(format!(
            "{} is in line {}, and cannot be trusted: {why}",
            candidate.what, candidate.line
        )),
        Miss::TooLarge(exceeded) => Some(format!("the file is not read: {exceeded}")),
        _ => None,
    }
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

pub(super) fn expectation(condition: &Condition) -> String {
    let scope = describe(&condition.scope);
    let not = if condition.absent { "not " } else { "" };
    match &condition.holds {
        Holds::Exists => format!("{scope} {not}to be there"),
        Holds::Tokens(tokens) => format!("{scope} {not}to hold the tokens `{tokens}`"),
        Holds::Matches(expression) => format!("{scope} {not}to match `{expression}`"),
    }
}
