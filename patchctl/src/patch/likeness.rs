//! Which functions might be what an anchor has lost: by name, by the tokens that the variant asks for, and
//! by likeness to the function as it was in the last accepted revision.

use std::collections::HashMap;
use std::ops::Range;

use crate::cpp::{self, Construct, ConstructKind, Parsed, name_matches};
use crate::overlay::{Holds, Scope, Variant};

/// A function that may be the lost one.
#[derive(Debug, Clone)]
pub struct Likely {
    /// Full name and signature.
    pub display: String,
    /// Full name.
    pub name: String,
    /// Its bytes.
    pub range: Range<usize>,
    /// 1-based line.
    pub line: usize,
    /// The reason why it is likely, for a reader.
    pub why: String,
    /// Higher is likelier; see [`ENOUGH`].
    pub score: f64,
}

/// A function below this is not worth showing.
const ENOUGH: f64 = 0.6;

/// The likeliest functions of a file for the lost `wanted`, at most three, likeliest first. `before` is the
/// text in which it was last found.
pub fn likely(
    parsed: &Parsed,
    wanted: &str,
    variant: Option<&Variant>,
    before: Option<&Parsed>,
) -> Vec<Likely> {
    let old = before.and_then(|before| {
        let mut found = before
            .of_kind(ConstructKind::Function)
            .filter(|f| name_matches(&f.name, wanted));
        found.next().map(|function| body_tokens(before, function))
    });
    let asked = variant
        .map(|variant| asked_tokens(variant, wanted))
        .unwrap_or_default();
    let last = wanted.rsplit("::").next().unwrap_or(wanted);
    let mut all: Vec<Likely> = parsed
        .of_kind(ConstructKind::Function)
        .filter_map(|function| {
            let mut why = Vec::new();
            let mut score = 0.0;
            if function.name.rsplit("::").next() == Some(last) {
                score += 0.7;
                why.push("same name".to_owned());
            }
            let body = function.body.clone()?;
            let held = asked
                .iter()
                .filter(|tokens| !parsed.find_tokens(&body, tokens).is_empty())
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
            (score >= ENOUGH).then(|| Likely {
                display: function.display(),
                name: function.name.clone(),
                range: function.range.clone(),
                line: parsed.lines().number(function.range.start),
                why: why.join(", "),
                score,
            })
        })
        .collect();
    all.sort_by(|a, b| b.score.total_cmp(&a.score));
    all.truncate(3);
    all
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
    let conditions = variant
        .when
        .iter()
        .chain(&variant.expect)
        .filter(|c| is_it(&c.scope));
    let mut texts: Vec<&str> = conditions
        .filter_map(|condition| match &condition.holds {
            Holds::Tokens(tokens) if !condition.absent => Some(tokens.as_str()),
            _ => None,
        })
        .collect();
    let anchors = variant
        .edits
        .iter()
        .map(|edit| &edit.at)
        .filter(|at| is_it(&at.scope));
    for anchor in anchors {
        texts.extend(anchor.expression.as_deref());
        texts.extend(anchor.statement.as_ref().and_then(|s| s.tokens.as_deref()));
    }
    texts
        .iter()
        .filter_map(|text| cpp::pattern(text).ok())
        .filter(|t| !t.is_empty())
        .collect()
}

/// The share of common tokens of two bodies, 0 to 1 (twice the common ones by the sum of both).
pub fn overlap(one: &[&[u8]], other: &[&[u8]]) -> f64 {
    let mut counts: HashMap<&[u8], i64> = HashMap::new();
    one.iter()
        .for_each(|token| *counts.entry(token).or_default() += 1);
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
