//! An overlay file's form, key for key. What the keys mean together is checked in `load.rs` and below.
//!
//! The JSON Schema that editors use is made from these types: a doc comment here is what an editor shows,
//! and a type's title is what an error calls it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use super::model::{Position, StatementPattern};
use crate::cpp::Dialect;
use crate::yaml::schema_of;

/// An overlay: a named change to upstream with one purpose.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[schemars(title = "an overlay", rename = "overlay")]
pub(super) struct RawOverlay {
    /// The version of this form. It is 1.
    #[schemars(range(min = 1, max = 1))]
    #[expect(dead_code, reason = "checked on the tree, before anything else is")]
    pub schema: u32,
    /// Its name, which is also the file's: letters `a` to `z`, digits and `-`.
    #[schemars(regex(pattern = r"^[a-z0-9-]+$"))]
    pub overlay: String,
    /// What the overlay is made of. `hunks` is the default, and all that this version supports.
    #[expect(dead_code, reason = "checked on the tree; there is one kind so far")]
    pub kind: Option<RawKind>,
    /// What it does, in one line.
    pub title: String,
    /// Why it exists. The person who meets it on a bump in two years reads this.
    pub why: String,
    /// The upstream file that its edits and conditions are about, where they name no other. Relative to the upstream tree, with `/`.
    pub file: Option<String>,
    /// The releases that it claims, such as `>=0.23.0`; all, where it is left out. Others are unsupported, which is no conflict.
    pub releases: Option<String>,
    /// The names that it adds to upstream, by role, such as `setter` and `getter`.
    #[serde(default)]
    pub provides: BTreeMap<String, String>,
    /// Records of what the change was measured to do, each with the release that it was measured on. They change no digest.
    #[serde(default)]
    pub evidence: Vec<RawEvidence>,
    /// What upstream would look like if it had taken this change in: all of them hold.
    #[serde(default)]
    pub landed: Vec<RawCondition>,
    /// Overlays whose edits at the same place come before this one's.
    #[serde(default)]
    pub after: Vec<String>,
    /// The dialect of the overlay's files. Left out, their extensions say it: `.metal` and headers below `metal/kernels/` are Metal, `.cu` and `.cuh` CUDA.
    pub dialect: Option<Dialect>,
    /// Words that the parser does not see in the overlay's files, such as an export macro: `API` in `class API array`. MLX's own and those of the dialect need not be named.
    #[serde(default)]
    pub macros: Vec<String>,
    /// Its parts. Each stands or falls as one.
    pub hunks: Vec<RawHunk>,
}

/// A record of what an overlay was measured to do.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[schemars(title = "a piece of evidence", rename = "evidence")]
pub(super) struct RawEvidence {
    /// A file of this repository, relative to its root; `#heading` may follow.
    pub record: String,
    /// The release that it was measured on, such as `0.32.2`. Left out, where the record does not know it.
    pub mlx: Option<String>,
    /// What was measured, on which machine, in one line.
    pub what: String,
}

/// What an overlay is made of.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "kind")]
pub(super) enum RawKind {
    /// Edits at anchors of upstream's files.
    Hunks,
}

/// A marked part of an overlay: one or more edits that stand or fall together. Either it has `edits`, or `variants` of them.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[schemars(title = "a hunk", rename = "hunk")]
pub(super) struct RawHunk {
    /// Its name, unique in the overlay: letters `a` to `z`, digits and `-`.
    #[schemars(regex(pattern = r"^[a-z0-9-]+$"))]
    pub id: String,
    /// What must be so for the edits to fit at all.
    pub when: Option<Vec<RawCondition>>,
    /// The edits.
    pub edits: Option<Vec<RawEdit>>,
    /// What must hold for the edits to keep their meaning. Failing it is an error.
    pub expect: Option<Vec<RawCondition>>,
    /// Ways to make the hunk for different forms of upstream. Exactly one must fit.
    pub variants: Option<Vec<RawVariant>>,
}

/// A way to make a hunk, for one form of upstream.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[schemars(title = "a variant", rename = "variant")]
pub(super) struct RawVariant {
    /// Its name, unique in the hunk: letters `a` to `z`, digits and `-`.
    #[schemars(regex(pattern = r"^[a-z0-9-]+$"))]
    pub name: String,
    /// What selects it, besides that all its anchors are there.
    pub when: Option<Vec<RawCondition>>,
    /// The edits.
    pub edits: Vec<RawEdit>,
    /// What must hold for the edits to keep their meaning. Failing it is an error, never another variant.
    pub expect: Option<Vec<RawCondition>>,
}

