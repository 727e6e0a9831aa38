//! The overlay model, after reading and validation (`load.rs` does both).
//!
//! These types are the meaning, not the YAML: the loader turns the YAML's shorthand (a top-level `file`,
//! a hunk without `variants`, edits without `id`) into them, so that the rest sees one form.

use std::collections::BTreeMap;
use std::fmt;

use camino::{Utf8Path, Utf8PathBuf};
use schemars::JsonSchema;
use semver::{Version, VersionReq};
use serde::{Deserialize, Serialize};

use crate::cpp::{Dialect, Reading, StatementKind};

/// A named change to upstream with one purpose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Overlay {
    /// Its name, as in `overlay/hunk`; the YAML file's stem.
    pub id: String,
    /// One line for lists. In no digest, as `why`.
    #[serde(skip)]
    pub title: String,
    /// The reason for which it exists.
    #[serde(skip)]
    pub why: String,
    /// Releases it claims; others are unsupported, which is no conflict. Pre-releases match by their base.
    pub releases: VersionReq,
    /// Overlays whose edits at the same place come before this one's: sorted, each once.
    pub after: Vec<String>,
    /// The dialect of all its files, where their extensions do not say it.
    pub dialect: Option<Dialect>,
    /// Words that the parser does not see in its files, such as an export macro: sorted, each once.
    pub macros: Vec<String>,
    /// Names it adds to upstream, by role: `setter`, `getter`.
    pub provides: BTreeMap<String, String>,
    /// Records of what it was measured to do. In no digest: a record says nothing of which bytes go where, and a
    /// measurement that is added later must not make a lock stale.
    #[serde(skip)]
    pub evidence: Vec<Evidence>,
    /// Conditions that all hold if upstream has taken the change in.
    pub landed: Vec<Condition>,
    /// Its parts, in the order of the file.
    pub hunks: Vec<Hunk>,
}

impl Overlay {
    /// Returns true if it claims a release; a pre-release counts as its base.
    pub fn claims(&self, release: &Version) -> bool {
        let base = Version::new(release.major, release.minor, release.patch);
        self.releases.matches(&base)
    }

    /// Returns the way in which it reads a file.
    pub fn reading(&self, file: &Utf8Path) -> Reading {
        Reading {
            dialect: self.dialect.unwrap_or(Dialect::of(file)),
            macros: self.macros.clone(),
        }
    }

    /// Returns true if `edit`, as `overlay/hunk.edit`, is its own.
    pub fn has(&self, edit: &str) -> bool {
        let rest = edit.strip_prefix(&self.id);
        rest.is_some_and(|rest| rest.starts_with('/'))
    }

    /// Returns every edit, with its hunk and variant.
    pub fn edits(&self) -> impl Iterator<Item = (&Hunk, &Variant, &Edit)> {
        self.hunks.iter().flat_map(|hunk| {
            let variants = hunk.variants.iter();
            variants
                .flat_map(move |variant| variant.edits.iter().map(move |it| (hunk, variant, it)))
        })
    }
}

/// A record of what an overlay was measured to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// The file, relative to the repository's root.
    pub record: Utf8PathBuf,
    /// The heading in it that is meant.
    pub heading: Option<String>,
    /// The release that it was measured on; none, where the record does not know it.
    pub mlx: Option<Version>,
    /// What was measured, one line.
    pub what: String,
}

impl Evidence {
    /// The record as it was written.
    pub fn place(&self) -> String {
        match &self.heading {
            Some(heading) => format!("{}#{heading}", self.record),
            None => self.record.to_string(),
        }
    }
}

/// One marked part of an overlay: its edits stand or fall together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Hunk {
    /// Unique in its overlay.
    pub id: String,
    /// Never empty. A hunk written without `variants` has one, named `only`.
    pub variants: Vec<Variant>,
    /// 1-based line of the hunk in the YAML file, for findings.
    #[serde(skip)]
    pub line: u64,
}

/// The name of a hunk's variant where the overlay lists none: it stands in reviewed shapes, never before a reader.
pub const ONLY_VARIANT: &str = "only";

