//! Finds the function that an anchor has lost: by name, by the tokens that the variant asks for, and
//! by likeness to the function as it was in the last accepted revision.

use std::collections::HashMap;

use crate::cpp::{self, Construct, ConstructKind, Parsed, name_matches};
use crate::overlay::{Holds, Scope, Variant};

/// A function that may be the lost one.
#[derive(Debug, Clone)]
pub struct Likely {
    /// The function.
    pub function: Construct,
    /// 1-based line.
    pub line: usize,
    /// The reason why it is likely, for a reader.
    pub why: String,
    /// Higher is likelier; see [`ENOUGH`].
    pub score: f64,
}

/// A function below this is not worth showing.
const ENOUGH: f64 = 0.6;

/// The function of a file that is likest to the lost `wanted` of `variant`; the first of several. `before` is the text in
/// which it was last found.
pub fn likeliest(
    parsed: &Parsed,
    wanted: &str,
    variant: &Variant,
    before: Option<&Parsed>,
) -> Option<Likely> {
    let old = before.and_then(|before| {
        let mut found = before.of_kind(ConstructKind::Function);
        let function = found.find(|function| name_matches(&function.name, wanted))?;
        Some(body_tokens(before, function))
    });
    let asked = asked_tokens(variant, wanted);
    let last = wanted.rsplit("::").next().unwrap_or(wanted);
    let mut best: Option<Likely> = None;
    for function in parsed.of_kind(ConstructKind::Function) {
        let mut why = Vec::new();
        let mut score = 0.0;
        if function.name.rsplit("::").next() == Some(last) {
            score += 0.7;
            why.push("same name".to_owned());
        }
        let Some(body) = &function.body else {
            continue;
        };
        let held = asked
            .iter()
            .filter(|tokens| !parsed.find_tokens(body, tokens).is_empty())
            .count();
        if held > 0 {
            score += 0.8 * held as f64 / asked.len() as f64;
            why.push("it holds tokens that the overlay asks for".to_owned());
        }
        if let Some(old) = &old {
            let alike = overlap(old, &body_tokens(parsed, function));
            score += alike;
            if alike > 0.5 {
                why.push(format!(
                    "{:.0} % of its tokens are the old function's",
                    alike * 100.0
                ));
            }
        }
        if score >= ENOUGH && best.as_ref().is_none_or(|best| best.score < score) {
            best = Some(Likely {
                function: function.clone(),
                line: parsed.lines().number(function.range.start),
                why: why.join(", "),
                score,
            });
        }
    }
    best
}

fn body_tokens<'p>(parsed: &'p Parsed, function: &Construct) -> Vec<&'p [u8]> {
    function
        .body
        .as_ref()
        .map(|body| parsed.tokens_in(body))
        .unwrap_or_default()
}

/// The token sequences that a variant's conditions and anchors want inside of `function`.
fn asked_tokens(variant: &Variant, function: &str) -> Vec<Vec<String>> {
    let is_it = |scope: &Scope| matches!(scope, Scope::Function { name, .. } if name == function);
    let conditions = variant.when.iter().chain(&variant.expect);
    let held = conditions.filter(|it| is_it(&it.scope) && !it.absent);
    let held = held.filter_map(|condition| match &condition.holds {
        Holds::Tokens(tokens) => Some(tokens),
        _ => None,
    });
    let anchors = variant.edits.iter().map(|edit| &edit.at);
    let named = anchors.filter(|at| is_it(&at.scope)).flat_map(|at| {
        let statement = at.statement.as_ref().and_then(|it| it.tokens.as_ref());
        at.expression.iter().chain(statement)
    });
    held.chain(named)
        .filter_map(|text| cpp::pattern(text).ok())
        .filter(|tokens| !tokens.is_empty())
        .collect()
}

/// The share of common tokens of two bodies, 0 to 1 (twice the common ones by the sum of both).
pub fn overlap(one: &[&[u8]], other: &[&[u8]]) -> f64 {
    let mut counts: HashMap<&[u8], i64> = HashMap::new();
    for token in one {
        *counts.entry(token).or_default() += 1;
    }
    let mut common = 0;
    for token in other {
        if let Some(count) = counts.get_mut(token).filter(|count| **count > 0) {
            *count -= 1;
            common += 1;
        }
    }
    match one.len() + other.len() {
        0 => 0.0,
        sum => 2.0 * f64::from(common) / sum as f64,
    }
}
