//! The words that every source speaks: what is asked for, what was found, how it can fail.

use camino::Utf8Path;
use patchctl_apply::BlobId;
pub use patchctl_apply::RevisionFrom;
use semver::Version;

use crate::report::Error;

/// What a user asks for: `0.32.4`, `v0.32.4`, `latest`, a commit or a branch.
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

/// The reason for which a source has no answer.
#[derive(Debug, Clone, thiserror::Error)]
pub enum SourceError {
    /// The source works and does not have it; `has` says what it has (newest first, a few).
    #[error("{source_name} has no {wanted} (it has {has})")]
    NotThere {
        /// The source.
        source_name: String,
        /// The request.
        wanted: String,
        /// The alternatives.
        has: String,
    },
    /// The source could not be asked: network, missing tool, unreadable or damaged data.
    #[error("{source_name} cannot be read: {why}")]
    Unreachable {
        /// The source.
        source_name: String,
        /// The fault, in one line.
        why: String,
        /// The advice.
        help: Option<String>,
    },
    /// Upstream's own content is not taken: it exceeds a limit, or is no tree that can safely be written.
    #[error("{source_name} is refused: {why}")]
    Refused {
        /// The source.
        source_name: String,
        /// The limit or rule, and the place.
        why: String,
    },
    /// A place on this machine cannot be written.
    #[error(transparent)]
    Unwritable(#[from] Error),
    /// A tag is not where the lock saw it: both commits are named.
    #[error("tag {tag} was moved: it was {was}, {source_name} now has {now}")]
    TagMoved {
        /// The source.
        source_name: String,
        /// The tag.
        tag: String,
        /// The commit known before.
        was: String,
        /// The commit found now.
        now: String,
    },
}

impl SourceError {
    /// What to do about it, where there is more to say than the error does.
    pub fn help(&self) -> Option<&str> {
        match self {
            Self::Unreachable { help, .. } => help.as_deref(),
            Self::Unwritable(error) => error.advice(),
            Self::Refused { .. } => Some(
                "patchctl takes no such upstream, from whatever source; docs/limits.md lists what it takes",
            ),
            Self::NotThere { .. } | Self::TagMoved { .. } => None,
        }
    }
}

/// A place that revisions and files come from.
pub trait Source: Send + Sync {
    /// As it can be given to `--source`: `git:URL`, `crates`, `dir:PATH`.
    fn name(&self) -> String;
    /// Finds the revision, bringing it onto this machine where that is needed and allowed.
    fn resolve(&self, wanted: &RevisionSpec) -> Result<Resolved, SourceError>;
    /// The revision, where all of it is on this machine: never asks the network, and compares with nothing.
    fn at_hand(&self, _wanted: &RevisionSpec) -> Option<Resolved> {
        None
    }
    /// Told what will be asked for, so that it can bring all of it at once. A failure shows when it is asked.
    fn prepare(&self, _wanted: &[RevisionSpec]) {}
    /// Every release it has, oldest first; pre-releases left out.
    fn releases(&self) -> Result<Vec<Version>, SourceError>;
    /// A file's blob id, without its bytes; `None` where the revision has no such file.
    fn blob_id(&self, at: &Resolved, path: &Utf8Path) -> Result<Option<BlobId>, SourceError>;
    /// A file's bytes; `None` where the revision has no such file.
    fn read(&self, at: &Resolved, path: &Utf8Path) -> Result<Option<Blob>, SourceError>;
    /// A blob by its id alone, where it is at hand; never asks the network.
    fn read_blob(&self, id: &BlobId) -> Option<Vec<u8>>;
    /// All paths of the revision, for naming a moved file's likeliest new home.
    fn paths(&self, at: &Resolved) -> Result<Vec<String>, SourceError>;
    /// Writes the revision's whole tree into `into`, which is empty or absent.
    fn materialise(&self, at: &Resolved, into: &Utf8Path) -> Result<(), SourceError>;
    /// The history, where this source has one.
    fn history(&self) -> Option<&dyn History>;
}

/// Questions that only a source with commits can answer.
pub trait History: Send + Sync {
    /// The commits in `from..to` (git's meaning; either may be a tag, branch or commit) that change
    /// `path`, oldest first.
    fn touching(
        &self,
        from: &str,
        to: &str,
        path: &Utf8Path,
    ) -> Result<Vec<TouchingCommit>, SourceError>;
    /// The revision itself, as [`Source::resolve`] would give it for a commit.
    fn at(&self, commit: &str) -> Result<Resolved, SourceError>;
    /// The number of commits and changed files lie between two revisions.
    fn distance(&self, from: &str, to: &str) -> Result<(usize, usize), SourceError>;
}