/// An insertion or a replacement at an anchor: `insert` or `replace`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[schemars(title = "an edit", rename = "edit")]
pub(super) struct RawEdit {
    /// Its name, unique in the variant, and part of its marker; its number from 1, where it is left out.
    #[schemars(regex(pattern = r"^[a-z0-9-]+$"))]
    pub id: Option<String>,
    /// Another upstream file than the overlay's.
    pub file: Option<String>,
    /// Where.
    pub at: RawAnchor,
    /// The edit is not needed where this anchor is there already.
    pub unless: Option<RawAnchor>,
    /// Whole lines to insert; the last one ends with a line feed.
    pub insert: Option<String>,
    /// Whole lines in place of the statement at the anchor. Upstream's lines stay in the file under `#if 0`.
    pub replace: Option<String>,
    /// Why upstream's own lines have to go; needed with `replace`.
    pub why: Option<String>,
}

/// A structural address in upstream's code: `include`, `function`, `class` or `namespace`, and what is inside it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[schemars(title = "an anchor", rename = "anchor")]
pub(super) struct RawAnchor {
    /// An `#include` line, by what stands behind the word: `<cstdlib>` or `'"mlx/utils.h"'`.
    pub include: Option<String>,
    /// A function's definition, by its qualified name or the last parts of it: `CommandEncoder::needs_commit`.
    pub function: Option<String>,
    /// The function's parameter list and qualifiers, `(int index) const`; needed where its name is overloaded.
    pub signature: Option<String>,
    /// A statement of the function.
    pub statement: Option<StatementPattern>,
    /// An expression in the function, as tokens; the statement that holds it is meant.
    pub expression: Option<String>,
    /// A class's or struct's definition, by its qualified name or the last parts of it.
    pub class: Option<String>,
    /// A member declared or defined in the class's own body.
    pub member: Option<String>,
    /// A namespace, by its full name: `mlx::core::metal`.
    pub namespace: Option<String>,
    /// A line of a file without a grammar (CMake, Python, TOML, YAML, shell), without the white space around it.
    pub line: Option<String>,
    /// A line above that line with less indentation, such as `class Module:`; needed where the line is there twice.
    pub under: Option<String>,
    /// Which side of it, or which end of its inside.
    pub position: Option<Position>,
    /// The `#if` lines around it, outermost first, such as `['#ifdef __APPLE__']` or `['#else of #ifdef X']`; none, where it is left out.
    pub preprocessor: Option<Vec<String>>,
}

/// What holds or does not hold of upstream's text: `in` with `tokens` or `matches`, or `exists`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[schemars(title = "a condition", rename = "condition")]
pub(super) struct RawCondition {
    /// Where to look.
    #[serde(rename = "in")]
    pub scope: Option<RawScope>,
    /// Tokens that are there; white space and comments do not count.
    pub tokens: Option<String>,
    /// A regular expression that matches in there.
    pub matches: Option<String>,
    /// A construct that is there.
    pub exists: Option<RawScope>,
    /// Turns the condition round: it must not be there.
    #[serde(default)]
    pub absent: bool,
    /// Another upstream file than the edits'.
    pub file: Option<String>,
}

/// A construct of a file: one of `include`, `function`, `class`, `namespace`, `whole-file`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[schemars(title = "a scope", rename = "scope")]
pub(super) struct RawScope {
    /// An `#include` line, by what stands behind the word: `<cstdlib>` or `'"mlx/utils.h"'`.
    pub include: Option<String>,
    /// A function's definition, by its qualified name or the last parts of it.
    pub function: Option<String>,
    /// The function's parameter list and qualifiers, `(int index) const`; needed where its name is overloaded.
    pub signature: Option<String>,
    /// A class's or struct's definition, by its qualified name or the last parts of it.
    pub class: Option<String>,
    /// A member declared or defined in the class's own body.
    pub member: Option<String>,
    /// A namespace, by its full name.
    pub namespace: Option<String>,
    /// A line of a file without a grammar.
    pub line: Option<String>,
    /// A line above that line with less indentation.
    pub under: Option<String>,
    /// `true`: anywhere in the file. For `tokens` only; a regular expression needs a construct to look in.
    pub whole_file: Option<bool>,
}

/// The schema, as JSON (draft 7). `overlays/schema.json` is a committed copy of it.
pub fn schema() -> serde_json::Value {
    schema_of::<RawOverlay>()
}
