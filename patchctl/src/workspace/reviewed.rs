//! `reviewed.yaml`: the one record of landings that were accepted, by a person or by a three-way merge. The lock and the
//! snapshots follow from it. It belongs to no pin.

use std::collections::HashMap;

use camino::Utf8Path;
use schemars::JsonSchema;
use semver::Version;
use serde::{Deserialize, Serialize};

use super::ids::check_digest;
use super::record::Record;
use crate::patch::EditKey;
use crate::report::Code;
use crate::yaml::{self, Cursor, Faults, NO_HELP, first_line};

/// The file's name, in the folder of the overlays.
pub const REVIEWED_FILE: &str = "reviewed.yaml";

/// A landing that is right: this edit, as it was then, at code of this shape.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "a review", rename = "review")]
pub struct Review {
    /// The overlay's name.
    pub overlay: String,
    /// The hunk's id.
    pub hunk: String,
    /// The edit's id.
    pub edit: String,
    /// The variant's name.
    pub variant: String,
    /// The fingerprint of what its anchor named.
    pub shape: String,
    /// The edit's digest, SHA-256.
    pub edit_digest: String,
    /// The release in which it was seen, or the commit as git describes it.
    pub seen: String,
    /// Its place, for people.
    #[serde(rename = "where")]
    pub place: String,
    /// The revision from whose text a three-way merge proved it, or whose lock held it; a person found it right, where
    /// this is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merged_from: Option<String>,
}

/// The key of a review: overlay, hunk, edit, variant, shape and edit digest.
type Key<'a> = [&'a str; 6];

impl Review {
    /// The review that the edit `key` is right at code of this shape: seen in a release, at a place.
    pub fn of(key: &EditKey, shape: &str, seen: &str, place: &str) -> Self {
        Self {
            overlay: key.overlay.clone(),
            hunk: key.hunk.clone(),
            edit: key.edit.clone(),
            variant: key.variant.clone(),
            shape: shape.to_owned(),
            edit_digest: key.digest.clone(),
            seen: seen.to_owned(),
            place: one_line(place),
            merged_from: None,
        }
    }

    /// The same, proven by a merge from a revision, or held by its lock.
    #[must_use]
    pub fn merged_from(self, revision: &str) -> Self {
        let merged_from = Some(one_line(revision));
        Self {
            merged_from,
            ..self
        }
    }

    fn key(&self) -> Key<'_> {
        [
            &self.overlay,
            &self.hunk,
            &self.edit,
            &self.variant,
            &self.shape,
            &self.edit_digest,
        ]
    }

    /// The file's order: by name, then by the release in which it was seen.
    fn order(&self) -> ([&str; 4], Option<Version>, [&str; 3]) {
        let [overlay, hunk, edit, variant, shape, digest] = self.key();
        let seen = self.seen.strip_prefix('v').unwrap_or(&self.seen);
        (
            [overlay, hunk, edit, variant],
            Version::parse(seen).ok(),
            [&self.seen, shape, digest],
        )
    }
}

/// Every review, each once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "the reviews file", rename = "reviewed")]
pub struct Reviewed {
    /// The version of this form: 2 where a review was merged from another revision, else 1.
    #[schemars(range(min = 1, max = 2))]
    schema: u32,
    /// The reviews.
    #[serde(rename = "reviewed")]
    reviews: Vec<Review>,
    #[serde(skip)]
    head: String,
}

impl Default for Reviewed {
    fn default() -> Self {
        Self {
            schema: 1,
            reviews: Vec::new(),
            head: String::new(),
        }
    }
}

impl yaml::Form for Reviewed {
    const SCHEMA: i64 = 2;
    const WRITTEN: bool = true;
}

impl Record for Reviewed {
    fn to_text(&self) -> Result<String, String> {
        Ok(yaml::text(&self.head, self))
    }

    fn read_back(file: &Utf8Path, bytes: &[u8]) -> Result<Self, String> {
        Self::parse(file, bytes).map_err(|faults| faults.to_string())
    }
}

impl Reviewed {
    /// Reads `reviewed.yaml` out of the folder `folder` of the repository at `root`; a file that is not there
    /// holds no reviews.
    ///
    /// # Errors
    /// As [`Reviewed::parse`], and where the file cannot be read.
    pub fn load(root: &Utf8Path, folder: &Utf8Path) -> Result<Self, Faults> {
        let file = folder.join(REVIEWED_FILE);
        match yaml::read_if_there(root, &file)? {
            Some(bytes) => Self::parse(&file, &bytes),
            None => Ok(Self::default()),
        }
    }

