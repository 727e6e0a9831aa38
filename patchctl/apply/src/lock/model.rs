//! The lock file's form: which bytes go where, for each pin.

use serde::{Deserialize, Serialize};

use super::read::{blob_id, tree_path};
use crate::BlobId;

/// The version of the form that this crate writes. Older ones are read, newer ones refused. Since 2 each pin's entry
/// carries a digest of itself, since 3 a proof its suite and a pin the level that it had before.
pub const SCHEMA: u32 = 3;

/// `lock.yaml`, whole. [`Lock::read`](Lock::read) and [`Lock::to_yaml`] are the ways in and out of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lock {
    /// See [`SCHEMA`].
    pub schema: u32,
    /// The pins, oldest release first.
    #[serde(default)]
    pub pins: Vec<LockedPin>,
}

impl Default for Lock {
    fn default() -> Self {
        Self {
            schema: SCHEMA,
            pins: Vec::new(),
        }
    }
}

/// What is known and proven of one supported revision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockedPin {
    /// `0.32.2`, or as git describes a commit that is no release.
    pub release: String,
    /// The commit.
    pub revision: String,
    /// Where the commit is known from.
    pub revision_from: RevisionFrom,
    /// The source that the bytes were read from, as for `--source`, without anything private to a machine.
    pub source: String,
    /// Git's id of the whole tree, where the source could tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<String>,
    /// The overlays that were carried, with their digests.
    pub overlays: Vec<LockedOverlay>,
    /// Every file that they change.
    pub files: Vec<LockedFile>,
    /// What was shown, and where.
    #[serde(default)]
    pub proven: Vec<Proven>,
    /// A higher level than any of these, which earlier bytes of the pin were proven to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lowered_from: Option<String>,
}

impl LockedPin {
    /// The digest that the pin's entry in the file carries: git's blob id of the entry as JSON, so that an entry that was
    /// merged or edited by hand is noticed.
    pub fn digest(&self) -> String {
        // Texts, numbers, lists and maps alone: none can fail.
        BlobId::of(&serde_json::to_vec(self).unwrap_or_default()).to_string()
    }
}

/// Where a commit id is known from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RevisionFrom {
    /// A git source said so.
    Git,
    /// The table of crates.io packages says so; a package cannot prove it.
    Table,
    /// The user's own folder; nothing proves it.
    Directory,
}

/// An overlay as it was when the pin was locked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockedOverlay {
    /// Its name.
    pub id: String,
    /// SHA-256 over its meaning, hex.
    pub digest: String,
}

/// One file of upstream, before and after.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockedFile {
    /// Relative to the tree's root, with `/`.
    #[serde(deserialize_with = "tree_path")]
    pub path: String,
    /// Upstream's blob.
    #[serde(deserialize_with = "blob_id")]
    pub before: crate::BlobId,
    /// The patched blob.
    #[serde(deserialize_with = "blob_id")]
    pub after: crate::BlobId,
    /// In order of offset; those at one offset in the order in which their texts stand.
    pub splices: Vec<Splice>,
}

/// A piece of text that goes into a file. Markers are part of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Splice {
    /// `overlay/hunk.edit`.
    pub edit: String,
    /// 1-based line of upstream's text above which it goes in; one more than the last where it goes behind
    /// that. For people: the offset decides.
    pub line: u64,
    /// Byte offset in upstream's text.
    pub offset: u64,
    /// Bytes of upstream's text that it takes the place of; 0 today, since a replacement keeps upstream's lines.
    pub length: u64,
    /// The text.
    pub text: String,
}

/// One thing that was shown for a pin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proven {
    /// `structure`, `compile`, `run`.
    pub level: String,
    /// Kind of host, such as `linux-x86_64` or `macos-arm64`; never a machine's name.
    pub host: String,
    /// `patchctl 0.1.0`.
    pub by: String,
    /// Twelve hex digits of the SHA-256 of the scenarios and of the driver that showed it; none for the levels that drive
    /// nothing, and in a lock before schema 3.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suite: Option<String>,
}
