//! The terms that all sources share: the revision that is asked for, the revision that is found, and the failures.

use std::fmt::Display;

use camino::Utf8Path;
use patchctl_apply::BlobId;
pub use patchctl_apply::RevisionFrom;
use semver::Version;

use crate::report::{Code, Error};

/// A revision as a user names it: `0.32.4`, `v0.32.4`, `latest`, a commit or a branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RevisionSpec {
    /// `0.32.4` or `v0.32.4`: the tag of that release.
    Release(Version),
    /// The newest release that is no pre-release.
    Latest,
    /// A commit id, whole or abbreviated to at least seven hex digits.
    Commit(String),
    /// Any other name: a branch (moving, and said to be) or a tag.
    Name(String),
}

/// A revision as a source found it. The commit is the identity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolved {
    /// Full hex commit id. Empty only for a `dir:` source that is no checkout of a known commit.
    pub commit: String,
    /// The evidence for that commit.
    pub commit_from: RevisionFrom,
    /// The release whose rules hold: the tag's, else `mlx/version.h`'s, else the nearest tag's before.
    pub release: Version,
    /// True if the commit is exactly that release's tag.
    pub is_release: bool,
    /// As git describes it: `v0.32.1`, `v0.32.1-26-g846d176`, or a folder's name.
    pub described: String,
    /// The git tree id of the whole tree, where the source can know it.
    pub tree: Option<String>,
    /// The source it came from, as it may stand in `lock.yaml`: the URL without credentials, `git` or `dir` for
    /// a place on this machine, `crates`.
    pub source: String,
    /// Set when the name asked for can move (a branch).
    pub moving: bool,
}

/// A file of upstream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blob {
    /// Git's id of the bytes.
    pub id: BlobId,
    /// The bytes, as they are.
    pub bytes: Vec<u8>,
}

/// A commit that changes a file, in [`History::touching`]'s answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TouchingCommit {
    /// Full hex commit id.
    pub commit: String,
    /// First line of its message.
    pub subject: String,
    /// As git describes it.
    pub described: String,
    /// The release whose rules hold for it, as in [`Resolved::release`].
    pub release: Version,
    /// The file's blob after it; `None` where it deletes the file.
    pub blob: Option<BlobId>,
}

/// A place that revisions and files come from.
pub trait Source: Send + Sync {
    /// As it can be given to `--source`: `git:URL`, `crates`, `dir:PATH`.
    fn name(&self) -> String;
    /// Finds the revision, bringing it onto this machine where that is needed and allowed.
    fn resolve(&self, wanted: &RevisionSpec) -> Result<Resolved, Error>;
    /// The revision, where all of it is on this machine: never asks the network, and compares with nothing.
    fn at_hand(&self, _wanted: &RevisionSpec) -> Option<Resolved> {
        None
    }
    /// Told what will be asked for, so that it can bring all of it at once. A failure shows when it is asked.
    fn prepare(&self, _wanted: &[RevisionSpec]) {}
    /// Every release it has, oldest first; pre-releases left out.
    fn releases(&self) -> Result<Vec<Version>, Error>;
    /// A file's blob id, without its bytes; `None` where the revision has no such file.
    fn blob_id(&self, at: &Resolved, path: &Utf8Path) -> Result<Option<BlobId>, Error>;
    /// A file's bytes; `None` where the revision has no such file.
    fn read(&self, at: &Resolved, path: &Utf8Path) -> Result<Option<Blob>, Error>;
    /// A blob by its id alone, where it is at hand; never asks the network.
    fn read_blob(&self, id: &BlobId) -> Option<Vec<u8>>;
    /// All paths of the revision, for naming a moved file's likeliest new home.
    fn paths(&self, at: &Resolved) -> Result<Vec<String>, Error>;
    /// Writes the revision's whole tree into `into`, which is empty or absent.
    fn materialise(&self, at: &Resolved, into: &Utf8Path) -> Result<(), Error>;
    /// The history, where this source has one.
    fn history(&self) -> Option<&dyn History>;
}

/// Questions that only a source with commits can answer.
pub trait History: Send + Sync {
    /// The commits in `from..to` (git's meaning; either may be a tag, branch or commit) that change
    /// `path`, oldest first.
    fn touching(&self, from: &str, to: &str, path: &Utf8Path)
    -> Result<Vec<TouchingCommit>, Error>;
    /// The revision itself, as [`Source::resolve`] would give it for a commit.
    fn at(&self, commit: &str) -> Result<Resolved, Error>;
    /// The numbers of commits and of changed files between two revisions.
    fn distance(&self, from: &str, to: &str) -> Result<(usize, usize), Error>;
}

/// The source works and does not have `wanted`; `has` names a few of those that it has.
pub(super) fn not_there(source: &str, wanted: impl Display, has: impl Display) -> Error {
    let message = format!("{source} has no {wanted} (it has {has})");
    Error::new(Code::RevisionNotThere, message)
}

/// The source could not be asked: network, missing tool, unreadable or damaged data.
pub(super) fn unreachable(source: &str, why: impl Display, help: impl Into<String>) -> Error {
    let message = format!("{source} cannot be read: {why}");
    Error::new(Code::SourceUnreachable, message).help(help.into())
}

/// Upstream's own content is not taken: it exceeds a limit, or is no tree that can safely be written.
pub(super) fn refused(source: &str, why: impl Display) -> Error {
    Error::new(Code::UpstreamRefused, format!("{source} is refused: {why}")).help(
        "patchctl takes no such upstream, from whatever source; docs/limits.md lists what it takes",
    )
}

/// A tag is not where the lock or the cache saw it.
pub(super) fn tag_moved(source: &str, tag: &str, was: impl Display, now: impl Display) -> Error {
    let message = format!("tag {tag} was moved: it was {was}, {source} now has {now}");
    Error::new(Code::TagMoved, message).help(
        "a released tag should never move: ask upstream why it did. To take the new commit in, bump to that \
         commit by its id and review the change",
    )
}