    /// Reads the file's bytes; `file` is its name in errors.
    ///
    /// # Errors
    /// All that is wrong with it: its form, an id that is no hex text, a name that is empty, a review that is
    /// there twice.
    pub fn parse(file: &Utf8Path, bytes: &[u8]) -> Result<Self, Faults> {
        yaml::read(file, bytes, |mut reviewed: Self, at| {
            check(&reviewed.reviews, at.key("reviewed"));
            reviewed.head = yaml::head(bytes);
            reviewed.sort();
            Some(reviewed)
        })
    }

    /// All of them, in the file's order.
    pub fn all(&self) -> &[Review] {
        &self.reviews
    }

    /// Returns true if the edit `key` was found right at code of this shape.
    pub fn holds(&self, key: &EditKey, shape: &str) -> bool {
        self.get(Review::of(key, shape, "", "").key()).is_some()
    }

    fn get(&self, key: Key<'_>) -> Option<&Review> {
        self.reviews.iter().find(|review| review.key() == key)
    }

    /// Adds a review. One of the same key stays as it is: where a form was first seen is worth keeping. Gives
    /// whether it was new.
    pub fn add(&mut self, review: Review) -> bool {
        let mut reviews = self.reviews.iter_mut();
        if let Some(old) = reviews.find(|old| old.key() == review.key()) {
            // A person's word is the stronger one.
            if review.merged_from.is_none() {
                old.merged_from = None;
                self.sort();
            }
            return false;
        }
        self.reviews.push(review);
        self.sort();
        true
    }

    /// Takes the reviews of a hunk away, `overlay/hunk`. Gives them.
    pub fn forget(&mut self, hunk: &str) -> Vec<Review> {
        let is_of = |review: &mut Review| format!("{}/{}", review.overlay, review.hunk) == hunk;
        let forgotten = self.reviews.extract_if(.., is_of).collect();
        self.sort();
        forgotten
    }

    fn sort(&mut self) {
        let is_merged = |review: &Review| review.merged_from.is_some();
        self.schema = 1 + u32::from(self.reviews.iter().any(is_merged));
        self.reviews
            .sort_by(|one, other| one.order().cmp(&other.order()));
    }
}

/// A place is words for a reader: what YAML takes for the end of a line, and folds, becomes a space.
fn one_line(place: &str) -> String {
    let ends_a_line = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    place.replace(ends_a_line, " ")
}