/// A way to make a hunk, for one form of upstream. Exactly one of a hunk's must fit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Variant {
    /// Unique in its hunk.
    pub name: String,
    /// The conditions that select it, besides its anchors.
    pub when: Vec<Condition>,
    /// Never empty.
    pub edits: Vec<Edit>,
    /// Conditions under which the hunk keeps its meaning: failing one is an error, never another variant.
    pub expect: Vec<Condition>,
    /// 1-based line in the YAML file.
    #[serde(skip)]
    pub line: u64,
}

/// One insertion or replacement at an anchor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Edit {
    /// Unique in its variant; `1`, `2`, … where the YAML gives none. Part of the marker.
    pub id: String,
    /// The upstream file, relative to the tree's root, with `/`.
    pub file: Utf8PathBuf,
    /// Where.
    pub at: Anchor,
    /// Not needed where this anchor is there already.
    pub unless: Option<Anchor>,
    /// The subject.
    pub text: EditText,
    /// Needed for a replacement. In no digest.
    #[serde(skip)]
    pub why: Option<String>,
    /// 1-based line in the YAML file.
    #[serde(skip)]
    pub line: u64,
}

/// The new text of an edit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum EditText {
    /// Whole lines to insert, the last one ended by a line feed; line ends are adapted to the neighbours'.
    Insert(String),
    /// Whole lines in place of the anchor's; upstream's stay in the file under `#if 0`.
    Replace(String),
}

/// A structural address in upstream's code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Anchor {
    /// The thing that it names.
    pub scope: Scope,
    /// A statement inside a function: a direct child of the body unless `nested`.
    pub statement: Option<StatementPattern>,
    /// An expression inside a function, as tokens: the statement that holds it is meant.
    pub expression: Option<String>,
    /// Which side of it, or which end of its inside.
    pub position: Position,
    /// The `#if` stack it must stand in, outermost first (`#ifdef X`); empty: in none.
    pub preprocessor: Vec<String>,
}

/// A construct of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// The whole file (conditions only).
    File,
    /// `#include <cstdlib>` is `<cstdlib>`; quotes are kept likewise.
    Include(String),
    /// A function *definition*, by qualified name: any whole number of trailing components of its full name.
    Function {
        /// `CommandEncoder::needs_commit`.
        name: String,
        /// Parameter list and qualifiers as tokens, `(int index)`; needed where the name is overloaded.
        signature: Option<String>,
    },
    /// A class or struct definition; with `member`, a declaration or definition directly inside it.
    Class {
        /// Qualified name, as for functions.
        name: String,
        /// The member's name.
        member: Option<String>,
    },
    /// A namespace by its full name, `mlx::core::metal`: for `begin` the first block, for `end` the last.
    Namespace(String),
    /// A line of a file without a grammar.
    Line {
        /// The line, without the white space around it.
        line: String,
        /// A line that it stands under: above it, with less indentation.
        under: Option<String>,
    },
}

/// Where at the construct.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "position")]
pub enum Position {
    /// On the lines before it (and before the comment that belongs to it).
    Before,
    /// On the lines after it.
    After,
    /// Inside, first: after the line of its opening brace.
    Begin,
    /// Inside, last: before the line of its closing brace.
    End,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Before => "before",
            Self::After => "after",
            Self::Begin => "begin",
            Self::End => "end",
        })
    }
}

/// Which statement of a function: `kind`, `tokens` or both.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[schemars(title = "a statement", rename = "statement")]
pub struct StatementPattern {
    /// Its kind.
    pub kind: Option<StatementKind>,
    /// The tokens that it begins with; white space and comments do not count.
    pub tokens: Option<String>,
    /// Whether to look inside nested blocks too.
    #[serde(default)]
    pub nested: bool,
}

/// Something that holds or does not hold of upstream's text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Condition {
    /// The file it is about; the edits' file where the YAML gives none.
    pub file: Utf8PathBuf,
    /// Where to look. It must be there; where it is defined several times, each definition must comply.
    pub scope: Scope,
    /// The text to find in it.
    pub holds: Holds,
    /// True if it must *not* be found (`absent: true`).
    pub absent: bool,
    /// 1-based line in the YAML file.
    #[serde(skip)]
    pub line: u64,
}

/// The text that a condition looks for inside its scope.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Holds {
    /// The scope itself.
    Exists,
    /// A sequence of tokens.
    Tokens(String),
    /// A regular expression (crate regex) over the scope's text.
    Matches(String),
}