fn check(reviews: &[Review], at: Cursor<'_>) {
    let mut seen = HashMap::new();
    for (review, at) in at.each(reviews) {
        for (key, text) in [
            ("overlay", &review.overlay),
            ("hunk", &review.hunk),
            ("edit", &review.edit),
            ("variant", &review.variant),
            ("seen", &review.seen),
        ] {
            if text.is_empty() {
                at.key(key)
                    .fault(Code::PinsBadName, format!("`{key}` is empty"), NO_HELP);
            }
        }
        check_digest("shape", &review.shape, 16..=64, at.key("shape"));
        let digest = at.key("edit_digest");
        check_digest("SHA-256", &review.edit_digest, 64..=64, digest);
        if let Some(first) = first_line(&mut seen, review.key(), at) {
            let message = format!("this review is here twice, first on line {first}");
            at.fault(Code::PinsTwice, message, "keep one of them");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIGEST: &str = "c0fbe46c81950267711fe0440d29fc2e0c3371661ffc29c3b1f4c26c3c40ae12";

    fn review(edit: &str, seen: &str, shape: &str) -> Review {
        Review {
            overlay: "decode-input-budget".to_owned(),
            hunk: "commit-check".to_owned(),
            edit: edit.to_owned(),
            variant: "encoder".to_owned(),
            shape: shape.to_owned(),
            edit_digest: DIGEST.to_owned(),
            seen: seen.to_owned(),
            place: "mlx/core/metal CommandEncoder::needs_commit() const".to_owned(),
            merged_from: None,
        }
    }

    fn parse(text: &str) -> Result<Reviewed, Faults> {
        Reviewed::parse(Utf8Path::new("reviewed.yaml"), text.as_bytes())
    }

    #[test]
    fn reviews_are_written_by_name_and_release() {
        let all = [
            review("read", "0.32.10", "00000000000000a1"),
            review("read", "0.32.2", "00000000000000b2"),
            review("read", "v0.32.2-4-g1234567", "00000000000000e5"),
            review("slot", "0.31.2", "1234567890123456"),
        ];
        let mut forward = Reviewed::default();
        let mut backward = Reviewed::default();
        for review in &all {
            assert!(forward.add(review.clone()));
        }
        for review in all.iter().rev() {
            assert!(backward.add(review.clone()));
        }
        assert_eq!(forward.to_text().unwrap(), backward.to_text().unwrap());
        let seen: Vec<&str> = forward
            .all()
            .iter()
            .map(|review| review.seen.as_str())
            .collect();
        assert_eq!(seen, ["v0.32.2-4-g1234567", "0.32.2", "0.32.10", "0.31.2"]);
        // A shape of digits alone is still a text when it is read again.
        assert_eq!(parse(&forward.to_text().unwrap()).unwrap(), forward);
        assert!(forward.to_text().unwrap().ends_with(&format!(
            "- overlay: decode-input-budget\n  hunk: commit-check\n  edit: slot\n  variant: encoder\n  shape: '1234567890123456'\n  edit_digest: {DIGEST}\n  seen: 0.31.2\n  where: mlx/core/metal CommandEncoder::needs_commit() const\n"
        )), "{}", forward.to_text().unwrap());
    }

    #[test]
    fn a_review_is_found_by_its_whole_key() {
        let mut reviewed = Reviewed::default();
        let first = review("read", "0.31.2", "00000000000000a1");
        reviewed.add(first.clone());
        assert!(!reviewed.add(review("read", "0.32.2", "00000000000000a1")));
        assert_eq!(reviewed.all(), std::slice::from_ref(&first));
        assert_eq!(reviewed.get(first.key()), Some(&first));
        for change in [
            |review: &mut Review| review.overlay.push('x'),
            |review: &mut Review| review.hunk.push('x'),
            |review: &mut Review| review.edit.push('x'),
            |review: &mut Review| review.variant.push('x'),
            |review: &mut Review| review.shape.push('0'),
            |review: &mut Review| review.edit_digest.replace_range(..1, "0"),
        ] {
            let mut other = first.clone();
            change(&mut other);
            assert_eq!(reviewed.get(other.key()), None);
            assert!(reviewed.add(other));
        }
    }

    proptest::proptest! {
        #[test]
        fn any_review_is_read_as_it_was_written(place in "\\PC{0,40}", seen in "[ -~]{1,20}") {
            let mut reviewed = Reviewed::default();
            let place = one_line(&place);
            reviewed.add(Review { place, ..review("read", &seen, "0000000000000e10") });
            proptest::prop_assert_eq!(parse(&reviewed.to_text().unwrap()).unwrap(), reviewed);
        }
    }

    #[test]
    fn a_place_is_one_line() {
        assert_eq!(one_line("a\u{2028}b\u{2029}c\r\nd\u{85}e"), "a b c  d e");
    }

    #[test]
    fn comments_at_the_files_head_are_kept() {
        let head = "# Landings that a person has looked at.\n#\n\n";
        let mut reviewed =
            parse(&format!("{head}schema: 1\n# not this one\nreviewed: []\n")).unwrap();
        assert_eq!(
            reviewed.to_text().unwrap(),
            format!("{head}schema: 1\nreviewed: []\n")
        );
        reviewed.add(review("read", "0.31.2", "00000000000000a1"));
        assert!(reviewed.to_text().unwrap().starts_with(head));
        // The text has line feeds alone, whatever was read; the writer gives the file its own line ends.
        let windows = format!(
            "\u{feff}{}",
            reviewed.to_text().unwrap().replace('\n', "\r\n")
        );
        assert_eq!(
            parse(&windows).unwrap().to_text().unwrap(),
            reviewed.to_text().unwrap()
        );
        assert_eq!(parse(&reviewed.to_text().unwrap()).unwrap(), reviewed);
    }

    #[test]
    fn empty_and_double_reviews_are_refused() {
        let one = format!(
            "- {{overlay: o, hunk: h, edit: e, variant: v, shape: 00000000000000a1, edit_digest: {DIGEST}, seen: 0.31.2, where: f}}\n"
        );
        let text = format!(
            "schema: 1\nreviewed:\n{one}{one}{}{}",
            one.replace("overlay: o", "overlay: ''")
                .replace("00000000000000a1", "A1"),
            one.replace(DIGEST, "abc").replace("where: f", "were: f"),
        );
        let faults = |text: &str| -> Vec<String> {
            let faults = parse(text).unwrap_err();
            faults
                .0
                .iter()
                .map(|fault| format!("{} [{}]", fault.with_place(), fault.code))
                .collect()
        };
        assert_eq!(
            faults(&text),
            [
                "reviewed.yaml:6:3: a review has no `where` [yaml-missing-key]",
                "reviewed.yaml:6:103: unknown key `were` in a review [yaml-unknown-key]",
            ]
        );
        assert_eq!(
            faults(&text.replace("were:", "where:")),
            [
                "reviewed.yaml:4:3: this review is here twice, first on line 3 [pins-twice]",
                "reviewed.yaml:5:13: `overlay` is empty [pins-bad-name]",
                "reviewed.yaml:5:54: `A1` is no shape: expected hex digits in lower case [pins-bad-id]",
                "reviewed.yaml:6:84: `abc` is no SHA-256: expected hex digits in lower case [pins-bad-id]",
            ]
        );
    }
}
